package host_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// keeping is a host that keeps checkpoints.
func keeping(t testing.TB) *host.Host {
	h := host.New(host.Options{Open: fake.Open, Resume: fake.Resume})
	t.Cleanup(h.Shutdown)
	return h
}

// at opens a session with its run in a directory.
func at(directory string, c session.Config) session.OpenRequest {
	return session.OpenRequest{Session: "leukemia", Config: c, Directory: directory}
}

func demo() session.Config {
	return session.Config{Data: "planted", K: 3, Epochs: 1000, Stop: "never"}
}

func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// If a closed session is asked for, the error says that its run is saved, also
// in a directory that isn't the host's, and of no run in another directory.
func TestHost_KnowsSavedRuns(t *testing.T) {
	ctx, h := t.Context(), keeping(t)
	must(session.VerbOpen.Call(ctx, h, at(t.TempDir(), demo())))(t)
	must(struct{}{}, session.On(h, "leukemia").Close(ctx))(t)
	if _, err := session.On(h, "leukemia").Status(ctx); err == nil || !strings.Contains(err.Error(), "its checkpoints are there") {
		t.Error(err)
	}
	_, err := session.VerbOpen.Call(ctx, h, session.OpenRequest{Session: "leukemia", Attach: true, Directory: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "there is no session") {
		t.Error(err)
	}
}

// A session outlives its host: the next host resumes it where it was, with its
// past, its looks at the test rows and its live keys.
func TestHost_SessionsOutliveIt(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	h := keeping(t)
	must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	must(session.On(h, "leukemia").Step(ctx, 30))(t)
	must(session.On(h, "leukemia").Set(ctx, session.Config{Lambda: new(0.25)}))(t)
	must(session.On(h, "leukemia").Evaluate(ctx, "test"))(t)
	before := must(session.On(h, "leukemia").Step(ctx, 12))(t)
	history := must(session.On(h, "leukemia").History(ctx, session.HistoryRequest{}))(t)
	h.Shutdown()

	h = keeping(t)
	if _, err := session.On(h, "leukemia").Status(ctx); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
	status := must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	if status.Step != 42 || status.Loss != before.Loss || status.State != session.Paused || status.Config.Lambda != 0.25 ||
		status.TestLooks != 1 ||
		status.SavedStep == nil || *status.SavedStep != 42 ||
		!strings.HasPrefix(status.Reason, "continued at step 42 from "+status.RunDirectory) ||
		status.RunDirectory != filepath.Join(directory, ".fsnet", "runs", "leukemia") {
		t.Errorf("%+v", status)
	}
	if again := must(session.On(h, "leukemia").History(ctx, session.HistoryRequest{}))(t); len(again.Events) != len(history.Events) {
		t.Errorf("%+v", again.Events)
	}
	if status = must(session.On(h, "leukemia").Step(ctx, 1))(t); status.Step != 43 || status.Reason != "" {
		t.Errorf("%+v", status)
	}
	must(session.On(h, "leukemia").Rewind(ctx, 43))(t) // to where it stands
	known := must(session.On(h, "leukemia").History(ctx, session.HistoryRequest{}))(t).Events
	h.Shutdown()
	h = keeping(t)
	must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	if again := must(session.On(h, "leukemia").History(ctx, session.HistoryRequest{}))(t).Events; len(again) != len(known) {
		t.Errorf("after a rewind to where it stands it is taken up with %+v, not with %+v", again, known)
	}
	if status = must(session.On(h, "leukemia").Rewind(ctx, 20))(t); status.Config.Lambda != 1 {
		t.Errorf("%+v", status)
	}
	h.Shutdown()
	h = keeping(t) // by its name alone
	if status := must(session.VerbOpen.Call(ctx, h, session.OpenRequest{Session: "leukemia", Attach: true, Directory: directory}))(t); status.Step != 20 ||
		status.Config.Lambda != 1 {
		t.Errorf("%+v", status)
	}
}

// A saved run and the request must agree, as with an open session. replace
// starts over.
func TestOpen_RejectsOtherSettings(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	h := keeping(t)
	must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	must(session.On(h, "leukemia").Step(ctx, 30))(t)
	must(struct{}{}, session.On(h, "leukemia").Close(ctx))(t)

	other := demo()
	other.K, other.Seed = 5, 9
	_, err := session.VerbOpen.Call(ctx, h, at(directory, other))
	if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "k is 3, not 5") || !strings.Contains(err.Error(), "replace=true to start over") ||
		strings.Contains(err.Error(), "is open") {
		t.Error(err)
	}
	live := demo()
	live.Lambda = new(7.0) // a live key belongs to the timeline: the run is open then, and the remedy sets it
	if _, err := session.VerbOpen.Call(ctx, h, at(directory, live)); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "lambda is 1 here, not 7") {
		t.Errorf("a live key is ignored: %v", err)
	}
	if status := must(session.On(h, "leukemia").Status(ctx))(t); status.Step != 30 || status.Config.Lambda != 1 {
		t.Errorf("it stands at step %d with lambda %g", status.Step, status.Config.Lambda)
	}
	request := at(directory, other)
	request.Replace = true
	if status := must(session.VerbOpen.Call(ctx, h, request))(t); status.Step != 0 || status.Config.K != 5 { // over an open one
		t.Errorf("%+v", status)
	}
	must(session.On(h, "leukemia").Step(ctx, 3))(t)
	h.Shutdown()
	h = keeping(t)
	request = at(directory, demo())
	request.Replace = true
	if status := must(session.VerbOpen.Call(ctx, h, request))(t); status.Step != 0 || status.Config.K != 3 { // over one on the disk
		t.Errorf("%+v", status)
	}
	h.Shutdown()
	h = keeping(t)
	if status := must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t); status.Step != 0 || status.Config.K != 3 {
		t.Errorf("%+v", status)
	}
}

