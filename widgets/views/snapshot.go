package views

import (
	"context"
	"sync"
	"time"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// entry is the name of the picture in the module's state.
const entry = "snapshot"

const (
	rest      = 600 * time.Millisecond // after the last change of a session at rest
	longest   = 5 * time.Second        // that changes which follow each other may put off a picture
	running   = 20 * time.Second       // between two pictures of a run
	allowance = 4_000                  // bytes a second that those of a run take at the most
)

// keeper keeps one view's picture in the page. It may be used from any goroutine.
type keeper struct {
	life    context.Context
	module  *ipywidgets.Model
	picture func() ipywidgets.Bundle

	mu    sync.Mutex
	first time.Time   // change that is not drawn yet
	due   time.Time   // of the timer
	timer *time.Timer // nil where nothing waits
	last  ipywidgets.Bundle
	begun int // drawings, which are numbered by that
	shown int // the number of last
	stale int // drawings up to this one were begun before the last change
	size  int // bytes of the last one that was sent

	drawing bool
	missed  *bool // what Changed was told meanwhile
}

// newKeeper makes one that draws until life ends. module is the view's module in the page.
func newKeeper(life context.Context, module *ipywidgets.Model, picture func() ipywidgets.Bundle) *keeper {
	return &keeper{life: life, module: module, picture: picture}
}

// Changed says that the view shows something new, and whether more will follow soon.
func (k *keeper) Changed(runs bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stale = k.begun
	if k.life.Err() != nil {
		return
	}
	if k.drawing { // when the next one is due depends on the size of this one
		k.missed = &runs
		return
	}
	now := time.Now()
	if k.timer == nil {
		k.first = now
	}
	due := now.Add(max(running, time.Duration(k.size)*time.Second/allowance))
	if !runs {
		due = now.Add(rest)
		if latest := k.first.Add(longest); due.After(latest) {
			due = latest
		}
	}
	switch {
	case k.timer == nil:
		k.timer = time.AfterFunc(due.Sub(now), k.draw)
	case runs: // what waits is soon enough
		return
	default:
		k.timer.Reset(max(0, due.Sub(now)))
	}
	k.due = due
}

func (k *keeper) draw() {
	k.mu.Lock()
	if k.timer == nil { // it was put off when it had begun, and is drawn already
		k.mu.Unlock()
		return
	}
	if time.Now().Before(k.due) && k.life.Err() == nil { // it was put off while it began
		k.timer.Reset(time.Until(k.due))
		k.mu.Unlock()
		return
	}
	k.timer = nil
	if k.life.Err() != nil {
		k.mu.Unlock()
		return
	}
	k.drawing = true
	k.mu.Unlock()
	b := k.Picture()
	size := 0
	for _, form := range b.Data {
		if text, ok := form.(string); ok {
			size += len(text)
		}
	}
	k.mu.Lock()
	missed := k.missed
	k.size, k.drawing, k.missed = size, false, nil
	k.mu.Unlock()
	if missed != nil {
		k.Changed(*missed)
	}
	k.module.Set(map[string]any{entry: map[string]any{"root": k.module.ID(), "data": b.Data, "metadata": b.Metadata}})
}

// Picture is the view as it is now; where it cannot be drawn any more, since its session was closed, as it was drawn last.
func (k *keeper) Picture() ipywidgets.Bundle {
	k.mu.Lock()
	k.begun++
	number := k.begun
	k.mu.Unlock()
	b := k.picture()
	_, drawn := b.Data[chart.MIMEPNG]
	k.mu.Lock()
	defer k.mu.Unlock()
	if number < k.shown { // a later one was quicker
		return k.last
	}
	k.shown = number
	if _, before := k.last.Data[chart.MIMEPNG]; drawn || !before {
		k.last = b
	}
	return k.last
}

// Last is the picture as it was drawn last. Where the view changed since, and draw is true, it is drawn once more.
func (k *keeper) Last(draw bool) ipywidgets.Bundle {
	k.mu.Lock()
	last, current := k.last, k.shown > k.stale || !draw
	k.mu.Unlock()
	if last.Data != nil && current {
		return last
	}
	return k.Picture()
}

// Line stands below each picture.
const Line = "a snapshot of a live view: run its cell again to continue"

// Snapshot is the picture as what stands beside a live view for readers without widgets, and in its place when its kernel has gone: with a
// line that says so, and without a specification, which a front end would prefer to the view.
func Snapshot(p chart.Picture) ipywidgets.Bundle {
	if noted, err := p.Note(Line); err == nil { // else the picture alone is better than none
		p = noted
	}
	p.VegaLite = nil
	return ipywidgets.Bundle{Data: p.Bundle(), Metadata: p.Metadata()}
}

// askLimit is how long a picture may wait for its session.
const askLimit = time.Second

// Ask asks a session for what a picture shows. After the end of life nobody is asked: the picture is drawn from what is known.
func Ask[T any](life context.Context, question func(context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithTimeout(life, askLimit)
	defer cancel()
	if ctx.Err() != nil {
		return answer, ctx.Err()
	}
	return question(ctx)
}
