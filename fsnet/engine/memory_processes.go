package engine

import (
	"context"
	"fmt"

	"fsnetlab/internal/memory"
)

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