// A damaged checkpoint is named and the one before it is used. If none is
// whole, the remedy is to start over.
func TestOpen_DamagedRun(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	h := keeping(t)
	path := must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t).RunDirectory
	for range 3 {
		n := must(session.On(h, "leukemia").Step(ctx, 40))(t).Step
		waitFor(t, h, "leukemia", func(s session.Status) bool { return s.SavedStep != nil && *s.SavedStep == n })
	}
	h.Shutdown()
	files := must(runs.Files(path))(t)
	damage := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage(files[0].Path)
	h = keeping(t)
	status := must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	if status.Step != 80 || !strings.Contains(status.Reason, files[0].Path+" is damaged: the one before is used") {
		t.Errorf("step %d: %s", status.Step, status.Reason)
	}
	h.Shutdown()
	for _, f := range must(runs.Files(path))(t) {
		damage(f.Path)
	}
	h = keeping(t)
	if _, err := session.VerbOpen.Call(ctx, h, at(directory, demo())); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "replace=true") {
		t.Error(err)
	}
	request := at(directory, demo())
	request.Replace = true
	must(session.VerbOpen.Call(ctx, h, request))(t) // the lock was given back
}

// A run that another process has open can be read and forked, and isn't
// changed.
func TestOpen_RunOpenElsewhere(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	first, second := keeping(t), keeping(t) // two processes' worth: each has its own locks
	must(session.VerbOpen.Call(ctx, first, at(directory, demo())))(t)
	must(session.On(first, "leukemia").Step(ctx, 50))(t)
	waitFor(t, first, "leukemia", func(s session.Status) bool { return s.SavedStep != nil && *s.SavedStep == 50 })

	_, err := session.VerbOpen.Call(ctx, second, at(directory, demo()))
	if !errs.Is(err, errs.Busy) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) ||
		!strings.Contains(err.Error(), "read_only=true") {
		t.Error(err)
	}
	request := session.OpenRequest{Session: "leukemia", ReadOnly: true, Directory: directory}
	if status := must(session.VerbOpen.Call(ctx, second, request))(t); status.Step != 50 || !status.ReadOnly || status.RunDirectory != "" {
		t.Errorf("%+v", status)
	}
	for verb, err := range map[string]error{
		"step":   second2(session.On(second, "leukemia").Step(ctx, 1)),
		"run":    second2(session.On(second, "leukemia").Run(ctx, session.Until{})),
		"rewind": second2(session.On(second, "leukemia").Rewind(ctx, 3)),
		"set":    second2(session.On(second, "leukemia").Set(ctx, session.Config{Lambda: new(2.0)})),
	} {
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "read-only: "+verb) {
			t.Errorf("%s: %v", verb, err)
		}
	}
	must(session.On(second, "leukemia").Selection(ctx))(t)
	if status := must(session.VerbFork.Call(ctx, second, session.ForkRequest{Session: "leukemia", As: "mine", Step: new(20)}))(t); status.Step != 20 || status.ReadOnly ||
		filepath.Base(status.RunDirectory) != "mine" {
		t.Errorf("%+v", status)
	}
	must(session.On(second, "mine").Step(ctx, 5))(t)
	must(struct{}{}, session.On(second, "leukemia").Close(ctx))(t)
	if status := must(session.On(first, "leukemia").Status(ctx))(t); status.Step != 50 {
		t.Errorf("%+v", status)
	}
	must(struct{}{}, session.On(first, "leukemia").Close(ctx))(t)
	if status := must(session.VerbOpen.Call(ctx, second, at(directory, demo())))(t); status.Step != 50 || status.ReadOnly { // now it is free
		t.Errorf("%+v", status)
	}
	if _, err := session.VerbOpen.Call(ctx, second, session.OpenRequest{Session: "nothing", ReadOnly: true,
		Directory: directory}); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

