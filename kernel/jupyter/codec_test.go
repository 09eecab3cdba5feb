package jupyter

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

func example() Message {
	m := NewMessage("s", "execute_request", ExecuteRequest{Code: "%fsnet status"})
	m.Identities = [][]byte{[]byte("client"), {0, 1}}
	m.Buffers = [][]byte{[]byte("buffer")}
	return m
}

// A codec decodes what it has encoded, with and without a key.
func TestCodec_RoundTrip(t *testing.T) {
	for _, key := range []string{"", "a secret"} {
		c := NewCodec(key)
		m := example()
		got, err := c.Decode(c.Encode(m))
		if err != nil {
			t.Fatal(err)
		}
		if got.Header != m.Header || !bytes.Equal(got.Content, m.Content) || string(got.Parent) != "{}" {
			t.Errorf("key %q: %+v became %+v", key, m, got)
		}
		if !slices.EqualFunc(got.Identities, m.Identities, bytes.Equal) || !slices.EqualFunc(got.Buffers, m.Buffers, bytes.Equal) {
			t.Errorf("key %q: identities %q, buffers %q", key, got.Identities, got.Buffers)
		}
	}
}

// A message with a missing frame, a wrong signature or a malformed header is
// rejected, each with its error.
func TestDecode_Rejects(t *testing.T) {
	c := NewCodec("a secret")
	good := c.Encode(example())
	change := func(i int, frame string) [][]byte {
		frames := slices.Clone(good)
		frames[i] = []byte(frame)
		return frames
	}
	signed := func(parts ...string) [][]byte {
		var frames [][]byte
		for _, p := range parts {
			frames = append(frames, []byte(p))
		}
		return append([][]byte{[]byte(delimiter), c.sign(frames)}, frames...)
	}
	const header = `{"msg_id":"1","msg_type":"t"}`
	for _, test := range []struct {
		name   string
		frames [][]byte
		want   error
	}{
		{"nothing", nil, ErrMalformed},
		{"an empty frame", [][]byte{{}}, ErrMalformed},
		{"only a delimiter", [][]byte{[]byte(delimiter)}, ErrMalformed},
		{"no delimiter", good[3:], ErrMalformed},
		{"too few frames", good[:7], ErrMalformed},
		{"no signature", change(3, ""), ErrSignature},
		{"a signature by another key", change(3, string(NewCodec("other").Encode(example())[3])), ErrSignature},
		{"a changed header", change(4, header), ErrSignature},
		{"a changed content", change(7, "{}"), ErrSignature},
		{"swapped parts", signed(header, "{}", "{}", "{}")[:5], ErrMalformed},
		{"a header that is a list", signed("[]", "{}", "{}", "{}"), ErrMalformed},
		{"a header without an id", signed(`{"msg_type":"t"}`, "{}", "{}", "{}"), ErrMalformed},
		{"a header whose id is a number", signed(`{"msg_id":1,"msg_type":"t"}`, "{}", "{}", "{}"), ErrMalformed},
		{"a header without a type", signed(`{"msg_id":"t"}`, "{}", "{}", "{}"), ErrMalformed},
		{"a content that is not JSON", signed(header, "{}", "{}", "{x"), ErrMalformed},
		{"a parent that is empty", signed(header, "", "{}", "{}"), ErrMalformed},
	} {
		if _, err := c.Decode(test.frames); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	if _, err := c.Decode(signed(header, "{}", "{}", "{}")); err != nil {
		t.Errorf("a rightly signed one: %v", err)
	}
}

// Front ends differ in what they put into a header, so only the id and the type
// are required. An answer repeats the header byte for byte as its parent.
func TestDecode_MinimalHeaders(t *testing.T) {
	for name, c := range map[string]struct{ header, date, session string }{
		"JupyterLab": {
			`{"msg_id":"1","msg_type":"t","date":"2026-11-21T17:45:00.123Z","session":"s","username":"","version":"5.2","subshell_id":null}`,
			"2026-11-21T17:45:00.123Z", "s",
		},
		"jupyter_client": {
			`{"msg_id":"1","msg_type":"t","date":"2026-11-21T17:45:00.123456+00:00","session":"s","username":"me","version":"5.4"}`,
			"2026-11-21T17:45:00.123456+00:00", "s",
		},
		"no date":            {`{"msg_id":"1","msg_type":"t","session":"s"}`, "", "s"},
		"a date as a number": {`{"msg_id":"1","msg_type":"t","date":1763747100.5,"session":"s"}`, "", "s"},
		"nothing but needed": {`{"msg_id":"1","msg_type":"t"}`, "", ""},
		"other entries":      {`{"msg_id":"1", "msg_type":"t","vendor":{"z":1,  "a":2}}`, "", ""},
		"nulls":              {`{"msg_id":"1","msg_type":"t","date":null,"session":null,"username":null,"version":null}`, "", ""},
	} {
		m := Message{Header: Header{ID: "1", Type: "t"}, RawHeader: []byte(c.header)}
		got, err := NewCodec("k").Decode(NewCodec("k").Encode(m))
		if err != nil || got.Header.ID != "1" || got.Header.Type != "t" || got.Header.Date != c.date || got.Header.Session != c.session {
			t.Errorf("%s: %+v, %v", name, got.Header, err)
		}
		if answer := got.Answer("kernel", "reply", nil); string(answer.Parent) != c.header {
			t.Errorf("%s: the parent is %s", name, answer.Parent)
		}
	}
}

// FuzzDecode feeds frames, split at newlines, to a codec that checks no signature, so that the parser behind it is reached.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("id\n<IDS|MSG>\n\n{\"msg_id\":\"1\",\"msg_type\":\"t\"}\n{}\n{}\n{}\nbuffer"))
	f.Add(bytes.Join(NewCodec("").Encode(example()), []byte("\n")))
	f.Add([]byte("<IDS|MSG>\n\n[]\n{\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		frames := bytes.Split(data, []byte("\n"))
		if m, err := NewCodec("").Decode(frames); err == nil {
			again, err := NewCodec("k").Decode(NewCodec("k").Encode(m))
			if err != nil || again.Header != m.Header || !bytes.Equal(again.Content, m.Content) {
				t.Fatalf("%q decodes to %+v, which comes back as %+v, %v", data, m, again, err)
			}
		}
		if _, err := NewCodec("k").Decode(frames); err == nil {
			t.Fatalf("%q passes for signed", data)
		}
	})
}

