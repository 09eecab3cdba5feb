package host_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// bench is a session on the test's clock, whose chunks take 0.7 s, and its run.
type bench struct {
	*testing.T
	host   *host.Host
	status session.Status
	full   atomic.Bool // nothing can be written
	panics atomic.Bool // writing does
	saved  atomic.Int32
}

// benched is its training.
type benched struct {
	session.Training
	*bench
}

func (b benched) Step(ctx context.Context, n int) (int, error) { return b.Advance(ctx, n) }

func (b benched) Advance(ctx context.Context, _ int) (int, error) {
	time.Sleep(700 * time.Millisecond)
	return b.Training.Advance(ctx, 1)
}

func (b benched) Checkpoint() (func(string) error, error) {
	save, err := b.Training.Checkpoint()
	return func(path string) error {
		b.saved.Add(1)
		switch {
		case b.panics.Load():
			panic("a mistake")
		case b.full.Load():
			return errors.New("no space left on device")
		}
		return save(path)
	}, err
}

// onBench does a test on the test's clock. Its session is at step 0, of which
// there is a checkpoint.
func onBench(t *testing.T, test func(*bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t}
		b.host = host.New(host.Options{Resume: fake.Resume, Open: wrapped(func(training session.Training) session.Training {
			return benched{training, b}
		})})
		defer b.host.Shutdown()
		b.status = must(session.VerbOpen.Call(t.Context(), b.host, at(t.TempDir(), demo())))(t)
		synctest.Wait()
		test(b)
	})
}

func (b *bench) step(n int) {
	b.Helper()
	must(session.On(b.host, "leukemia").Step(b.Context(), n))(b)
	synctest.Wait()
}

// has checks which steps were written, the newest first, and what the status
// says.
func (b *bench) has(warning string, steps ...int) {
	b.Helper()
	files := must(runs.Files(b.status.RunDirectory))(b)
	if len(files) != len(steps) {
		b.Fatalf("%d checkpoints, want those of %v", len(files), steps)
	}
	for i, f := range files {
		if f.Step != steps[i] {
			b.Errorf("checkpoint %d is of step %d, want %d", i, f.Step, steps[i])
		}
	}
	status := must(session.On(b.host, "leukemia").Status(b.Context()))(b)
	if !strings.Contains(status.Warning, warning) || (warning == "") != (status.Warning == "") || *status.SavedStep != steps[0] {
		b.Errorf("the status has %q, %d", status.Warning, *status.SavedStep)
	}
}

// At rest, every change is written at once, and only once. During a run there
// is a checkpoint every few seconds, and one at its end.
func TestAutosaver_WhenItWrites(t *testing.T) {
	onBench(t, func(b *bench) {
		b.has("", 0)
		b.step(1)
		must(session.On(b.host, "leukemia").Pause(b.Context()))(b)
		synctest.Wait()
		b.has("", 1, 0)
		if saved := b.saved.Load(); saved != 2 {
			b.Errorf("%d checkpoints were written, want 2", saved)
		}
		must(session.On(b.host, "leukemia").Run(b.Context(), session.Until{Step: 20, Wait: new(false)}))(b)
		time.Sleep(4500 * time.Millisecond)
		b.has("", 1, 0)
		time.Sleep(2 * time.Second)
		b.has("", 9, 1, 0)
		time.Sleep(8 * time.Second)
		synctest.Wait()
		b.has("", 20, 17, 9, 1, 0)
	})
}

// A full disk stops nothing: the status warns until something is written. Once
// there is room, the checkpoint is written without another change. A mistake in
// the writer doesn't end the process either.
func TestAutosaver_CannotWrite(t *testing.T) {
	onBench(t, func(b *bench) {
		for warning, fails := range map[string]*atomic.Bool{"no space left": &b.full, "a mistake": &b.panics} {
			before := must(runs.Files(b.status.RunDirectory))(b)[0].Step
			fails.Store(true)
			b.step(1)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if status := must(session.On(b.host, "leukemia").Status(b.Context()))(b); !strings.Contains(status.Warning, warning) || *status.SavedStep != before {
				b.Errorf("the status has %q, %d", status.Warning, *status.SavedStep)
			}
			fails.Store(false)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if status := must(session.On(b.host, "leukemia").Status(b.Context()))(b); status.Warning != "" || *status.SavedStep != before+1 {
				b.Errorf("with room again the status has %q, %d", status.Warning, *status.SavedStep)
			}
		}
	})
}
