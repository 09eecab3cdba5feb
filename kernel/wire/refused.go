package wire

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// refusedPause is the least time between two lines about what was refused: whoever floods a kernel does not fill its log.
const refusedPause = 10 * time.Second

// refused counts the arrivals that were no messages, and says so now and then.
type refused struct {
	count atomic.Int64
	log   io.Writer

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
	fmt.Fprintf(r.log, "fsnet kernel: %d refused, the last one on the %s socket: %v. Another program uses this kernel's ports or an old connection file; nothing was done\n",
		r.unsaid, socket, why)
	r.said, r.unsaid = time.Now(), 0
}
