package jupyter

import (
	"encoding/hex"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// replayLength is how many messages are remembered, in about three megabytes: hours of somebody who drags sliders.
const replayLength = 1 << 16

// digest is the first half of a signature, which is enough to tell messages apart.
type digest [16]byte

// replays remembers the last messages by their signatures, so that one that was overheard and is sent again is refused. The three
// sockets of a kernel share one: a message of the shell socket is refused on control, too.
type replays struct {
	mu     sync.Mutex
	length int
	seen   map[digest]struct{}
	ring   []digest
	oldest int // in ring, once that is full
}

func newReplays(length int) *replays { return &replays{length: length, seen: map[digest]struct{}{}} }

// add remembers a signature that was found to fit, and reports whether it is new.
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

// refusedPause is the least time between two lines about what was refused: whoever floods a kernel does not fill its log.
const refusedPause = 10 * time.Second

// refused counts the arrivals that were no messages, and says so now and then.
type refused struct {
	count atomic.Int64
	log   *slog.Logger

	mu     sync.Mutex
	said   time.Time
	unsaid int64
}

// add counts one and reports it, unless something was reported a moment ago.
func (r *refused) add(socket string, why error) {
	r.count.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unsaid++
	if !r.said.IsZero() && time.Since(r.said) < refusedPause {
		return
	}
	r.log.Warn("messages were refused: another program uses this kernel's ports or an old connection file",
		"count", r.unsaid, "last_socket", socket, "last_error", why)
	r.said, r.unsaid = time.Now(), 0
}
