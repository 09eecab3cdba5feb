package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func small() session.Config { return session.Config{Data: "planted", K: 3, Epochs: 20, Stop: "never"} }

// A handle does nothing before its first verb, even if nothing about it is
// right.
func TestUse_DoesNothing(t *testing.T) {
	t.Setenv(session.SocketVariable, filepath.Join(t.TempDir(), "nobody"))
	s := session.UseAlone("no such / name", session.Config{K: -5, Data: "nowhere"})
	if s.Name() != "no such / name" {
		t.Error(s.Name())
	}
	if _, err := s.Status(t.Context()); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
}

// Outside a notebook, the first verb returns an error that says how to start a
// host.
func TestUse_WithoutKernel(t *testing.T) {
	t.Setenv(session.SocketVariable, "")
	s := session.UseAlone("leukemia", small())
	if _, err := s.Step(t.Context(), 1); !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "notebook") ||
		!strings.Contains(err.Error(), "fsnet host") {
		t.Error(err)
	}
	if _, err := (session.Session{}).Status(t.Context()); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "session.Use") {
		t.Error(err)
	}
}

// Only the first verb attaches. Copies of a handle are the same session.
func TestUse_FirstVerbAttaches(t *testing.T) {
	h := newDemo(t)
	ctx := t.Context()
	var all sync.WaitGroup
	s := session.UseAlone("leukemia", small())
	for range 8 {
		all.Go(func() {
			alike := s
			if _, err := alike.Evaluate(ctx, "test"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if status, err := session.On(h, "leukemia").Status(ctx); err != nil || status.TestLooks != 8 {
		t.Errorf("%d looks, %v", status.TestLooks, err)
	}
	// Another cell is another process with another handle.
	again := session.UseAlone("leukemia", small())
	if status, err := again.Status(ctx); err != nil || status.TestLooks != 8 {
		t.Errorf("attached to another: %v, %v", status, err)
	}
	other := small()
	other.K = 2
	differs := session.UseAlone("leukemia", other)
	if _, err := differs.Status(ctx); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "k is 3, not 2") ||
		!strings.Contains(err.Error(), "replace=true") {
		t.Error(err)
	}
	if status, err := differs.Replace(ctx); err != nil || status.Config.K != 2 {
		t.Errorf("%v, %v", status, err)
	}
}

// A handle without a configuration attaches to the session that exists.
func TestUse_WithoutConfiguration(t *testing.T) {
	h := newDemo(t)
	bare := session.UseAlone("leukemia", session.Config{})
	if _, err := bare.Status(t.Context()); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
	if _, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: small()}); err != nil {
		t.Fatal(err)
	}
	if status, err := bare.Step(t.Context(), 2); err != nil || status.Step != 2 || status.Config.K != 3 {
		t.Errorf("%+v, %v", status, err)
	}
}

// A long-running program gets a new connection if the kernel was restarted.
func TestUse_Reconnects(t *testing.T) {
	_, end := demo()
	s := session.UseAlone("leukemia", session.Config{})
	started := session.UseAlone("leukemia", small())
	if _, err := started.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	end()
	if _, err := s.Status(t.Context()); !errs.Is(err, errs.Unavailable) {
		t.Errorf("with nobody there: %v", err)
	}
	h := newDemo(t)
	if _, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: small()}); err != nil {
		t.Fatal(err)
	}
	if status, err := s.Status(t.Context()); err != nil || status.Step != 0 {
		t.Errorf("%v, %v", status, err)
	}
}

// One goroutine opens the session, which may take minutes. Another one that
// waits may give up.
func TestUse_WaiterMayGiveUp(t *testing.T) {
	p := newPeer(t)
	t.Setenv(session.SocketVariable, p.path)
	s := session.UseAlone("leukemia", small())
	opens, giveUp := context.WithCancel(t.Context())
	opened := make(chan error)
	go func() {
		_, err := s.Status(opens)
		opened <- err
	}()
	conn, err := p.listener.Accept()
	require(t, err)
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 1<<16)); err != nil { // it is asked to open, and never answers
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, verb := range []func() error{
		func() error { _, err := s.Status(ctx); return err },
		func() error { _, err := s.Open(ctx); return err },
		func() error { return s.Close(ctx) },
	} {
		if err := verb(); !errs.Is(err, errs.Interrupted) || !strings.Contains(err.Error(), "waiting for session leukemia to open") {
			t.Error(err)
		}
	}
	giveUp()
	if err := <-opened; !errs.Is(err, errs.Interrupted) {
		t.Error(err)
	}
}

// Relative paths start where the cell runs.
func TestUse_SendsDirectory(t *testing.T) {
	directory, err := filepath.EvalSymlinks(t.TempDir())
	require(t, err)
	t.Chdir(directory)
	p := newPeer(t)
	t.Setenv(session.SocketVariable, p.path)
	type seen struct{ line string }
	got := make(chan seen, 1)
	go func() {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		buffer := make([]byte, 1<<16)
		n, _ := conn.Read(buffer)
		got <- seen{string(buffer[:n])}
		conn.Close()
	}()
	if _, err := session.UseAlone("leukemia", small()).Open(t.Context()); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
	if line := (<-got).line; !strings.Contains(line, `"directory":"`+directory+`"`) || !strings.Contains(line, `"method":"open"`) || strings.Contains(line, "attach") {
		t.Error(line)
	}
	if _, err := os.Getwd(); err != nil {
		t.Error(err)
	}
}
