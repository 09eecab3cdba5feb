package engine

import (
	"context"
	"fmt"
	"sort"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/memory"
)

// LargestVectorized is how many trainings, at most most of them, have room together in one [Vectorized], and 1 where not even one has: Open then
// says what would fit.
func LargestVectorized(ctx context.Context, backend string, data *dataset.Dataset, settings config.Settings, most int) int {
	return roomFor(ctx, backend).largestVectorized(planSizes(data, settings, backend), most)
}

func (r room) largestVectorized(s sizes, most int) int {
	return max(1, sort.Search(most, func(n int) bool { return !r.holds(s.together(n + 1)) }))
}

// together is the plan of such a group. Each member has its own copy of everything but the program and the data as read. The inputs that a
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

// Processes is how many processes, at most most and one at least, have room to train by this plan at the same time, the first of which has
// its program and its data already. why says what each takes, and what there is.
func (p MemoryPlan) Processes(ctx context.Context, most int) (count int, why string) {
	return roomFor(ctx, p.Backend).processes(p, most)
}

func (r room) processes(p MemoryPlan, most int) (count int, why string) {
	count = most
	limit := func(fit, need, have int64, source string) {
		if int64(count) > max(1, fit) {
			count, why = int(max(1, fit)), fmt.Sprintf("each takes %s, and %s are %s", memory.Text(need), memory.Text(have), source)
		}
	}
	if r.host >= 0 {
		limit(1+(r.host-p.ToCome())/max(1, p.Host), p.Host, r.host, r.hostSource)
	}
	if r.device >= 0 && p.Device > 0 {
		limit(r.device/p.Device, p.Device, r.device, r.deviceSource)
	}
	return count, why
}
