package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// delimiter separates the routing frames from the message.
const delimiter = "<IDS|MSG>"

// Reasons for dropping frames.
var (
	ErrMalformed = errors.New("wire: not a Jupyter message")
	ErrSignature = errors.New("wire: the signature does not fit")
	ErrReplay    = errors.New("wire: the same message came before") // returned by a Router, which remembers messages
)

// Codec turns messages into frames and back:
//
//	identities… | <IDS|MSG> | HMAC-SHA256 in hexadecimal | header | parent header | metadata | content | buffers…
type Codec struct {
	key []byte // empty: unsigned
}

// NewCodec returns a codec for a connection's key. An empty key leaves messages
// unsigned and unchecked.
func NewCodec(key string) Codec { return Codec{key: []byte(key)} }

// Encode signs a message and returns its frames.
func (c Codec) Encode(m Message) [][]byte {
	parts := [][]byte{m.HeaderJSON(), orEmpty(m.Parent), orEmpty(m.Metadata), orEmpty(m.Content)}
	frames := make([][]byte, 0, len(m.Identities)+2+len(parts)+len(m.Buffers))
	frames = append(frames, m.Identities...)
	frames = append(frames, []byte(delimiter), c.sign(parts))
	frames = append(frames, parts...)
	return append(frames, m.Buffers...)
}

// Decode checks the form and the signature of frames and returns their message,
// or ErrMalformed or ErrSignature. It doesn't detect repeated messages; a
// Router does. The message shares the frames' memory.
func (c Codec) Decode(frames [][]byte) (Message, error) {
	found := -1
	for i, f := range frames {
		if string(f) == delimiter {
			found = i
			break
		}
	}

	if found < 0 || len(frames) < found+6 {
		return Message{}, ErrMalformed
	}
	signature, parts := frames[found+1], frames[found+2:found+6]
	if c.isSigned() && !hmac.Equal(signature, c.sign(parts)) {
		return Message{}, ErrSignature
	}

	m := Message{
		Identities: frames[:found:found], RawHeader: parts[0], Parent: parts[1], Metadata: parts[2], Content: parts[3], Buffers: frames[found+6:],
		signature: signature,
	}
	for _, part := range parts {
		if part = bytes.TrimLeft(part, " \t\r\n"); len(part) == 0 || part[0] != '{' || !json.Valid(part) {
			return Message{}, ErrMalformed
		}
	}

	m.Header = readHeader(m.RawHeader)
	if m.Header.ID == "" || m.Header.Type == "" {
		return Message{}, ErrMalformed
	}
	return m, nil
}

// readHeader reads the entries it understands. Front ends write dates in many
// ways, and some leave out entries that they don't need.
func readHeader(raw json.RawMessage) Header {
	var entries map[string]json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		return Header{}
	}
	text := func(name string) (s string) {
		json.Unmarshal(entries[name], &s) //nolint:errcheck // "" if it is not text
		return s
	}
	return Header{
		ID: text("msg_id"), Session: text("session"), Username: text("username"), Date: text("date"),
		Type: text("msg_type"), Version: text("version"), Subshell: string(entries["subshell_id"]),
	}
}

// isSigned reports whether messages are signed.
func (c Codec) isSigned() bool { return len(c.key) > 0 }

// sign returns the signature of a message's four parts. It is empty if there is
// no key.
func (c Codec) sign(parts [][]byte) []byte {
	if !c.isSigned() {
		return []byte{}
	}
	mac := hmac.New(sha256.New, c.key)
	for _, part := range parts {
		mac.Write(part)
	}
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}

// orEmpty returns {} if part is missing.
func orEmpty(part json.RawMessage) []byte {
	if len(part) == 0 {
		return []byte("{}")
	}
	return part
}

// replayLength is the number of messages to remember. They take about three
// megabytes, and last for hours of dragging sliders.
const replayLength = 1 << 16

// digest is the first half of a signature, enough to tell messages apart.
type digest [16]byte

// replays remembers the signatures of the last messages, so that an overheard
// message is rejected when it is sent again. The sockets of a kernel share one
// replays, so a message of the shell socket is also rejected on control.
type replays struct {
	mu     sync.Mutex
	length int
	seen   map[digest]struct{}
	ring   []digest
	oldest int // position in ring, once that is full
}

func newReplays(length int) *replays { return &replays{length: length, seen: map[digest]struct{}{}} }

// add remembers a valid signature and reports whether it is new.
func (h *replays) add(signature []byte) bool {
	var d digest
	if _, err := hex.Decode(d[:], signature[:min(len(signature), 2*len(d))]); err != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.seen[d]; known {
		return false
	}
	h.seen[d] = struct{}{}
	if len(h.ring) < h.length {
		h.ring = append(h.ring, d)
		return true
	}
	delete(h.seen, h.ring[h.oldest])
	h.ring[h.oldest] = d
	h.oldest = (h.oldest + 1) % h.length
	return true
}

// refusedPause is the shortest time between two log lines about rejected
// messages, so that flooding a kernel doesn't fill its log.
const refusedPause = 10 * time.Second

// refusals counts rejected messages and logs their number now and then.
type refusals struct {
	log *slog.Logger

	mu     sync.Mutex
	logged time.Time
	recent int // rejected since the last log line
}

// add counts a rejected message. It logs the count unless it did so within
// refusedPause.
func (r *refusals) add(socket string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent++
	if !r.logged.IsZero() && time.Since(r.logged) < refusedPause {
		return
	}
	r.log.Warn("messages were refused: another program uses this kernel's ports or an old connection file",
		"count", r.recent, "last_socket", socket, "last_error", why)
	r.logged, r.recent = time.Now(), 0
}
