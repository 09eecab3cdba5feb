package views

import (
	"context"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// snapshotEntry is the entry of the picture in the module's state.
const snapshotEntry = "snapshot"

const (
	restDelay    = 600 * time.Millisecond // after the last change of a session at rest
	longestDelay = 5 * time.Second        // the longest that repeated changes may delay a picture
	runInterval  = 20 * time.Second       // between two pictures of a run
	runBytes     = 4_000                  // a second, the limit for pictures of a run
	askLimit     = time.Second            // for a session's answer when a picture is drawn
)

// keeper keeps one view's picture in the page. It is safe for concurrent use.
type keeper struct {
	module *ipywidgets.Model
	draw   func() ipywidgets.Bundle
	wake   chan struct{}

	mu    sync.Mutex
	runs  bool // the last change came from a run, so that more will follow soon
	last  ipywidgets.Bundle
	begun int // number of drawings started
	shown int // number of the drawing in last
	stale int // drawings up to this number started before the last change
}

// newKeeper returns a keeper for the picture of module, and starts it. It draws
// some time after each call of changed, until life ends.
func newKeeper(life context.Context, module *ipywidgets.Model, draw func() ipywidgets.Bundle) *keeper {
	k := &keeper{module: module, draw: draw, wake: make(chan struct{}, 1)}
	go k.keep(life)
	return k
}

// changed notes that the view shows something new, and whether more changes
// will follow soon.
func (k *keeper) changed(runs bool) {
	k.mu.Lock()
	k.stale, k.runs = k.begun, runs
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default: // keep has not seen the previous change
	}
}

// keep draws the picture some time after changes and sends it to the page,
// until life ends.
func (k *keeper) keep(life context.Context) {
	timer := time.NewTimer(0)
	<-timer.C
	var first time.Time // time of the first change that isn't drawn, or zero
	interval := runInterval
	for {
		select {
		case <-life.Done():
			return
		case <-k.wake:
			k.mu.Lock()
			runs := k.runs
			k.mu.Unlock()
			waits := !first.IsZero()
			if !waits {
				first = time.Now()
			}
			if !runs {
				timer.Reset(min(restDelay, time.Until(first.Add(longestDelay))))
			} else if !waits {
				timer.Reset(interval)
			}
		case <-timer.C:
			if life.Err() != nil {
				return
			}
			first = time.Time{}
			b, size := k.Picture(), 0
			for _, form := range b.Data {
				if text, ok := form.(string); ok {
					size += len(text)
				}
			}
			interval = max(runInterval, time.Duration(size)*time.Second/runBytes)
			k.module.Set(map[string]any{snapshotEntry: map[string]any{"root": k.module.ID(), "data": b.Data, "metadata": b.Metadata}})
		}
	}
}

// Picture draws the view and returns the drawing. If a later drawing was
// faster, it returns that. A drawing that is only words, as of a closed
// session, doesn't replace one with an image. It may wait askLimit for each
// answer of the session.
func (k *keeper) Picture() ipywidgets.Bundle {
	k.mu.Lock()
	k.begun++
	number := k.begun
	k.mu.Unlock()
	b := k.draw()
	_, drawn := b.Data[chart.MIMEPNG]
	k.mu.Lock()
	defer k.mu.Unlock()
	if number < k.shown { // a later drawing was faster
		return k.last
	}
	k.shown = number
	if _, before := k.last.Data[chart.MIMEPNG]; drawn || !before {
		k.last = b
	}
	return k.last
}

// Last returns the last drawing. If there is none, or if draw is true and the
// view has changed since, it draws first.
func (k *keeper) Last(draw bool) ipywidgets.Bundle {
	k.mu.Lock()
	last, current := k.last, k.shown > k.stale || !draw
	k.mu.Unlock()
	if last.Data != nil && current {
		return last
	}
	return k.Picture()
}

// snapshot returns the picture for readers without widgets. It also replaces
// the view when its kernel is gone, and a line says so. A specification is
// omitted, because front ends would prefer it.
func snapshot(p chart.Picture) ipywidgets.Bundle {
	p = p.Note("a snapshot of a live view: run its cell again to continue")
	return ipywidgets.Bundle{Data: p.Bundle(), Metadata: p.Metadata()}
}

// drawHistory draws the session's history, with the status as its text. If the
// session doesn't answer, it draws what is known; if there are no curves either,
// it returns the status alone.
func (v *View) drawHistory(request session.HistoryRequest, known session.History, draw func(session.History) (chart.Picture, error)) chart.Picture {
	picture := chart.Status(v.Status())
	picture.HTML = "" // a front end would show it instead of the curves
	h, err := ask(v.life, func(ctx context.Context) (session.History, error) { return v.session.History(ctx, request) })
	if err != nil && len(known.Curves) > 0 {
		h, err = known, nil
	}
	if err != nil {
		return picture
	}
	drawn, err := draw(h)
	if err != nil {
		return picture
	}
	drawn.Text = picture.Text
	return drawn
}

// ask asks the session for what a picture needs. After the end of life it
// returns an error at once, and the picture uses what is known.
func ask[T any](life context.Context, question func(context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithTimeout(life, askLimit)
	defer cancel()
	if ctx.Err() != nil {
		return answer, ctx.Err()
	}
	return question(ctx)
}
