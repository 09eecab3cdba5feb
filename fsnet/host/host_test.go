package host_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// Two configurations mean the same data if they name the same built-in set or
// the same file.
func TestOpen_ComparesData(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, directory := range []string{a, b} {
		if err := os.WriteFile(filepath.Join(directory, "x.csv"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", a)
	type place struct{ data, directory string }
	for _, c := range []struct {
		opened, asked place
		words         string // of the refusal; "" attaches
	}{
		{place{"x.csv", a}, place{"x.csv", a}, ""},
		{place{"x.csv", a}, place{"./x.csv", a}, ""},
		{place{"x.csv", a}, place{filepath.Join(a, "x.csv"), b}, ""},
		{place{"x.csv", a}, place{"~/x.csv", b}, ""},
		{place{"x.csv", a}, place{"x.csv", b}, "data is " + filepath.Join(a, "x.csv") + ", not " + filepath.Join(b, "x.csv")},
		{place{"x.csv", a}, place{"y.csv", a}, "data is x.csv, not y.csv"},
		{place{"ALLAML", a}, place{"ALLAML", b}, ""},
		{place{"ALLAML", a}, place{"allaml", b}, ""},
		{place{"ALLAML", a}, place{"x.csv", a}, "data is ALLAML, not x.csv"},
		{place{"ALLAML", a}, place{"", a}, ""}, // a request without data is about the session that is there
	} {
		h := newHost(t, func(ctx context.Context, s config.Settings, dir string) (session.Training, error) {
			if dir != c.opened.directory {
				t.Errorf("the engine was told %s, want %s", dir, c.opened.directory)
			}
			s.Data = "planted"
			return fake.Open(ctx, s, dir)
		})
		request := session.OpenRequest{Session: "s", Config: session.Config{Data: c.opened.data, K: 3}, Directory: c.opened.directory}
		must(session.VerbOpen.Call(t.Context(), h, request))(t)
		request.Config.Data, request.Directory = c.asked.data, c.asked.directory
		_, err := session.VerbOpen.Call(t.Context(), h, request)
		if c.words == "" && err != nil {
			t.Errorf("%v, then %v: %v", c.opened, c.asked, err)
		}
		if c.words != "" && (!errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%v, then %v: want %q: %v", c.opened, c.asked, c.words, err)
		}
	}
}

// One session more than the limit is rejected, one that replaces another isn't,
// and closing one makes room.
func TestOpen_TooMany(t *testing.T) {
	h := newHost(t, fake.Open)
	request := session.OpenRequest{Config: session.Config{Data: "planted", K: 3}}
	for i := range host.MaxSessions {
		request.Session = fmt.Sprint("s", i)
		must(session.VerbOpen.Call(t.Context(), h, request))(t)
	}
	request.Session = "one-more"
	if _, err := session.VerbOpen.Call(t.Context(), h, request); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "close one of s0, s1") {
		t.Errorf("one more: %v", err)
	}
	request.Session, request.Replace = "s3", true
	if _, err := session.VerbOpen.Call(t.Context(), h, request); err != nil {
		t.Errorf("replacing one: %v", err)
	}
	if err := session.On(h, "s5").Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	request.Session, request.Replace = "one-more", false
	if _, err := session.VerbOpen.Call(t.Context(), h, request); err != nil {
		t.Errorf("after closing one: %v", err)
	}
}

// An engine that panics while it opens harms no other session, and the user
// sees no stack.
func TestOpen_EnginePanics(t *testing.T) {
	var log strings.Builder
	h := host.New(host.Options{Log: slog.New(slog.NewTextHandler(&log, nil)),
		Open: func(ctx context.Context, s config.Settings, dir string) (session.Training, error) {
			if s.Data == "crash" {
				panic(fmt.Errorf("no such layer\nat line 17"))
			}
			return fake.Open(ctx, s, dir)
		}})
	defer h.Shutdown()
	_, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "a", Config: session.Config{Data: "crash"}})
	if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), "no such layer") || strings.ContainsAny(err.Error(), "\n\t") {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "session=a") || !strings.Contains(log.String(), "host_test.go") {
		t.Errorf("the log says: %q", log.String())
	}
	if _, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "a", Config: session.Config{Data: "planted", K: 3}}); err != nil {
		t.Error(err)
	}
}

// While a session is opened, its verbs wait, those of others don't, and a
// shutdown ends it.
func TestOpen_TakesLong(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	h := newHost(t, func(ctx context.Context, s config.Settings, dir string) (session.Training, error) {
		if s.Seed == 0 {
			return fake.Open(ctx, s, dir)
		}
		entered <- struct{}{}
		select {
		case <-release:
			return fake.Open(ctx, s, dir)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	slow := session.OpenRequest{Session: "slow", Config: session.Config{Data: "planted", K: 3, Seed: 1}}
	opened, looked := make(chan error, 1), make(chan error, 1)
	go func() { _, err := session.VerbOpen.Call(context.Background(), h, slow); opened <- err }()
	<-entered
	go func() { _, err := session.On(h, "slow").Status(context.Background()); looked <- err }()
	if _, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "quick", Config: session.Config{Data: "planted", K: 3}}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.On(h, "slow").Status(ctx); !errs.Is(err, errs.Interrupted) {
		t.Errorf("waiting was not interrupted: %v", err)
	}
	release <- struct{}{}
	for _, ended := range []chan error{opened, looked} {
		if err := endsWithin(t, "opening", patience, ended); err != nil {
			t.Error(err)
		}
	}
	slow.Session = "slower"
	go func() { _, err := session.VerbOpen.Call(context.Background(), h, slow); opened <- err }()
	<-entered
	h.Shutdown()
	if err := endsWithin(t, "the shutdown", patience, opened); err == nil {
		t.Error("a host that ended opened a session")
	}
	if _, err := session.VerbOpen.Call(t.Context(), h, slow); !errs.Is(err, errs.Unavailable) {
		t.Errorf("after the shutdown: %v", err)
	}
}

func ExampleHost() {
	h := host.New(host.Options{Open: fake.Open}) // new(train.Opener).Open outside of tests
	defer h.Shutdown()
	ctx := context.Background()
	if _, err := session.VerbOpen.Call(ctx, h, session.OpenRequest{Session: "demo", Config: session.Config{Data: "planted", K: 3}}); err != nil {
		fmt.Println(err)
	}
	status, err := session.On(h, "demo").Step(ctx, 30)
	fmt.Println(status.Step, status.State, err)
	// Output: 30 paused <nil>
}

func ExampleServe() {
	directory, err := os.MkdirTemp("", "fsnet") // 0700, as a socket's directory must be
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(directory)
	listener, err := host.Listen(filepath.Join(directory, "socket"))
	if err != nil {
		fmt.Println(err)
		return
	}
	h := host.New(host.Options{Open: fake.Open})
	ctx, end := context.WithCancel(context.Background())
	defer end()
	served := make(chan error)
	go func() { served <- host.Serve(ctx, listener, h.Server(), nil) }()

	client, err := session.Dial(ctx, listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	sessions, err := session.VerbSessions.Call(ctx, client, session.None{})
	fmt.Println(len(sessions), err)
	end()
	h.Shutdown()
	fmt.Println(<-served)
	// Output:
	// 0 <nil>
	// <nil>
}
