package train

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/device/devicetest"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// together runs trainings as one group to their ends, and returns who ended with what error.
func together(t testing.TB, members []*Training) map[*Training]error {
	t.Helper()
	g, err := Vectorize(members)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ended := map[*Training]error{}
	for g.Running() > 0 {
		list, err := g.Advance(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if _, before := ended[e.Training]; before {
				t.Error("a training ended twice")
			}
			ended[e.Training] = e.Err
		}
	}
	return ended
}

// Members of a group settle, run out of patience, are observed, recorded and kept as single trainings are, each at its own step. To the
// bit on the Go backend, which adds up a small group's sums as a single training's; elsewhere for as long as rounding has not grown.
func TestMembersEndAsSingleTrainings(t *testing.T) {
	for _, d := range devicetest.All(t) {
		if d.Name == "go" {
			if !testing.Short() { // the race detector's build takes ten times as long to compute in Go
				t.Run("go/settled", func(t *testing.T) { testMembers(t, d, 0, config.Config{Stop: "settled", Epochs: 200}) })
			}
			t.Run("go/patience", func(t *testing.T) { testMembers(t, d, 0, config.Config{Stop: "patience:5", Epochs: 100}) })
		}
		t.Run(d.Name+"/never", func(t *testing.T) { testMembers(t, d, 1e-3, config.Config{Stop: "never", Epochs: 30}) })
	}
}

func testMembers(t *testing.T, d *device.Device, tolerance float64, c config.Config) {
	data := planted(45, 60)
	c.K, c.ValidationFraction, c.Hidden = 2, new(0.2), []int{8, 4}
	var members []*Training
	for r := range 4 {
		c.Seed = int64(r)
		members = append(members, open(t, d, data, c))
	}
	ended := together(t, members)
	steps := map[int]bool{}
	for r, got := range members {
		c.Seed = int64(r)
		alone := open(t, d, data, c)
		run(t, alone)
		if err, left := ended[got]; !left || err != nil {
			t.Errorf("replica %d: left: %v, %v", r, left, err)
		}
		a, b := got.Status(), alone.Status()
		steps[a.Step] = true
		if a.Step != b.Step || a.State != b.State || a.Reason != b.Reason || a.SettledRows != b.SettledRows || got.Stopped() != alone.Stopped() {
			t.Errorf("replica %d is %s (%s) at step %d, alone %s (%s) at step %d", r, a.State, a.Reason, a.Step, b.State, b.Reason, b.Step)
		}
		if !slices.Equal(names(t, got), names(t, alone)) {
			t.Errorf("replica %d selected %v, alone %v", r, names(t, got), names(t, alone))
		}
		sameHistory(t, r, got, alone, tolerance)
		if last := got.checkpoints.list[len(got.checkpoints.list)-1]; last.step == 0 || last.step > a.Step {
			t.Errorf("replica %d: its last checkpoint is of step %d", r, last.step)
		}
		if a.Step < got.Steps() { // out of the group it goes on like any other
			if made, err := got.Advance(t.Context(), 1); made != 1 || err != nil {
				t.Errorf("replica %d cannot go on: %d, %v", r, made, err)
			}
		}
	}
	if c.Stop != "never" && len(steps) < 2 {
		t.Errorf("all ended at the same step, %v: the test is about several", steps)
	}
}

func sameHistory(t *testing.T, r int, got, alone *Training, tolerance float64) {
	t.Helper()
	x, errX := got.History(session.HistoryRequest{})
	y, errY := alone.History(session.HistoryRequest{})
	if errX != nil || errY != nil || !reflect.DeepEqual(x.Events, y.Events) || len(y.Curves) == 0 {
		t.Errorf("replica %d has the events %v, alone %v: %v, %v", r, x.Events, y.Events, errX, errY)
	}
	for name, curve := range y.Curves {
		if !slices.Equal(x.Curves[name].Steps, curve.Steps) {
			t.Errorf("replica %d: %s has points at other steps", r, name)
			continue
		}
		for i, v := range curve.Values {
			if math.Abs(x.Curves[name].Values[i]-v) > tolerance*(1+math.Abs(v)) {
				t.Errorf("replica %d: %s at step %d is %g, alone %g", r, name, curve.Steps[i], x.Curves[name].Values[i], v)
				break
			}
		}
	}
}

// A group that is cancelled leaves its members where they are, and they go on to the same end.
func TestCancelledGroup(t *testing.T) {
	d := devicetest.All(t)[0]
	data := planted(45, 60)
	members := []*Training{open(t, d, data, config.Config{K: 2, Seed: 1, Epochs: 20}),
		open(t, d, data, config.Config{K: 2, Seed: 2, Epochs: 20})}
	g, err := Vectorize(members)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for range 3 {
		if _, err := g.Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	at := members[0].Status().Step
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if ended, err := g.Advance(cancelled); len(ended) > 0 || err != nil || g.Running() != 2 || members[1].Status().Step != at || at == 0 {
		t.Errorf("after the end of the context: %v, %v, %d running, step %d after %d", ended, err, g.Running(), members[1].Status().Step, at)
	}
	alone := open(t, d, data, config.Config{K: 2, Seed: 1, Epochs: 20})
	run(t, alone)
	run(t, members[0])
	if !slices.Equal(names(t, members[0]), names(t, alone)) {
		t.Errorf("%v, alone %v", names(t, members[0]), names(t, alone))
	}
}

func TestGroupRefuses(t *testing.T) {
	d := devicetest.All(t)[0]
	data := planted(45, 60)
	first := open(t, d, data, config.Config{K: 2, Seed: 1})
	ahead := open(t, d, data, config.Config{K: 2, Seed: 2})
	if _, err := ahead.Advance(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*Training{
		"another shape": open(t, d, data, config.Config{K: 3, Seed: 2}),
		"another rate":  open(t, d, data, config.Config{K: 2, Seed: 2, LearningRate: new(0.01)}),
		"another step":  ahead,
	} {
		if _, err := Vectorize([]*Training{first, other}); !fault.Is(err, fault.Request) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Vectorize(nil); !fault.Is(err, fault.Request) {
		t.Errorf("none: %v", err)
	}
}
