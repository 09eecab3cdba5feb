package autosave

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// bench is a session whose training is a number, and its run directory.
type bench struct {
	*testing.T
	working string
	run     *runs.Directory
	life    context.Context //nolint:containedctx // it ends with the session
	end     context.CancelFunc
	writer  *Writer

	step    int
	running bool
	full    atomic.Bool // nothing can be written; time alone, which orders nothing, may stand between here and the writer
	panics  atomic.Bool // whoever writes
	warned  int
	saved   int // times
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, working: t.TempDir()}
	b.life, b.end = context.WithCancel(t.Context())
	var err error
	if b.run, err = runs.Acquire(b.working, "leukemia"); err != nil {
		t.Fatal(err)
	}
	return b
}

// Status has its settings elsewhere each time.
func (b *bench) Status() session.Status {
	return session.Status{Step: b.step, Config: config.Settings{SplitSeed: new(int64(3))}}
}

func (b *bench) Checkpoint() (func(string) error, error) {
	return func(path string) error {
		b.saved++
		switch {
		case b.panics.Load():
			panic("a mistake")
		case b.full.Load():
			return errors.New("no space left on device")
		}
		return os.WriteFile(path, []byte("parameters"), 0o600)
	}, nil
}

func (b *bench) begin(resumed *session.Status) {
	b.writer = Begin(b.run, resumed, Session{
		Life: b.life, Running: func() bool { return b.running }, Warn: func() { b.warned++ },
		Use: func(work func(Training) error) error { return work(b) },
	})
	synctest.Wait()
}

// goes to a step, which the writer is told.
func (b *bench) goes(step int) {
	b.step = step
	b.writer.Changed()
	synctest.Wait()
}

// has checks which steps were written, the newest first, and what the status says.
func (b *bench) has(warning string, steps ...int) {
	b.Helper()
	files, err := runs.Files(b.run.Path)
	if err != nil {
		b.Fatal(err)
	}
	if len(files) != len(steps) {
		b.Fatalf("%d checkpoints, want those of %v", len(files), steps)
	}
	for i, f := range files {
		if f.Step != steps[i] {
			b.Errorf("checkpoint %d is of step %d, want %d", i, f.Step, steps[i])
		}
	}
	var status session.Status
	b.writer.Show(&status)
	if status.RunDirectory != b.run.Path || !strings.Contains(status.Warning, warning) || (warning == "") != (status.Warning == "") ||
		(len(steps) > 0) != (status.SavedStep != nil) || len(steps) > 0 && *status.SavedStep != steps[0] {
		b.Errorf("the status has %q, %v in %s", status.Warning, status.SavedStep, status.RunDirectory)
	}
}

// At rest every change is written at once, and nothing that was written already.
func TestAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.begin(nil)
		b.has("", 0)
		b.goes(3)
		b.goes(3)
		b.has("", 3, 0)
		if b.saved != 2 {
			t.Errorf("%d checkpoints were written, want 2", b.saved)
		}
		b.end()
		b.step = 5 // after the last news
		if err := b.writer.Close(func(work func(Training) error) error { return work(b) }); err != nil {
			t.Error(err)
		}
		b.has("", 5, 3, 0)
		again, err := runs.Acquire(b.working, "leukemia") // the lock is free
		if err != nil {
			t.Fatal(err)
		}
		again.Release()
	})
}

// During a run there is one every few seconds, and one at its end.
func TestDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.begin(nil)
		b.running = true
		b.goes(10)
		time.Sleep(interval - time.Second)
		b.goes(20)
		b.has("", 0)
		time.Sleep(time.Second)
		synctest.Wait()
		b.has("", 20, 0)
		b.goes(25)
		b.running = false
		b.goes(30)
		b.has("", 30, 20, 0)
		b.end()
		b.writer.Close(func(work func(Training) error) error { return work(b) }) //nolint:errcheck // it is written
	})
}

// What is there already is not written again; the next change is.
func TestResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		if err := b.run.Write(7, func(path string) error { return os.WriteFile(path, []byte("parameters"), 0o600) }); err != nil {
			t.Fatal(err)
		}
		b.step = 7
		resumed := b.Status()
		b.begin(&resumed)
		b.has("", 7)
		if b.saved != 0 {
			t.Error("what is there was written again")
		}
		b.goes(8)
		b.has("", 8, 7)
		b.end()
		b.writer.Close(func(work func(Training) error) error { return work(b) }) //nolint:errcheck // it is written
	})
}

// A disk that is full stops nothing: the status warns, once, until something is written again.
func TestWarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.begin(nil)
		b.full.Store(true)
		b.goes(1)
		b.goes(2)
		b.has("no space left", 0)
		if b.warned != 1 {
			t.Errorf("warned %d times", b.warned)
		}
		b.full.Store(false)
		b.goes(3)
		b.has("", 3, 0)
		b.full.Store(true)
		b.end()
		b.step = 4
		err := b.writer.Close(func(work func(Training) error) error { return work(b) })
		if err == nil || !strings.Contains(err.Error(), "no space left") || b.warned != 2 {
			t.Errorf("%v after %d warnings", err, b.warned)
		}
	})
}

// Once there is room again the checkpoint is written, also of a session that is done: nothing else would begin it.
func TestTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.begin(nil)
		b.full.Store(true)
		b.goes(9)
		b.has("no space left", 0)
		time.Sleep(interval)
		synctest.Wait()
		b.has("no space left", 0)
		b.full.Store(false)
		time.Sleep(interval)
		synctest.Wait()
		b.has("", 9, 0)
		b.end()
		b.writer.Close(func(work func(Training) error) error { return work(b) }) //nolint:errcheck // it is written
	})
}

// A mistake in what writes a checkpoint does not end the process, and all its sessions with it.
func TestAPanicIsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.begin(nil)
		b.panics.Store(true)
		b.goes(1)
		b.has("a mistake", 0)
		b.panics.Store(false)
		b.goes(2)
		b.has("", 2, 0)
		b.end()
		b.writer.Close(func(work func(Training) error) error { return work(b) }) //nolint:errcheck // it is written
	})
}
