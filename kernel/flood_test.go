package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fsnetlab/kernel/wire"
)

// flood makes messages that are none, or hardly, the same ones for the same seed.
type flood struct {
	random *rand.Rand
	key    string
	before [][]byte // sent already
}

// next gives the frames of one arrival, and whether it is rightly signed and new.
func (f *flood) next() (frames [][]byte, good bool) {
	signed := func(m wire.Message) [][]byte { return wire.NewCodec(f.key).Encode(m) }
	switch f.random.IntN(20) {
	case 0, 1, 2: // by another key
		return wire.NewCodec("another key").Encode(f.request()), false
	case 3: // by none
		return wire.NewCodec("").Encode(f.request()), false
	case 4, 5, 6: // cut short
		all := signed(f.request())
		return all[:1+f.random.IntN(4)], false
	case 7, 8, 9: // one bit is another one
		all := slices.Clone(signed(f.request()))
		at := 1 + f.random.IntN(5) // the delimiter it leaves
		all[at] = bytes.Clone(all[at])
		all[at][f.random.IntN(len(all[at]))] ^= 1 << f.random.IntN(8)
		return all, false
	case 10, 11, 12: // anything
		for range 1 + f.random.IntN(12) {
			frames = append(frames, f.bytes(f.random.IntN(200)))
		}
		return frames, false
	case 13: // anything, in the form of a message
		return append([][]byte{[]byte("<IDS|MSG>")}, f.bytes(64), f.bytes(30), f.bytes(2), f.bytes(2), f.bytes(9)), false
	case 14: // very many frames
		for range f.random.IntN(500) {
			frames = append(frames, f.bytes(f.random.IntN(3)))
		}
		return append(frames, []byte("end")), false
	case 15: // a long one
		return [][]byte{f.bytes(f.random.IntN(1 << 20))}, false
	case 16, 17: // overheard
		if f.before != nil {
			return f.before, false
		}
		return [][]byte{{}}, false
	case 18: // signed, but no message
		m := f.request()
		m.Content = json.RawMessage(f.bytes(10))
		if json.Valid(m.Content) && bytes.HasPrefix(m.Content, []byte("{")) {
			return [][]byte{{}}, false
		}
		return signed(m), false
	}
	f.before = signed(f.request())
	return f.before, true
}

func (f *flood) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(f.random.UintN(256))
	}
	return b
}

// request is a message of a type that the kernel may know, whose content makes no sense.
func (f *flood) request() wire.Message {
	types := []string{
		"execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request", "kernel_info_request",
		"comm_open", "comm_msg", "comm_close", "interrupt_request", "input_reply", "debug_request", "", "status", "\x00", strings.Repeat("x", 3000),
	}
	content := map[string]any{}
	for _, key := range []string{"code", "silent", "cursor_pos", "comm_id", "target_name", "data", "hist_access_type", "n", "start", "stop", "user_expressions", "value"} {
		if f.random.IntN(3) > 0 {
			content[key] = f.value(3)
		}
	}
	return wire.NewMessage("s", types[f.random.IntN(len(types))], content)
}

func (f *flood) value(depth int) any {
	switch n := f.random.IntN(9); {
	case n == 0:
		return nil
	case n == 1:
		return f.random.IntN(2) == 0
	case n == 2:
		return f.random.Float64() * 1e300
	case n == 3:
		return -f.random.IntN(1 << 40)
	case n < 6:
		return string(bytes.ToValidUTF8(f.bytes(f.random.IntN(40)), []byte("%fsnet step\n")))
	case n == 6:
		return []string{"%fsnet ", "%fsnet open x data=", "%%", "%fsnet help\n%fsnet " + strings.Repeat("a", 5000), strings.Repeat("(", 5000), "jupyter.widget", "tail"}[f.random.IntN(7)]
	case depth > 0 && n == 7:
		return []any{f.value(depth - 1), f.value(depth - 1)}
	case depth > 0:
		return map[string]any{"method": f.value(depth - 1), "state": f.value(depth - 1)}
	}
	return 0
}

