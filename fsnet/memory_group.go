package fsnet

import (
	"context"
	"sort"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// LargestGroup is how many trainings, at most most of them, have room together as a Group, and 1 where not even one has: Open then says
// what would fit.
func LargestGroup(ctx context.Context, backend string, data *dataset.Dataset, settings config.Settings, most int) int {
	return roomFor(ctx, backend).largestGroup(planSizes(data, settings, backend), most)
}

func (r room) largestGroup(s sizes, most int) int {
	return max(1, sort.Search(most, func(n int) bool { return !r.holds(s.together(n + 1)) }))
}

// together is the plan of a group. Each member has its own copy of everything but the program and the data as read. The inputs that a
// step reads are there twice, the member's and the group's; only one member is looked at a time.
func (s sizes) together(members int) MemoryPlan {
	p := s.lines()
	for i := range p.Lines {
		l := &p.Lines[i]
		switch {
		case l.Held || l.When == looking:
		case l.Where == onDevice && l.When == throughout:
			l.Bytes *= 2 * int64(members)
		default:
			l.Bytes *= int64(members)
		}
	}
	p.add(s.backend)
	return p
}
