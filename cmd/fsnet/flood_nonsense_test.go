package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fsnetlab/internal/rng"
	"fsnetlab/kernel/jupyter"
)

// nonsense makes messages that are none, or hardly, the same ones for the same seed.
type nonsense struct {
	random *rand.Rand
	key    string
	before [][]byte // sent already
}

func newNonsense(seed int64, key string) *nonsense {
	return &nonsense{random: rng.New(seed, "nonsense"), key: key}
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

// The same seed gives the same messages, another one others; a twentieth of them is rightly signed and new.
func TestNonsenseIsAFunctionOfItsSeed(t *testing.T) {
	many := 2000
	if testing.Short() { // the race detector's build signs ten times as long
		many = 400
	}
	first, again, other := newNonsense(1, "key"), newNonsense(1, "key"), newNonsense(2, "key")
	shapes := func(frames [][]byte) []int {
		lengths := make([]int, len(frames))
		for i, f := range frames {
			lengths[i] = len(f)
		}
		return lengths
	}
	good, same := 0, 0
	for i := range many {
		a, right := first.next()
		b, _ := again.next()
		c, _ := other.next()
		if right {
			good++
		}
		if !slices.Equal(shapes(a), shapes(b)) { // ids and dates in them are always new
			t.Fatalf("message %d differs", i)
		}
		if slices.EqualFunc(a, c, bytes.Equal) {
			same++
		}
	}
	if good < many/40 || good > many/10 || same > many/4 {
		t.Errorf("%d of %d are rightly signed, %d are those of another seed", good, many, same)
	}
}
