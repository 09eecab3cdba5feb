package device

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/internal/stacked"
)

// Lanes makes calls of trainings side by side together, in one program with a leading axis over the
// trainings: an accelerator is as fast with many as with one. A call waits until every lane that
// trains has one. A lane's results depend neither on its place nor on the other lanes, only on the
// number of lanes that the program has.
type Lanes struct {
	on *Device
	n  int

	mu       sync.Mutex
	training int         // lanes that the others wait for
	waiting  []*laneCall // of them
	programs map[string]*stacked.Program
}

// lane is one of Lanes.
type lane struct {
	of       *Lanes
	training bool
}

// Together is a call that lanes may make together.
type Together struct {
	Name  fmt.Stringer                             // the program, for errors
	Key   string                                   // calls of one key, shapes and counts have the same graph
	Build func(inputs []*graph.Node) []*graph.Node // the graph of one call
	Apart func(input int) bool                     // inputs that are on the device
	Kept  int                                      // the first results, which stay on the device
	Args  []any                                    // tensors and scalars; int32 are counts
}

type laneCall struct {
	Together
	inputs  []stacked.Input
	program string // what calls of one program have in common
	counts  string // the values that the calls of a program must share
	results []*tensors.Tensor
	err     error
	done    chan struct{}
}

// NewLanes returns lanes on a device, for n trainings in one program.
func (d *Device) NewLanes(n int) *Lanes {
	return &Lanes{on: d, n: n, programs: map[string]*stacked.Program{}}
}

// Device returns the device as one of the lanes sees it. There must be no more than n at a time.
func (l *Lanes) Device() *Device {
	d := *l.on
	d.lane = &lane{of: l}
	return &d
}

// Close frees the programs. No lane may call them afterwards.
func (l *Lanes) Close() {
	for _, p := range l.programs {
		p.Finalize()
	}
}

// HasLane reports whether calls on the device are made together with those of others.
func (d *Device) HasLane() bool { return d.lane != nil }

// Together makes a call together with those of the other lanes. From now on they wait for this one,
// until [Device.Rest].
func (d *Device) Together(call Together) ([]*tensors.Tensor, error) {
	l, c := d.lane.of, &laneCall{Together: call, program: call.Key, done: make(chan struct{})}
	for i, arg := range call.Args {
		in := stacked.Input{Shape: stacked.ShapeOf(arg), Apart: call.Apart(i)}
		c.inputs = append(c.inputs, in)
		c.program += in.Shape.String()
		if count, is := arg.(int32); is {
			c.counts += fmt.Sprintf(" %d", count)
		}
	}
	d.Join()
	l.mu.Lock()
	l.waiting = append(l.waiting, c)
	l.serve()
	l.mu.Unlock()
	<-c.done
	return c.results, c.err
}

// Join has the other lanes wait for this one until [Device.Rest], before its
// first call. Without a lane it does nothing.
func (d *Device) Join() {
	if d.lane == nil {
		return
	}
	l := d.lane.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if !d.lane.training {
		d.lane.training = true
		l.training++
	}
}

// Rest has the other lanes no longer wait for this one. Without a lane it does nothing.
func (d *Device) Rest() {
	if d.lane == nil || !d.lane.training {
		return
	}
	l := d.lane.of
	l.mu.Lock()
	defer l.mu.Unlock()
	d.lane.training = false
	l.training--
	l.serve()
}

// serve makes the calls that wait, if no lane that trains is without one. The caller has locked mu.
func (l *Lanes) serve() {
	if len(l.waiting) < l.training || len(l.waiting) == 0 {
		return
	}
	groups := map[string][]*laneCall{}
	for _, c := range l.waiting {
		key := c.program + c.counts
		groups[key] = append(groups[key], c)
	}
	l.waiting = nil
	for _, group := range groups {
		for calls := range slices.Chunk(group, l.n) {
			l.make(calls)
		}
	}
}

// make makes calls of one program and the same counts.
func (l *Lanes) make(calls []*laneCall) {
	var results [][]*tensors.Tensor
	first := calls[0]
	err := Guard(first.Name, func() (err error) {
		program := l.programs[first.program]
		if program == nil {
			if program, err = stacked.Compile(l.on.backend, first.Name.String(), l.n, first.inputs, first.Kept, first.Build); err != nil {
				return err
			}
			l.programs[first.program] = program
		}
		args := make([][]any, len(calls))
		for i, c := range calls {
			args[i] = c.Args
		}
		results, err = program.Call(args)
		return err
	})
	for i, c := range calls {
		if c.err = err; err == nil {
			c.results = results[i]
		}
		close(c.done)
	}
}
