package magic

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/tests/kit/testhost"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "host" {
		os.Exit(testhost.Run(os.Args[2:]))
	}
	os.Exit(m.Run())
}

const (
	limit   = time.Minute
	silence = 2 * time.Second // of a process that hangs; long for an answer that takes a millisecond, also on a busy machine
)

// newLink gives up on a process that has been silent for so long.
func newLink(t testing.TB, silence time.Duration) (*Link, context.Context) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(testhost.KeepRuns, "1")
	sockets, err := os.MkdirTemp("", "x") // a path shorter than t.TempDir's
	if err != nil {
		t.Fatal(err)
	}
	h := NewLink([]string{os.Args[0], "host"}, filepath.Join(sockets, "host"), silence, nil)
	t.Cleanup(func() {
		h.Stop(time.Second)
		os.RemoveAll(sockets)
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return h, ctx
}

// A host that ends because of a variable that a cell has set names the variable
// and how to empty it, and the next verb after that works.
func TestLink_NamesVariablesOfCells(t *testing.T) {
	h, ctx := newLink(t, limit)
	h.variables = new(process.Variables)
	h.variables.Set("GOMEMLIMIT", "much")
	h.variables.Set("OTHER", "")
	_, err := session.VerbSessions.Call(ctx, h, session.None{})
	if err == nil || !strings.Contains(err.Error(), `%env GOMEMLIMIT= empties GOMEMLIMIT, which a cell has set to "much"`) || strings.Contains(err.Error(), "OTHER") {
		t.Errorf("%v", err)
	}
	h.variables.Set("GOMEMLIMIT", "")
	if _, err := session.VerbSessions.Call(ctx, h, session.None{}); err != nil {
		t.Error(err)
	}
}

// A host without sessions is ended quietly, and the next verb starts another. A
// host with a session stays.
func TestLink_EndIdle(t *testing.T) {
	h, ctx := newLink(t, limit)
	if !h.EndIdle() {
		t.Error("nothing runs, and it says that something does")
	}
	h.mustOpen(ctx, t, open("leukemia"))
	before := h.ID()
	if h.EndIdle() || h.keeper.Current() == nil {
		t.Error("a host with a session was ended")
	}
	if _, err := session.VerbClose.Call(ctx, h, session.NameRequest{Session: "leukemia"}); err != nil {
		t.Fatal(err)
	}
	if !h.EndIdle() || h.keeper.Current() != nil {
		t.Error("a host without a session runs on")
	}
	h.mustOpen(ctx, t, open("leukemia"))
	if status, err := session.On(h, "leukemia").Status(ctx); err != nil || status.Warning != "" || h.ID() == before {
		t.Errorf("%+v, %v, process %d", status, err, h.ID())
	}
}

func (l *Link) kill(t *testing.T) {
	t.Helper()
	host := l.keeper.Current()
	if host == nil {
		t.Fatal("no host is running")
	}
	if err := syscall.Kill(host.process.ID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-host.process.Done()
	<-host.Done()
}

func open(name string) session.OpenRequest {
	var c config.Config
	c.Data, c.K, c.Epochs = "planted", 3, 20
	return session.OpenRequest{Session: name, Config: c}
}

func (l *Link) mustOpen(ctx context.Context, t *testing.T, request session.OpenRequest) {
	t.Helper()
	if _, err := session.VerbOpen.Call(ctx, l, request); err != nil {
		t.Fatal(err)
	}
}

// If an idle host is killed, the next verb tells that once. Opening a session
// says it next to the status.
func TestLink_TellsADeathAtRest(t *testing.T) {
	h, ctx := newLink(t, limit)
	h.mustOpen(ctx, t, open("leukemia"))
	for now, err := session.On(h, "leukemia").Status(ctx); now.SavedStep == nil; now, err = session.On(h, "leukemia").Status(ctx) {
		if err != nil {
			t.Fatal(err)
		}
	}
	h.kill(t)
	_, err := session.On(h, "leukemia").Status(ctx)
	if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "(signal: killed)") || !strings.Contains(err.Error(), "leukemia") {
		t.Errorf("%v", err)
	}
	if _, err = session.On(h, "leukemia").Status(ctx); !errs.Is(err, errs.NotFound) {
		t.Errorf("told twice: %v", err)
	}
	status, err := session.VerbOpen.Call(ctx, h, open("leukemia"))
	if err != nil || status.Warning != "" || !strings.Contains(status.Reason, "continued at step 0") {
		t.Errorf("%+v, %v", status, err)
	}
	h.kill(t)
	if status, err = session.VerbOpen.Call(ctx, h, open("leukemia")); err != nil ||
		!strings.Contains(status.Warning, "the training process ended (signal: killed)") {
		t.Errorf("%q, %v", status.Warning, err)
	}
	if status, err = session.VerbOpen.Call(ctx, h, open("leukemia")); err != nil || status.Warning != "" {
		t.Errorf("told twice: %q, %v", status.Warning, err)
	}
}

// A view that watches learns of a death, too, and starts another host. The next
// verb still gets the news, whatever a view, a failed open or typing, which
// shows no errors, has learned before.
func TestLink_NewsIsForTheNextVerb(t *testing.T) {
	h, ctx := newLink(t, limit)
	h.mustOpen(ctx, t, open("leukemia"))
	watching, seen := make(chan error, 1), make(chan struct{}, 100)
	go func() {
		watching <- session.On(h, "leukemia").Watch(ctx, session.WatchRequest{}, func(session.Update) { seen <- struct{}{} })
	}()
	<-seen
	h.kill(t)
	if err := <-watching; !errs.Is(err, errs.Unavailable) {
		t.Errorf("%v", err)
	}
	wrong := open("other")
	wrong.Config.Data = "absent"
	for range 2 {
		if _, err := session.VerbOpen.Call(ctx, h, wrong); err == nil || !strings.Contains(err.Error(), "absent") {
			t.Errorf("%v", err)
		}
	}
	if err := session.On(h, "leukemia").Watch(ctx, session.WatchRequest{}, func(session.Update) {}); !errs.Is(err, errs.NotFound) { // another host runs
		t.Errorf("%v", err)
	}
	if list, err := session.VerbSessions.Call(WithoutStart(ctx), h, session.None{}); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	_, err := session.On(h, "leukemia").Status(ctx)
	tells(t, err)
	if _, err := session.On(h, "leukemia").Status(ctx); !errs.Is(err, errs.NotFound) {
		t.Errorf("told twice: %v", err)
	}
}

// If nothing was lost, there is nothing to tell.
func TestLink_DeathWithoutLoss(t *testing.T) {
	h, ctx := newLink(t, limit)
	for range 2 {
		if list, err := session.VerbSessions.Call(ctx, h, session.None{}); err != nil || len(list) != 0 {
			t.Errorf("%v, %v", list, err)
		}
		h.kill(t)
	}
}

// If a process doesn't answer, the verb gives up after a while with a line that
// says what to do. When the process goes on, so do the verbs, and a run that
// was waited for is paused. A process that answers may need as long as it
// likes.
func TestLink_ProcessHangs(t *testing.T) {
	h, ctx := newLink(t, silence)
	request := open("leukemia")
	request.Config.Epochs, request.Config.Stop = 1_000_000_000, "never"
	h.mustOpen(ctx, t, request)
	ended := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := session.On(h, "leukemia").Run(ctx, session.Until{})
		ended <- err
	}()
	running := func(now session.Status) bool { return now.State == session.Running }
	until := func(wanted func(session.Status) bool) {
		t.Helper()
		for now, err := session.On(h, "leukemia").Status(ctx); err != nil || !wanted(now); now, err = session.On(h, "leukemia").Status(ctx) {
			if ctx.Err() != nil {
				t.Fatalf("it is %s, %v", now.State, err)
			}
		}
	}
	until(running)
	for time.Since(began) < silence { // it was asked whether it answers, and did
		select {
		case err := <-ended:
			t.Fatalf("the run ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	pid := h.ID()
	if err := testhost.Halt(pid); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGCONT) //nolint:errcheck // it goes on already
	hangs := func(err error) {
		t.Helper()
		want := []string{"training process " + strconv.Itoa(pid) + " has not answered", "kill -9 " + strconv.Itoa(pid)}
		if _, e := os.Stat("/proc/self/stat"); e == nil {
			want = append(want, "it was stopped", "kill -CONT "+strconv.Itoa(pid))
		}
		for _, words := range want {
			if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), words) {
				t.Errorf("%v, want %q", err, words)
			}
		}
	}
	select {
	case err := <-ended:
		hangs(err)
	case <-ctx.Done():
		t.Fatal("the run is not given up")
	}
	_, err := session.On(h, "leukemia").Status(ctx)
	hangs(err)
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err := session.On(h, "leukemia").Status(short); !errs.Is(err, errs.Interrupted) {
		t.Errorf("interrupted: %v", err)
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(func(now session.Status) bool { return now.State == session.Paused })
	if _, err := session.On(h, "leukemia").Step(ctx, 1); err != nil {
		t.Error(err)
	}
	// The other way out that the line names.
	if err := testhost.Halt(pid); err != nil {
		t.Fatal(err)
	}
	_, err = session.On(h, "leukemia").Status(ctx)
	hangs(err)
	h.kill(t)
	if _, err = session.On(h, "leukemia").Status(ctx); !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "ended (signal: killed)") {
		t.Errorf("%v", err)
	}
	if status, err := session.VerbOpen.Call(ctx, h, request); err != nil || !strings.Contains(status.Reason, "continued at step") {
		t.Errorf("%q, %v", status.Reason, err)
	}
}

