package host_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/session"
)

// slowed makes a step in a chunk's time, and takes its time over a selection.
type slowed struct {
	session.Training
	selecting func() time.Duration
}

func (s slowed) Step(ctx context.Context, n int) (int, error) { return s.Advance(ctx, n) }

func (s slowed) Advance(ctx context.Context, _ int) (int, error) {
	time.Sleep(100 * time.Millisecond) // of the test's clock
	return s.Training.Advance(ctx, 1)
}

func (s slowed) Selection() ([]session.Selected, error) {
	time.Sleep(s.selecting())
	return s.Training.Selection()
}

// A run is watched for a minute of the test's clock, on a machine that stalls
// at times: the watcher gets fewer updates during a stall, as many as before a
// moment after it, and the end of the run at once.
func TestWatch_OutlivesStall(t *testing.T) {
	const quick, slow = 2 * time.Millisecond, 500 * time.Millisecond
	for name, c := range map[string]struct {
		from, to time.Duration // the machine stands still: an update takes half a second
		stalls   int           // such updates, at the most
		after    int           // updates in the ten seconds that begin two seconds later, at the least
	}{
		"never":             {0, 0, 0, 45},
		"for a moment":      {20 * time.Second, 20*time.Second + slow, 2, 45},
		"for half a minute": {10 * time.Second, 40 * time.Second, 13, 0},
		"always":            {0, time.Hour, 27, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, stalls := time.Now(), 0
				h := newHost(t, wrapped(func(training session.Training) session.Training {
					return slowed{training, func() time.Duration {
						if now := time.Since(start); now >= c.from && now < c.to {
							stalls++
							return slow
						}
						return quick
					}}
				}))
				must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: endless()}))(t)
				must(session.On(h, "leukemia").Run(t.Context(), session.Until{Wait: new(false)}))(t)
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				after := 0
				var last session.Update
				go func() {
					ended <- session.On(h, "leukemia").Watch(ctx, session.WatchRequest{Selection: true}, func(u session.Update) {
						if now := time.Since(start); now >= c.to+2*time.Second && now < c.to+12*time.Second {
							after++
						}
						last = u
					})

				}()
				time.Sleep(time.Minute)
				paused, err := session.On(h, "leukemia").Pause(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(slow + 200*time.Millisecond)
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if last.Status.Step != paused.Step || last.Status.State != session.Paused {
					t.Errorf("told that it is %s at step %d; it is %s at step %d", last.Status.State, last.Status.Step, paused.State, paused.Step)
				}
				h.Shutdown()
				if stalls > c.stalls || stalls == 0 && c.stalls > 0 || after < c.after {
					t.Errorf("%d updates stalled, want %d at the most; %d in ten seconds after that, want %d", stalls, c.stalls, after, c.after)
				}
			})
		})
	}
}