// 10,000 arrivals that are malformed, wrongly signed, replayed or senseless, and peers that do not speak the protocol at all, leave a
// kernel that answers as before and has grown in nothing. FSNET_TEST_SEED makes other ones.
func TestAFloodOfNonsense(t *testing.T) {
	l, pid := newProcessLab(t, withoutGo+"=1")
	usage(t, pid) // or skip
	seed := uint64(1)
	if text := os.Getenv("FSNET_TEST_SEED"); text != "" {
		seed = uint64(atoi(t, text))
	}
	f := &flood{random: rand.New(rand.NewPCG(seed, 0)), key: l.connection.Key}
	client, err := wire.Dial(l.context(), l.connection)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	go func() { // nobody reads the answers otherwise
		for {
			select {
			case <-client.Shell():
			case <-client.IOPub():
			case <-client.Ended():
				return
			}
		}
	}()
	l.ok(openShort)
	arrivals := 10_000
	if testing.Short() {
		arrivals = 1000
	}
	good := 0
	var early use
	for n := range arrivals {
		if n == arrivals/4 {
			l.settle(pid)
			early = usage(t, pid)
		}
		frames, right := f.next()
		if right {
			good++
		}
		if err := client.SendFrames(frames); err != nil {
			t.Fatalf("arrival %d of seed %d: %v", n, seed, err)
		}
		if n%50 == 0 {
			l.strangers(f)
		}
	}
	l.settle(pid)
	late := usage(t, pid)
	t.Logf("seed %d: %d rightly signed among %d; a quarter in %+v, at the end %+v", seed, good, arrivals, early, late)
	if late.files > early.files || late.threads > early.threads+8 || late.memory > early.memory+24<<20 {
		t.Errorf("from %+v the kernel has grown to %+v", early, late)
	}
	var waits []time.Duration
	for range 101 {
		began := time.Now()
		l.ask("kernel_info_request", nil)
		waits = append(waits, time.Since(began))
	}
	slices.Sort(waits)
	t.Logf("afterwards it answers in %v (median), %v at most", waits[len(waits)/2], waits[len(waits)-1])
	if r := l.ok("%fsnet status"); !strings.Contains(r.texts()[0], "leukemia") {
		t.Errorf("%q", r.texts())
	}
	log, err := os.ReadFile(l.log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), "\n"); n == 0 || n > 30 || !strings.Contains(string(log), "refused") || strings.Contains(string(log), "goroutine") {
		t.Errorf("the log has %d lines: %.2000s", n, log)
	}
}

// strangers connect to each port and say something else.
func (l *lab) strangers(f *flood) {
	l.Helper()
	c := l.connection
	for _, port := range []int{c.ShellPort, c.ControlPort, c.IOPubPort, c.StdinPort, c.HeartbeatPort} {
		conn, err := net.Dial("tcp", net.JoinHostPort(c.IP, strconv.Itoa(port)))
		if err != nil {
			l.Fatal(err)
		}
		conn.Write(f.bytes(f.random.IntN(300))) //nolint:errcheck // it may be shown the door
		conn.Close()
	}
}

// settle waits until the kernel has dealt with all that was sent.
func (l *lab) settle(pid int) {
	l.Helper()
	l.ask("kernel_info_request", nil)
	l.ok("%fsnet version")
	for before := usage(l.T, pid).files; ; { // connections of strangers that are being closed
		time.Sleep(20 * time.Millisecond)
		now := usage(l.T, pid).files
		if now >= before {
			return
		}
		before = now
	}
}

// use is what a process has of the machine.
type use struct {
	files, threads int
	memory         int // bytes
}

func usage(t *testing.T, pid int) use {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	status, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	u := use{files: len(files)}
	for line := range strings.SplitSeq(string(status), "\n") {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "Threads":
			u.threads = atoi(t, strings.TrimSpace(value))
		case "VmRSS":
			u.memory = atoi(t, strings.TrimSpace(strings.TrimSuffix(value, "kB"))) << 10
		}
	}
	return u
}
