package process

import "time"

const (
	settlePause = time.Millisecond
	settleBlind = 100 * time.Millisecond // where the system does not tell who rests
	settleLimit = 2 * time.Second        // a cell that writes without pause leaves GoNB no rest
)

// Settle waits until a process has done what it was about to do, or until over is closed. GoNB sends a question before it listens for the
// answer, and drops one that comes in between, so that its cell would never end; on a busy machine that may be long.
func Settle(id int, over <-chan struct{}) {
	for began := time.Now(); time.Since(began) < settleLimit; {
		switch rests, known := AtRest(id); {
		case rests:
			return
		case !known && time.Since(began) >= settleBlind:
			return
		}
		select {
		case <-time.After(settlePause):
		case <-over:
			return
		}
	}
}