func second2[T any](_ T, err error) error { return err }

// A fork has its parent's checkpoints, and can't have the name of a run on the
// disk.
func TestFork_SharesParentsFiles(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	h := keeping(t)
	must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	for range 4 {
		n := must(session.On(h, "leukemia").Step(ctx, 30))(t).Step
		waitFor(t, h, "leukemia", func(s session.Status) bool { return s.SavedStep != nil && *s.SavedStep == n })
	}
	fork := must(session.VerbFork.Call(ctx, h, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(70)}))(t)
	must(struct{}{}, session.On(h, "branch").Close(ctx))(t)
	var steps []int
	for _, f := range must(runs.Files(fork.RunDirectory))(t) {
		steps = append(steps, f.Step)
	}
	if !slices.Contains(steps, 60) || slices.Contains(steps, 90) || steps[0] != 70 {
		t.Errorf("the fork has checkpoints of %v", steps)
	}
	if _, err := session.VerbFork.Call(ctx, h, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(10)}); !errs.Is(err, errs.Request) ||
		!strings.Contains(err.Error(), "replace=true") {
		t.Error(err)
	}
	if status := must(session.VerbOpen.Call(ctx, h, session.OpenRequest{Session: "branch", Attach: true, Directory: directory}))(t); status.Step != 70 {
		t.Errorf("%+v", status)
	}
	for range 2 { // over one that is open, and over one on the disk
		if status := must(session.VerbFork.Call(ctx, h, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(40), Replace: true}))(t); status.Step != 40 {
			t.Errorf("%+v", status)
		}
		must(struct{}{}, session.On(h, "branch").Close(ctx))(t)
		if steps := must(runs.Files(fork.RunDirectory))(t); steps[0].Step != 40 {
			t.Errorf("%+v", steps)
		}
	}
}

