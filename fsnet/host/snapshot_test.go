package host_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// gated makes a chunk each time it is let.
type gated struct {
	session.Training
	entered, let chan struct{}
}

func (g gated) Step(ctx context.Context, n int) (int, error) { return g.Advance(ctx, n) }

func (g gated) Advance(ctx context.Context, n int) (int, error) {
	g.entered <- struct{}{}
	<-g.let
	return g.Training.Advance(ctx, min(n, 3))
}

// While a chunk is made, a status, a history and names of features are answered
// at once, as of the end of the chunk before. What set and evaluate did between
// two chunks is visible during the next.
func TestStatus_DoesNotWaitForChunk(t *testing.T) {
	entered, let := make(chan struct{}), make(chan struct{})
	h := newHost(t, wrapped(func(training session.Training) session.Training { return gated{training, entered, let} }))
	open := session.OpenRequest{Session: "leukemia", Config: endless()}
	must(session.VerbOpen.Call(t.Context(), h, open))(t)
	for made := 0; made < 9; made += 3 {
		ended := make(chan error, 1)
		go func() {
			_, err := session.On(h, "leukemia").Step(context.Background(), 3)
			ended <- err
		}()
		<-entered
		for name, ask := range map[string]func() (session.Status, error){
			"status": func() (session.Status, error) { return session.On(h, "leukemia").Status(t.Context()) },
			"open":   func() (session.Status, error) { return session.VerbOpen.Call(t.Context(), h, open) },
			"sessions": func() (session.Status, error) {
				list, err := session.VerbSessions.Call(t.Context(), h, session.None{})
				if len(list) != 1 {
					return session.Status{}, fmt.Errorf("%d sessions", len(list))
				}
				return list[0], err
			},
		} {
			now, err := ask()
			if err != nil || now.Step != made || now.State != session.Running || now.Session != "leukemia" || now.TestLooks != made/3 ||
				(made > 0 && now.Config.Lambda != float64(made-2)) {
				t.Errorf("%s: %s at step %d of λ = %g, want step %d; %v", name, now.State, now.Step, now.Config.Lambda, made, err)
			}
		}
		history, err := session.On(h, "leukemia").History(t.Context(), session.HistoryRequest{Metrics: []string{"loss"}})
		if err != nil || history.Step != made || history.Session != "leukemia" || len(history.Events) != 1+made/3 || len(history.Curves) != 1 {
			t.Errorf("the history is of step %d with %d events, want step %d; %v", history.Step, len(history.Events), made, err)
		}
		if _, err := session.On(h, "leukemia").History(t.Context(), session.HistoryRequest{Metrics: []string{"los"}}); err == nil {
			t.Error("an unknown metric is no error")
		}
		if list, err := session.VerbFeatures.Call(t.Context(), h, session.FeaturesRequest{Session: "leukemia", Prefix: "gene1"}); err != nil || len(list) != 10 {
			t.Errorf("the features are %q, %v", list, err)
		}
		let <- struct{}{}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if last, err := session.On(h, "leukemia").Status(t.Context()); err != nil || last.Step != made+3 || last.State != session.Paused {
			t.Errorf("it ended %s at step %d, %v", last.State, last.Step, err)
		}
		must(session.On(h, "leukemia").Set(t.Context(), session.Config{Lambda: new(float64(made + 1))}))(t)
		must(session.On(h, "leukemia").Evaluate(t.Context(), "test"))(t)
	}
}

// counted counts how often it is asked for its status.
type counted struct {
	session.Training
	asked *atomic.Int64
}

func (c counted) Status() session.Status {
	c.asked.Add(1)
	return c.Training.Status()
}

// TestStep_AsksForOneStatus ensures that a step asks its training for one
// status, and that what changes between two steps is in the next.
func TestStep_AsksForOneStatus(t *testing.T) {
	var asked atomic.Int64
	h := newHost(t, wrapped(func(training session.Training) session.Training { return counted{training, &asked} }))
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: endless()}))(t)
	s := session.On(h, "leukemia")
	for i := range 3 {
		before := asked.Load()
		if status := must(s.Step(t.Context(), 1))(t); status.Step != i+1 {
			t.Fatalf("%+v", status)
		}
		if n := asked.Load() - before; n != 1 {
			t.Errorf("step %d asked for %d statuses", i+1, n)
		}
	}
	must(s.Set(t.Context(), config.Config{Lambda: new(0.5)}))(t)
	if status := must(s.Status(t.Context()))(t); status.Config.Lambda != 0.5 {
		t.Errorf("lambda is %g after it was set", status.Config.Lambda)
	}
}