// A second interrupt doesn't wait for a run to pause. The run pauses when it
// can.
func TestLink_SecondInterrupt(t *testing.T) {
	h, ctx := newLink(t, limit)
	request := open("leukemia")
	request.Config.Epochs, request.Config.Stop = 1_000_000_000, "never"
	h.mustOpen(ctx, t, request)
	forced := make(chan struct{})
	working, interrupt := context.WithCancel(process.WithForceInterrupt(ctx, forced))
	ended := make(chan error, 1)
	go func() {
		_, err := session.On(h, "leukemia").Run(working, session.Until{})
		ended <- err
	}()
	for now, err := session.On(h, "leukemia").Status(ctx); now.State != session.Running; now, err = session.On(h, "leukemia").Status(ctx) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := testhost.Halt(h.ID()); err != nil {
		t.Fatal(err)
	}
	interrupt()
	close(forced)
	if err := <-ended; !errs.Is(err, errs.Interrupted) || !strings.Contains(err.Error(), "was told to pause, and has not yet") {
		t.Error(err)
	}
	if err := syscall.Kill(h.ID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for {
		now, err := session.On(h, "leukemia").Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if now.State == session.Paused || now.State == session.Idle && now.Step == 0 { // the pause may come before the first step
			return
		}
		if now.State != session.Running {
			t.Fatalf("it was told to pause and is %s at step %d", now.State, now.Step)
		}
	}
}

// tells is for an error that says how a process ended, and that leukemia stopped with it.
func tells(t *testing.T, err error) {
	t.Helper()
	if !errs.Is(err, errs.Unavailable) ||
		!strings.Contains(err.Error(), "ended (signal: killed); stopped with it, and kept up to their last checkpoints: leukemia") {
		t.Errorf("the end is not told: %v", err)
	}
}

// The verb that waited says what stopped, even if a view has started another
// process before, and no other verb says it again. The end of that other
// process is told as well.
func TestLink_TellsTheVerbThatWaited(t *testing.T) {
	h, ctx := newLink(t, limit)
	h.mustOpen(ctx, t, open("leukemia"))
	old := h.keeper.Current()
	h.kill(t)
	if _, err := h.keeper.Get(ctx); err != nil { // as a view does
		t.Fatal(err)
	}
	_, lost := session.On(old.client, "leukemia").Status(ctx) // as a verb does that waited
	died, err := h.explain(old, lost)
	tells(t, err)
	if !died {
		t.Error("it is not known that the process ended")
	}
	h.TakeNotice()
	h.mustOpen(ctx, t, open("leukemia"))
	h.kill(t)
	_, err = session.On(h, "leukemia").Status(ctx)
	tells(t, err)
}

// The losses of two processes are told together.
func TestLink_TellsTwoEndsTogether(t *testing.T) {
	h, ctx := newLink(t, limit)
	for _, name := range []string{"leukemia", "glioma"} {
		died := h.TakeNotice()
		h.mustOpen(ctx, t, open(name))
		h.KeepNotice(died)
		h.kill(t)
	}
	_, err := session.On(h, "leukemia").Status(ctx)
	tells(t, err)
	if !strings.Contains(err.Error(), "glioma") {
		t.Errorf("%v", err)
	}
}
