package magic

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// brokenHost answers with what no host should: a feature with more counts than bins. Its other verbs panic.
type brokenHost struct{}

func (brokenHost) Call(_ context.Context, _ string, _, result any) error {
	*result.(*session.Feature) = session.Feature{Name: "g", Bins: session.Bins{Edges: []float64{0}, Counts: [][]int{{3, 4}}}}
	return nil
}

func (brokenHost) Watch(ctx context.Context, _ session.WatchRequest, tell func(session.Update)) error {
	for range 3 {
		tell(session.Update{Progress: session.Progress{Verb: "step"}})
	}
	<-ctx.Done()
	return nil
}

// What panics is one error, which says where, and the next line is run.
func TestAPanicIsOneError(t *testing.T) {
	var log strings.Builder
	i := New(Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)), NewID: func() string { return "id" },
		Host: func(context.Context) (session.Caller, error) { return brokenHost{}, nil },
	})
	for line, where := range map[string]string{
		"%fsnet feature leukemia g": "%fsnet feature failed unexpectedly in chart.",
		"%fsnet selection leukemia": "%fsnet selection failed unexpectedly in ",
	} {
		c, err := parse(line)
		if err != nil {
			t.Fatal(err)
		}
		log.Reset()
		err = i.Run(t.Context(), c, &shown{})
		if !fault.Is(err, fault.Failed) || !strings.HasPrefix(err.Error(), where) || !strings.Contains(err.Error(), ".go:") {
			t.Errorf("%s: %v", line, err)
		}
		if !strings.Contains(log.String(), "calls=") {
			t.Errorf("%s: the log has no calls: %q", line, log.String())
		}
	}
}

// Where the drawing of progress panics, the verb does its work and says so; nothing is drawn after it.
func TestProgressThatPanics(t *testing.T) {
	var log strings.Builder
	i := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	drawn, first := 0, make(chan struct{}, 3)
	stop := i.Follow(t.Context(), session.On(brokenHost{}, "leukemia"), func(session.Progress) {
		drawn++
		first <- struct{}{}
		panic("no room for a bar")
	})
	<-first
	err := stop()
	if !fault.Is(err, fault.Failed) ||
		!strings.Contains(err.Error(), "drawing the progress of session leukemia failed unexpectedly in magic.TestProgressThatPanics") ||
		!strings.Contains(err.Error(), "no room for a bar") {
		t.Errorf("%v", err)
	}
	if drawn != 1 || strings.Count(log.String(), "msg=panic") != 1 {
		t.Errorf("drawn %d times, log %q", drawn, log.String())
	}
	if err := i.Follow(t.Context(), session.On(brokenHost{}, "leukemia"), func(p session.Progress) { chart.Progress(p, time.Time{}) })(); err != nil {
		t.Errorf("%v", err)
	}
}

// A command whose messages cannot be drawn does not go on with nobody to stop it.
func TestACommandEndsWhereItsProgressPanics(t *testing.T) {
	directory := t.TempDir()
	i := New(Options{Directory: in(directory)})
	i.program = program(t, "echo $$ >id; echo '{\"done\": 1, \"total\": 2}' >&2; exec sleep 600\n")
	r := &request{Interpreter: i}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		r.child(t.Context(), nil, func(string, json.RawMessage) { panic("no room for a picture") }) //nolint:errcheck // it panics
	}()
	text, err := os.ReadFile(filepath.Join(directory, "id"))
	if err != nil {
		t.Fatal(err)
	}
	if id, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || !errors.Is(syscall.Kill(id, 0), syscall.ESRCH) {
		t.Errorf("process %s goes on, %v", text, err)
	}
}
