package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fsnetlab/internal/num"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// FSNET_TEST_FLOOD messages that are malformed, wrongly signed, replayed or
// senseless (10,000 by default), and peers that don't speak the protocol at
// all, leave a kernel that answers as before and hasn't grown. FSNET_TEST_SEED
// makes other ones.
func TestBenchKernel_Flood(t *testing.T) {
	skipWithoutProc(t)
	messages := 10_000
	if testing.Short() {
		messages = 1000
	}
	messages = fromEnvironment(t, "FSNET_TEST_FLOOD", messages)
	k := newTestKernel(t)
	k.warm(t)
	if err := flood(t, k, messages, int64(fromEnvironment(t, "FSNET_TEST_SEED", 1))); err != nil {
		t.Fatal(err)
	}
	answer, err := k.front.Execute(t.Context(), "%fsnet status")
	if shown := answer.Of("display_data"); err != nil || len(shown) == 0 || !strings.Contains(string(shown[0].Content), benchSession) {
		t.Errorf("the session's status is %v, %v", shown, err)
	}
	log, err := os.ReadFile(k.log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), "\n"); n == 0 || n > 30 || !strings.Contains(string(log), "refused") ||
		strings.Contains(string(log), "goroutine") {
		t.Errorf("the log has %d lines: %.2000s", n, log)
	}
}

// flood sends a kernel messages that are malformed, wrongly signed, replayed or senseless, and lets strangers call at its ports; then it
// asks again. Memory and threads are held against those after a quarter of the messages, since what comes first fills pools and buffers; a
// Go program's heap breathes between two collections, and its threads are kept.
func flood(t *testing.T, k *testKernel, messages int, seed int64) error {
	const moreMB, moreThreads = 25.0, 8
	ctx := t.Context()
	client, err := jupyter.Dial(ctx, k.connection)
	if err != nil {
		return err
	}
	defer client.Close()
	go drain(client)
	n := newNonsense(seed, k.connection.Key)
	before, err := settled(ctx, k.front, k.id())
	early, signed := before, 0
	for i := 0; i < messages && err == nil; i++ {
		if i == messages/4 {
			if early, err = settled(ctx, k.front, k.id()); err != nil {
				return err
			}
		}
		frames, good := n.next()
		if good {
			signed++
		}
		if err = client.SendFrames(frames); err == nil && i%50 == 0 {
			err = strangers(ctx, k.connection, n)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if err != nil {
		return err
	}
	after, err := settled(ctx, k.front, k.id())
	if err != nil {
		return err
	}
	t.Logf("%d messages, %d of them signed; %d files before, %d after; %.1f MB after a quarter, %.1f MB after", messages, signed, before.Files,
		after.Files, early.MB, after.MB)
	if after.Files > before.Files || after.Threads > early.Threads+moreThreads || after.MB > early.MB+moreMB || signed == 0 || signed > messages/10 {
		return fmt.Errorf("it grew, from %+v over %+v to %+v, or %d messages were signed", before, early, after, signed)
	}
	return nil
}

// drain reads what the kernel answers to nonsense: nobody else does.
func drain(client *jupyter.Client) {
	for {
		select {
		case <-client.Shell():
		case <-client.IOPub():
		case <-client.Ended():
			return
		}
	}
}

// strangers connect to each port and say something else.
func strangers(ctx context.Context, c jupyter.Connection, n *nonsense) error {
	for _, port := range []int{c.ShellPort, c.ControlPort, c.IOPubPort, c.StdinPort, c.HeartbeatPort} {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port)))
		if err != nil {
			return err
		}
		conn.Write(n.bytes(n.random.IntN(300))) //nolint:errcheck // it may be shown the door
		conn.Close()
	}
	return nil
}

