package trainer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/testhost"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "host" {
		os.Exit(testhost.Run(os.Args[2:]))
	}
	os.Exit(m.Run())
}

const limit = time.Minute

func newLink(t *testing.T) (*Link, context.Context) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(testhost.KeepRuns, "1")
	sockets, err := os.MkdirTemp("", "x") // a path shorter than t.TempDir's
	if err != nil {
		t.Fatal(err)
	}
	h := New(func() ([]string, error) { return []string{os.Args[0], "host"}, nil }, filepath.Join(sockets, "host"))
	t.Cleanup(func() {
		h.Stop(time.Second)
		os.RemoveAll(sockets)
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return h, ctx
}

func (h *Link) kill(t *testing.T) {
	t.Helper()
	client, process := h.Current(), h.process
	if client == nil {
		t.Fatal("no host is running")
	}
	if err := syscall.Kill(process.ID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-process.Done()
	<-client.Ended()
}

func open(name string) session.OpenRequest {
	var c config.Config
	c.Data, c.K, c.Epochs = "planted", 3, 20
	return session.OpenRequest{Session: name, Config: c}
}

// A host that is killed while nothing is asked of it is told of by the next verb, once; opening a session says it beside the status.
func TestADeathAtRestIsTold(t *testing.T) {
	h, ctx := newLink(t)
	s := h.Service()
	if _, err := s.Open(ctx, open("leukemia")); err != nil {
		t.Fatal(err)
	}
	for now, err := s.Status(ctx, "leukemia"); now.SavedStep == nil; now, err = s.Status(ctx, "leukemia") {
		if err != nil {
			t.Fatal(err)
		}
	}
	h.kill(t)
	_, err := s.Status(ctx, "leukemia")
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "(signal: killed)") || !strings.Contains(err.Error(), "leukemia") {
		t.Errorf("%v", err)
	}
	if _, err = s.Status(ctx, "leukemia"); !fault.Is(err, fault.NotFound) {
		t.Errorf("told twice: %v", err)
	}
	status, err := s.Open(ctx, open("leukemia"))
	if err != nil || status.Warning != "" || !strings.Contains(status.Reason, "taken up at step 0") {
		t.Errorf("%+v, %v", status, err)
	}
	h.kill(t)
	if status, err = s.Open(ctx, open("leukemia")); err != nil || !strings.Contains(status.Warning, "the training process ended (signal: killed)") {
		t.Errorf("%q, %v", status.Warning, err)
	}
	if status, err = s.Open(ctx, open("leukemia")); err != nil || status.Warning != "" {
		t.Errorf("told twice: %q, %v", status.Warning, err)
	}
}

// A view that watches learns it, too, and starts another host; whoever runs the next verb is still told.
func TestAViewDoesNotTakeTheNews(t *testing.T) {
	h, ctx := newLink(t)
	s := h.Service()
	if _, err := s.Open(ctx, open("leukemia")); err != nil {
		t.Fatal(err)
	}
	watching, seen := make(chan error, 1), make(chan struct{}, 100)
	go func() {
		watching <- s.Watch(ctx, "leukemia", session.WatchRequest{}, func(session.Update) { seen <- struct{}{} })
	}()
	<-seen
	h.kill(t)
	if err := <-watching; !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
	if err := s.Watch(ctx, "leukemia", session.WatchRequest{}, func(session.Update) {}); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	if _, err := s.Status(ctx, "leukemia"); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "leukemia") {
		t.Errorf("%v", err)
	}
}

// Where nothing was lost there is nothing to tell.
func TestADeathThatCostsNothingIsNot(t *testing.T) {
	h, ctx := newLink(t)
	s := h.Service()
	for range 2 {
		if list, err := s.Sessions(ctx); err != nil || len(list) != 0 {
			t.Errorf("%v, %v", list, err)
		}
		h.kill(t)
	}
}
