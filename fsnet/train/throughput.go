package train

import (
	"time"

	"fsnetlab/fsnet/engine"
)

// throughput measures how long a step takes, to size chunks and to say how long is left.
type throughput struct {
	calls int
	spent time.Duration // on all steps, compilation included
	step  time.Duration // running estimate; 0 before the second call
}

// note takes in a call of count steps. The first compiles and says nothing about a step.
func (p *throughput) note(count int, took time.Duration) {
	p.calls++
	p.spent += took
	if p.calls == 1 {
		return
	}
	now := took / time.Duration(count)
	if p.step == 0 {
		p.step = now
		return
	}
	p.step = (3*p.step + now) / 4
}

// steps is how many steps fit into one chunk. It grows gently from 1, so that one slow call does not make a long one.
func (p *throughput) steps() int {
	if p.calls == 0 {
		return 1
	}
	if p.step == 0 {
		return 8
	}
	return min(max(int(chunkTime/p.step), 1), engine.ChunkCapacity)
}

// perSecond is the present rate, or 0 while it is not known.
func (p *throughput) perSecond() float64 {
	if p.step == 0 {
		return 0
	}
	return float64(time.Second) / float64(p.step)
}
