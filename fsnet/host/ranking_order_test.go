package host_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/session/sessiontest/fake"
)

// weighing takes its time over the weights, and counts how often it is asked for them.
type weighing struct {
	slowed
	asked *atomic.Int32
}

func (w weighing) Weights() ([]float32, error) {
	w.asked.Add(1)
	time.Sleep(500 * time.Millisecond) // of the test's clock
	return w.slowed.Weights()
}

// The order by which features are completed is made when a session has come to rest, before anybody asks: also of a fork. It holds up
// neither steps that follow one another, nor who asks for the status, and a run that nobody asks during has nothing to do with it.
func TestTheOrderIsThereBeforeTheFirstTab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		h := newHost(t, func(ctx context.Context, s config.Settings, dir string) (host.Training, error) {
			training, err := fake.Open(ctx, s, dir)
			return weighing{slowed{host.Adapt(training), func() time.Duration { return 0 }}, &asked}, err
		})
		defer h.Shutdown()
		settings := endless()
		settings.Epochs, settings.Seed = 1000, 3
		if _, err := h.Open(t.Context(), session.OpenRequest{Session: "leukemia", Config: settings}); err != nil {
			t.Fatal(err)
		}
		rest := func(pause time.Duration) { time.Sleep(pause) }
		step := func(n int) {
			t.Helper()
			if _, err := h.Step(t.Context(), "leukemia", n); err != nil {
				t.Fatal(err)
			}
		}
		first := func(name string) string {
			t.Helper()
			begun := time.Now()
			list, err := h.Features(t.Context(), name, session.FeaturesRequest{Most: 1})
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			if took := time.Since(begun); took > 0 {
				t.Errorf("the names of %s took %s", name, took)
			}
			return list[0]
		}
		rest(time.Second)
		if got := first("leukemia"); got != "gene00" || asked.Load() != 0 {
			t.Errorf("before the first step %s comes first, asked %d times", got, asked.Load())
		}
		for range 5 {
			step(1)
			rest(50 * time.Millisecond)
		}
		if asked.Load() != 0 {
			t.Errorf("asked %d times between steps that follow one another", asked.Load())
		}
		rest(200 * time.Millisecond) // it is being made
		begun := time.Now()
		if status, err := h.Status(t.Context(), "leukemia"); err != nil || status.State != session.Paused || status.Step != 5 ||
			time.Since(begun) > 0 || asked.Load() != 1 {
			t.Errorf("after %s: %+v, %v; asked %d times", time.Since(begun), status, err, asked.Load())
		}
		rest(time.Second)
		if got := first("leukemia"); got != "gene03" || asked.Load() != 1 { // the first selector's
			t.Errorf("after a step %s comes first, asked %d times", got, asked.Load())
		}
		if _, err := h.Run(t.Context(), "leukemia", session.Until{Wait: new(false)}); err != nil {
			t.Fatal(err)
		}
		rest(time.Minute)
		if asked.Load() != 1 {
			t.Errorf("asked %d times during a run in which nobody asks", asked.Load())
		}
		for range 600 { // ten times a second, for a minute
			if _, err := h.Features(t.Context(), "leukemia", session.FeaturesRequest{}); err != nil {
				t.Fatal(err)
			}
			rest(100 * time.Millisecond)
		}
		if asked.Load() < 3 || asked.Load() > 8 {
			t.Errorf("asked %d times, half a second each, in a minute of a run", asked.Load()-1)
		}
		if _, err := h.Pause(t.Context(), "leukemia"); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Rewind(t.Context(), "leukemia", 0); err != nil {
			t.Fatal(err)
		}
		if got := first("leukemia"); got != "gene00" {
			t.Errorf("back at the beginning %s comes first", got)
		}
		step(7)
		if _, err := h.Fork(t.Context(), "leukemia", session.ForkRequest{As: "other", Step: -1}); err != nil {
			t.Fatal(err)
		}
		rest(2 * time.Second)
		for _, name := range []string{"leukemia", "other"} {
			if got := first(name); got != "gene03" {
				t.Errorf("of %s %s comes first", name, got)
			}
		}
	})
}
