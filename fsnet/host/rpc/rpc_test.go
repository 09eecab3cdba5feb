package rpc

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host/socket"
	"fsnetlab/fsnet/session"
)

// service is one of which a test says what it needs; any other verb panics.
type service struct {
	session.Service
	run     func(context.Context) error
	forked  chan session.ForkRequest
	watched chan context.Context
}

func (s *service) Run(ctx context.Context, name string, until session.Until) (session.Status, error) {
	return session.Status{Session: name, Step: until.Step}, s.run(ctx)
}

func (s *service) Fork(_ context.Context, name string, request session.ForkRequest) (session.Status, error) {
	s.forked <- request
	return session.Status{Session: request.As}, nil
}

func (s *service) Sessions(context.Context) ([]session.Status, error) { return nil, nil }

func (s *service) Status(ctx context.Context, _ string) (session.Status, error) {
	s.watched <- ctx
	<-ctx.Done()
	return session.Status{}, fault.New(fault.Interrupted, "", "the connection ended")
}

func (s *service) Watch(ctx context.Context, name string, _ session.WatchRequest, tell func(session.Update)) error {
	s.watched <- ctx
	tell(session.Update{Progress: session.Progress{Session: name}})
	if name == "fails" {
		return fault.New(fault.Failed, "open it again", "no P yet")
	}
	<-ctx.Done()
	return nil
}

const patience = time.Minute // what hangs is stopped; nothing waits for it to pass

// serve serves until the test has ended, and gives the path and what ends it sooner.
func serve(t *testing.T, s *service) (path string, end context.CancelFunc) {
	t.Helper()
	directory, err := os.MkdirTemp("", "x") // sockets need a shorter path than t.TempDir's
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(directory, "s")
	listener, err := socket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, listener, s, ServeOptions{}) }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
		os.RemoveAll(directory)
	})
	return path, end
}

func dial(t *testing.T, path string) (*session.Client, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	client, err := session.Dial(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Disconnect)
	return client, ctx
}

// A verb that advances goes on without its connection, and ends with the service; one that asks ends with its connection.
func TestWhatOutlivesAConnection(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	s := &service{watched: make(chan context.Context, 1), run: func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil
	}}
	path, end := serve(t, s)
	client, ctx := dial(t, path)
	go client.Run(ctx, "leukemia", session.Until{}) //nolint:errcheck // its connection ends
	<-begun
	go client.Status(ctx, "leukemia") //nolint:errcheck // its connection ends
	asking := <-s.watched
	client.Disconnect()
	<-asking.Done()
	select {
	case <-ended:
		t.Error("the run ended with its connection")
	default:
	}
	end()
	<-ended
}

// A panic is the error of its request alone, with its place; so is what is misspelt, with what was meant.
func TestErrorsOfOneRequest(t *testing.T) {
	path, _ := serve(t, &service{run: func(context.Context) error { var list []int; return os.NewSyscallError("", []error{nil}[len(list)+1]) }})
	client, ctx := dial(t, path)
	if _, err := client.Run(ctx, "leukemia", session.Until{}); !fault.Is(err, fault.Failed) || !strings.Contains(err.Error(), "run failed unexpectedly in rpc.TestErrorsOfOneRequest") {
		t.Errorf("%v", err)
	}
	for method, c := range map[string]struct {
		params any
		want   string
	}{
		"sttus":  {session.NameParams{Session: "a"}, "did you mean status?"},
		"step":   {map[string]any{"sesion": "a"}, "did you mean session?"},
		"run":    {map[string]any{"session": "a", "until": "morning"}, "give an object"},
		"rewind": {map[string]any{"session": "a"}, "give its step"},
	} {
		if err := client.Call(ctx, method, c.params, nil); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", method, err, c.want)
		}
	}
	var list []session.Status
	if err := client.Call(ctx, "sessions", struct{}{}, &list); err != nil || list == nil { // [] and not null
		t.Errorf("%v, %v", list, err)
	}
}

// A fork without a step is one of the present step.
func TestForkOfThePresentStep(t *testing.T) {
	s := &service{forked: make(chan session.ForkRequest, 2)}
	path, _ := serve(t, s)
	client, ctx := dial(t, path)
	for _, step := range []int{-1, 0, 12} {
		if _, err := client.Fork(ctx, "leukemia", session.ForkRequest{As: "branch", Step: step}); err != nil {
			t.Error(err)
		}
		if got := <-s.forked; got.Step != step || got.As != "branch" {
			t.Errorf("%+v, want step %d", got, step)
		}
	}
}

// A watch ends with who watches, and says it where it fails after it has begun.
func TestWatches(t *testing.T) {
	s := &service{watched: make(chan context.Context, 2)}
	path, _ := serve(t, s)
	client, ctx := dial(t, path)
	watching, stop := context.WithCancel(ctx)
	if err := client.Watch(watching, "leukemia", session.WatchRequest{}, func(u session.Update) { stop() }); err != nil {
		t.Error(err)
	}
	<-(<-s.watched).Done()
	told := 0
	err := client.Watch(ctx, "fails", session.WatchRequest{}, func(session.Update) { told++ })
	if !fault.Is(err, fault.Failed) || !strings.Contains(err.Error(), "no P yet") || told != 1 {
		t.Errorf("told %d times, %v", told, err)
	}
}
