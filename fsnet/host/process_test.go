package host_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
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

// start starts a process of this test binary and waits until its host is ready.
func start(t *testing.T, command *exec.Cmd) {
	t.Helper()
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "ready ") {
		t.Fatalf("the host said %q, %v", line, err)
	}
}

// runIn begins an endless run in a host process and returns how it will end.
func runIn(t *testing.T, client *session.Client) <-chan error {
	t.Helper()
	directory := must(os.MkdirTemp("", "fsnet-test"))(t) // t.TempDir would fail where a killed host still writes
	t.Cleanup(func() { os.RemoveAll(directory) })
	must(session.VerbOpen.Call(t.Context(), client, session.OpenRequest{Session: "leukemia", Config: endless(), Directory: directory}))(t)
	ended := make(chan error, 1)
	go func() {
		_, err := session.On(client, "leukemia").Run(context.Background(), session.Until{})
		ended <- err
	}()
	waitFor(t, client, "leukemia", func(s session.Status) bool { return s.State == session.Running && s.Step > 0 })
	return ended
}

func endsWithin(t *testing.T, what string, limit time.Duration, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(limit):
		t.Fatalf("%s takes longer than %s", what, limit)
		return nil
	}
}

// A terminated host ends cleanly: its callers return and its socket is removed.
func TestRun_Terminated(t *testing.T) {
	path := socketPath(t)
	command := hostCommand(path, os.Getpid())
	start(t, command)
	ended := runIn(t, dial(t, path))
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- command.Wait() }()
	if err := endsWithin(t, "the end", patience, exited); err != nil {
		t.Errorf("exit: %v", err)
	}
	// The run is paused; its answer may or may not get out before the
	// connection is closed.
	if err := endsWithin(t, "the call", patience, ended); err != nil && !errs.Is(err, errs.Unavailable) {
		t.Errorf("the call returned %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

// A host ends within 2 s of its parent, however that ended.
func TestRun_EndsWithParent(t *testing.T) {
	for name, startAndKill := range map[string]func(t *testing.T, path string){
		"parent": func(t *testing.T, path string) {
			parent := exec.Command(os.Args[0])
			parent.Env = append(os.Environ(), role+"=parent", session.SocketVariable+"="+path)
			start(t, parent)
			runIn(t, dial(t, path))
			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		},
		"not the parent itself": func(t *testing.T, path string) {
			other := exec.Command("sleep", "1000")
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
			start(t, hostCommand(path, other.Process.Pid))
			runIn(t, dial(t, path))
			if err := other.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = other.Wait() // until then it can be signalled
		},
	} {
		t.Run(name, func(t *testing.T) {
			var took time.Duration
			for range 3 { // a busy machine may spoil one
				path := socketPath(t)
				startAndKill(t, path)
				killed := time.Now()
				for { // the socket goes as the last thing
					if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
						break
					}
					if time.Since(killed) > patience {
						t.Fatal("the socket is left behind")
					}
					time.Sleep(5 * time.Millisecond)
				}
				if took = time.Since(killed); took <= 2*time.Second {
					return
				}
			}
			t.Errorf("it took %s", took)
		})
	}
}

// A host whose socket can't be made ends with the reason.
func TestRun_Rejects(t *testing.T) {
	for name, c := range map[string]struct {
		options host.RunOptions
		words   string
	}{
		"no directory":   {host.RunOptions{Socket: "/nonexistent/s", Options: host.Options{Open: fake.Open}}, "does not exist"},
		"strange parent": {host.RunOptions{Socket: socketPath(t), Parent: -4, Options: host.Options{Open: fake.Open}}, "-4"},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Ready = io.Discard
			if err := host.Run(t.Context(), c.options); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.words) {
				t.Error(err)
			}
		})
	}
}

// awaitFree waits until a run is free, which it is when its last checkpoint
// is written.
func awaitFree(t *testing.T, directory, name string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		run, err := runs.Acquire(directory, name)
		if err == nil {
			must(struct{}{}, run.Release())(t)
			return
		}
		if time.Now().After(end) {
			t.Errorf("session %q was neither paused nor saved: %v", name, err)
			return
		}
	}
}

// If one session is in a long call of its device, for which the process won't
// wait, the others are paused and saved.
func TestShutdown_LongCallOfOneSession(t *testing.T) {
	directory, path := t.TempDir(), socketPath(t)
	evaluating, evaluated := make(chan struct{}), make(chan struct{})
	hold := make(chan struct{})
	close(hold)
	opener := wrapped(func(training session.Training) session.Training { return slowly{training, hold, evaluating, evaluated} })
	ready, says := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- host.Run(ctx, host.RunOptions{Socket: path, Ready: says, Options: host.Options{Open: opener, Resume: fake.Resume}})
	}()
	must(bufio.NewReader(ready).ReadString('\n'))(t)
	client := dial(t, path)
	for _, name := range []string{"long", "runs"} {
		must(session.VerbOpen.Call(t.Context(), client, session.OpenRequest{Session: name, Config: endless(), Directory: directory}))(t)
	}
	must(session.On(client, "runs").Run(t.Context(), session.Until{Wait: new(false)}))(t)
	go session.On(client, "long").Evaluate(t.Context(), "train") //nolint:errcheck // it is never answered
	<-evaluating
	defer func() { // Nothing may be written once the directory is removed.
		close(evaluated)
		awaitFree(t, directory, "long")
	}()
	cancel()
	awaitFree(t, directory, "runs")
	if err := endsWithin(t, "the host", patience, ended); !errs.Is(err, errs.Failed) {
		t.Error(err)
	}
}