// During a long run there is a checkpoint every few seconds. If the host is
// killed, a waiting caller knows at once, at most what followed the last
// checkpoint is lost, and the next host continues from there to the same end.
func TestHost_KilledLosesLittle(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	path := socketPath(t)
	command := hostCommand(path, os.Getpid())
	start(t, command)
	client := dial(t, path)
	c := demo()
	c.Epochs = 1_000_000
	must(session.VerbOpen.Call(ctx, client, at(directory, c)))(t)
	waiting := make(chan error, 1)
	go func() {
		_, err := session.On(client, "leukemia").Run(ctx, session.Until{})
		waiting <- err
	}()
	saved := waitFor(t, client, "leukemia", func(s session.Status) bool { return s.SavedStep != nil && *s.SavedStep > 0 })
	if err := command.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	err := endsWithin(t, "the call", patience, waiting)
	if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), path) {
		t.Errorf("the call returned %v", err)
	}
	if _, err := session.On(client, "leukemia").Status(ctx); !errs.Is(err, errs.Unavailable) {
		t.Errorf("the next call returned %v", err)
	}
	_ = command.Wait()

	start(t, hostCommand(path, os.Getpid())) // on the socket that the killed one left behind
	client = dial(t, path)
	status := must(session.VerbOpen.Call(ctx, client, at(directory, c)))(t)
	if status.Step < *saved.SavedStep || status.State != session.Paused {
		t.Errorf("continued at step %d, and step %d was saved", status.Step, *saved.SavedStep)
	}
	fresh := keeping(t)
	must(session.VerbOpen.Call(ctx, fresh, at(t.TempDir(), c)))(t)
	if whole := must(session.On(fresh, "leukemia").Step(ctx, status.Step))(t); whole.Loss != status.Loss {
		t.Errorf("at step %d the loss is %v, and was %v", status.Step, status.Loss, whole.Loss)
	}
}

// If no place is writable, the session works without saving.
func TestAutosave_NowhereToWrite(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/sys")
	h := keeping(t)
	status := must(session.VerbOpen.Call(t.Context(), h, at("/sys", demo())))(t)
	if status.RunDirectory != "" ||
		!strings.Contains(status.Warning, "checkpoints are not written: the run directory /sys/.fsnet/runs/leukemia cannot be written to") {
		t.Errorf("%+v", status)
	}
	must(session.On(h, "leukemia").Step(t.Context(), 10))(t)
}

// If the engine of a session crashed, the checkpoints from before remain.
func TestAutosave_AfterACrash(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	h := keeping(t)
	c := demo()
	c.Data = "panic:70"
	must(session.VerbOpen.Call(ctx, h, at(directory, c)))(t)
	must(session.On(h, "leukemia").Step(ctx, 64))(t)
	waitFor(t, h, "leukemia", func(s session.Status) bool { return s.SavedStep != nil && *s.SavedStep == 64 })
	if _, err := session.On(h, "leukemia").Step(ctx, 64); !errs.Is(err, errs.Failed) {
		t.Fatal(err)
	}
	must(struct{}{}, session.On(h, "leukemia").Close(ctx))(t)
	if status := must(session.VerbOpen.Call(ctx, h, at(directory, c)))(t); status.Step != 64 {
		t.Errorf("%+v", status)
	}
}

// If two hosts open a run at the same time, one of them has the lock, and the
// other is told or attaches.
func TestOpen_ByTwoHostsAtOnce(t *testing.T) {
	ctx, directory := t.Context(), t.TempDir()
	results := make(chan error, 8)
	hosts := []*host.Host{keeping(t), keeping(t)}
	for i := range cap(results) {
		go func() {
			_, err := session.VerbOpen.Call(ctx, hosts[i%2], at(directory, demo()))
			results <- err
		}()
	}
	good := 0
	for range cap(results) {
		select {
		case err := <-results:
			if err == nil {
				good++
			} else if !errs.Is(err, errs.Busy) {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("an open hangs")
		}
	}
	if good != 4 {
		t.Errorf("%d of 8 have it open", good)
	}
	if list, err := runs.List(directory); err != nil || len(list) > 1 {
		t.Error(list, errors.Join(err))
	}
}
