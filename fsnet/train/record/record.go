package record

import "slices"

// Record is what a training has recorded of itself up to a step.
type Record struct {
	epochs []Measures // that are over, by step; of a long training not all: see thin
	looks  []Look     // by step
	now    Mark
}

// Mark is what a record says at a step and cannot be read off what was recorded later.
type Mark struct {
	leaders  leaders
	open     openEpoch
	patience patience
}

// New is the record of a training of k selectors before its first step.
func New(k int) Record { return Record{now: Mark{leaders: newLeaders(k)}} }

// Mark is that of this moment.
func (r *Record) Mark() Mark { return r.now.clone() }

func (m Mark) clone() Mark {
	m.leaders = m.leaders.clone()
	return m
}

// Snapshot is the record at this moment, whatever is recorded later. It copies no more than K numbers: what was recorded only grows at its
// end, beyond what is seen here.
func (r *Record) Snapshot() Record {
	return Record{epochs: slices.Clip(r.epochs), looks: slices.Clip(r.looks), now: r.Mark()}
}

// Until is the record as it was at a step, of which m is the mark.
func (r *Record) Until(step int, m Mark) Record {
	at, _ := slices.BinarySearchFunc(r.looks, step+1, func(l Look, step int) int { return l.Step - step })
	over := epochsBefore(r.epochs, step+1)
	epochs := r.epochs[:over:over]
	if last := m.open.before; last.Step > 0 && (over == 0 || epochs[over-1].Step < last.Step) { // it was thinned out since
		epochs = append(epochs, last)
	}
	return Record{epochs: epochs, looks: r.looks[:at:at], now: m.clone()}
}