// settled waits until the kernel has dealt with all that was sent, and gives what it has then.
func settled(ctx context.Context, front *fronttest.Front, id int) (inUse, error) {
	if err := ask(ctx, front, "kernel_info_request", nil); err != nil {
		return inUse{}, err
	}
	if err := ask(ctx, front, "execute_request", jupyter.ExecuteRequest{Code: "%fsnet version", StoreHistory: true}); err != nil {
		return inUse{}, err
	}
	for before := inUseOf(id); ; { // connections of strangers that are being closed
		select {
		case <-ctx.Done():
			return inUse{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		now := inUseOf(id)
		if now.Processes == 0 {
			return now, fmt.Errorf("the kernel has ended")
		}
		if now.Files >= before.Files {
			return now, nil
		}
		before = now
	}
}

// ask waits for an answer that says ok.
func ask(ctx context.Context, front *fronttest.Front, messageType string, content any) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	answer, err := front.Ask(limited, messageType, content)
	if err != nil {
		return fmt.Errorf("the kernel does not answer: %w", err)
	}
	var reply jupyter.ErrorReply
	if err := answer.Reply.Decode(&reply); err != nil {
		return err
	}
	if reply.Status != "ok" {
		return fmt.Errorf("%s: %s", messageType, reply.Value)
	}
	return nil
}

// answerLimit is how long anything may take before it is said to hang.
const answerLimit = time.Minute

// nonsense makes messages that are none, or hardly, the same ones for the same seed.
type nonsense struct {
	random *rand.Rand
	key    string
	before [][]byte // sent already
}

func newNonsense(seed int64, key string) *nonsense {
	return &nonsense{random: num.RNG(seed, "nonsense"), key: key}
}

// next gives the frames of one arrival, and whether it is rightly signed and new.
func (n *nonsense) next() (frames [][]byte, good bool) {
	signed := func(m jupyter.Message) [][]byte { return jupyter.NewCodec(n.key).Encode(m) }
	switch n.random.IntN(20) {
	case 0, 1, 2: // by another key
		return jupyter.NewCodec("another key").Encode(n.request()), false
	case 3: // by none
		return jupyter.NewCodec("").Encode(n.request()), false
	case 4, 5, 6: // cut short
		all := signed(n.request())
		return all[:1+n.random.IntN(4)], false
	case 7, 8, 9: // one bit is another one
		all := slices.Clone(signed(n.request()))
		at := 1 + n.random.IntN(5) // the delimiter it leaves
		all[at] = bytes.Clone(all[at])
		all[at][n.random.IntN(len(all[at]))] ^= 1 << n.random.IntN(8)
		return all, false
	case 10, 11, 12: // anything
		for range 1 + n.random.IntN(12) {
			frames = append(frames, n.bytes(n.random.IntN(200)))
		}
		return frames, false
	case 13: // anything, in the form of a message
		return append([][]byte{[]byte("<IDS|MSG>")}, n.bytes(64), n.bytes(30), n.bytes(2), n.bytes(2), n.bytes(9)), false
	case 14: // very many frames
		for range n.random.IntN(500) {
			frames = append(frames, n.bytes(n.random.IntN(3)))
		}
		return append(frames, []byte("end")), false
	case 15: // a long one
		return [][]byte{n.bytes(n.random.IntN(1 << 20))}, false
	case 16, 17: // overheard
		if n.before != nil {
			return n.before, false
		}
		return [][]byte{{}}, false
	case 18: // signed, but no message
		m := n.request()
		m.Content = json.RawMessage(n.bytes(10))
		if json.Valid(m.Content) && bytes.HasPrefix(m.Content, []byte("{")) {
			return [][]byte{{}}, false
		}
		return signed(m), false
	}
	n.before = signed(n.request())
	return n.before, true
}

func (n *nonsense) bytes(length int) []byte {
	b := make([]byte, length)
	for i := range b {
		b[i] = byte(n.random.UintN(256))
	}
	return b
}

// request is a message of a type that the kernel may know, whose content makes no sense.
func (n *nonsense) request() jupyter.Message {
	types := []string{
		"execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request",
		"kernel_info_request",
		"comm_open", "comm_msg", "comm_close", "interrupt_request", "input_reply", "debug_request", "", "status", "\x00",
		strings.Repeat("x", 3000),
	}
	content := map[string]any{}
	for _, key := range []string{"code", "silent", "cursor_pos", "comm_id", "target_name", "data", "hist_access_type", "n", "start", "stop",
		"user_expressions", "value"} {
		if n.random.IntN(3) > 0 {
			content[key] = n.value(3)
		}
	}
	return jupyter.NewMessage("s", types[n.random.IntN(len(types))], content)
}

func (n *nonsense) value(depth int) any {
	switch which := n.random.IntN(9); {
	case which == 0:
		return nil
	case which == 1:
		return n.random.IntN(2) == 0
	case which == 2:
		return n.random.Float64() * 1e300
	case which == 3:
		return -n.random.IntN(1 << 40)
	case which < 6:
		return string(bytes.ToValidUTF8(n.bytes(n.random.IntN(40)), []byte("%fsnet step\n")))
	case which == 6:
		return []string{"%fsnet ", "%fsnet open x data=", "%%", "%fsnet help\n%fsnet " + strings.Repeat("a", 5000), strings.Repeat("(", 5000),
			"jupyter.widget", "tail"}[n.random.IntN(7)]
	case depth > 0 && which == 7:
		return []any{n.value(depth - 1), n.value(depth - 1)}
	case depth > 0:
		return map[string]any{"method": n.value(depth - 1), "state": n.value(depth - 1)}
	}
	return 0
}
