package jupyter

import "time"

// Jupyter Server drops what a kernel publishes above a rate. By default the
// rate is 1000 messages and a million bytes of streams per second, averaged
// over three seconds and reset by each idle status. A paced publisher stays
// below it.
const (
	rateWindow  = 3 * time.Second
	maxMessages = 2400      // in a window
	maxStream   = 2_400_000 // bytes of streams in a window
)

// rate counts what was published within the last window.
type rate struct {
	list  []shipment // oldest first
	bytes int
}

type shipment struct {
	at    time.Time
	bytes int
}

// add counts a message and its bytes. bytes should be 0 unless the message
// belongs to a stream.
func (r *rate) add(now time.Time, bytes int) {
	r.forget(now)
	r.list = append(r.list, shipment{now, bytes})
	r.bytes += bytes
}

// exceeded reports whether the next message would come too early.
func (r *rate) exceeded(now time.Time) bool {
	r.forget(now)
	return len(r.list) >= maxMessages || r.bytes >= maxStream
}

// forget drops messages that are older than the window.
func (r *rate) forget(now time.Time) {
	for len(r.list) > 0 && now.Sub(r.list[0].at) >= rateWindow {
		r.bytes -= r.list[0].bytes
		r.list = r.list[1:]
	}
}