// FuzzPeer feeds whatever a peer may say to the end that listens: it must end the connection or read messages, and nothing else.
func FuzzPeer(f *testing.F) {
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	ready := string(greeting) + "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
	for _, seed := range []string{
		"", "GET / HTTP/1.1\r\n\r\n", string(greeting), string(greeting) + "\x04\x00",
		ready, ready + "\x00\x05hello", ready + "\x01\x01a\x00\x01b",
		ready + "\x02\x7f\xff\xff\xff\xff\xff\xff\xff", ready + "\x03\x00\x00\x00\x00\x00\x00\x00\x01x\x00\x00", ready + "\x04\x05\x04PING",
		string(greeting) + "\x04\x07\x05READY\xff", string(greeting) + "\x06\x00\x00\x00\x00\x00\x00\x00\x06\x05READY",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		here, there := net.Pipe()
		go func() {
			there.Write(said) //nolint:errcheck // it may be shown the door
			there.Close()
		}()
		go io.Copy(io.Discard, there) //nolint:errcheck // it ends with the pipe
		l, err := openLink(here, routerSocket, "")
		if err != nil {
			return
		}
		defer l.close()
		for {
			frames, err := l.receive()
			if err != nil {
				return
			}
			total := 0
			for _, frame := range frames {
				total += len(frame)
			}
			if total > len(said) {
				t.Fatalf("%d bytes of frames were read from %d", total, len(said))
			}
		}
	})
}

// FuzzConnection reads connection files: a good one can be listened with, a bad one is named in one line.
func FuzzConnection(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", `{"transport":"tcp","ip":"127.0.0.1","key":"k","signature_scheme":"hmac-sha256",` +
			`"shell_port":1,"control_port":1,"iopub_port":1,"stdin_port":1,"hb_port":1}`,
		`{"transport":"ipc","ip":"k","key":"","shell_port":1,"control_port":2,"iopub_port":3,"stdin_port":4,"hb_port":5}`,
		`{"shell_port":-1}`, `{"transport":"tcp","ip":"::1","key":5}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "kernel.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadConnection(path)
		if err != nil {
			if !errs.Is(err, errs.Request) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if network, address := c.endpoint(c.ShellPort); (network != "tcp" && network != "unix") || address == "" {
			t.Fatalf("%q listens at %s %s", text, network, address)
		}
	})
}
