package host_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/tests/kit/devicetest"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// The test binary is also the processes of its tests: a host, and a parent that
// starts one.
const role = "FSNET_TEST_ROLE"

// trains is set for a host process whose trainings are real.
const trains = "FSNET_TEST_TRAINS"

func TestMain(m *testing.M) {
	devicetest.Unoptimise()
	switch os.Getenv(role) {
	case "host":
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		parent, err := strconv.Atoi(os.Getenv("FSNET_TEST_PARENT"))
		if err == nil {
			options := host.Options{Open: fake.Open, Resume: fake.Resume}
			if os.Getenv(trains) != "" {
				opener := new(train.Opener)
				options = host.Options{Open: opener.Open, Resume: opener.Resume}
			}
			err = host.Run(ctx, host.RunOptions{Socket: os.Getenv(session.SocketVariable), Parent: parent, Ready: os.Stdout, Options: options})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(errs.ExitStatus(err))
	case "parent":
		child := hostCommand(os.Getenv(session.SocketVariable), os.Getpid())
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func hostCommand(socket string, parent int) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), role+"=host", session.SocketVariable+"="+socket, "FSNET_TEST_PARENT="+strconv.Itoa(parent))
	return command
}

func newHost(t testing.TB, opener host.Opener) *host.Host {
	h := host.New(host.Options{Open: opener})
	t.Cleanup(h.Shutdown)
	return h
}

// wrapped opens fake trainings, each in a wrapper.
func wrapped(wrapper func(session.Training) session.Training) host.Opener {
	return func(ctx context.Context, settings config.Settings, dir string) (session.Training, error) {
		training, err := fake.Open(ctx, settings, dir)
		if err != nil {
			return nil, err
		}
		return wrapper(training), nil
	}
}

// socketPath is in a private directory with a short path, which t.TempDir need
// not be.
func socketPath(t testing.TB) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "fsnet") //nolint:usetesting // t.TempDir can be longer than the path of a socket may be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(directory); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(directory, "s")
}

// serve offers a service at a socket until the test ends.
func serve(t testing.TB, h *host.Host) (path string) {
	t.Helper()
	path = socketPath(t)
	listener, err := host.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- host.Serve(ctx, listener, h.Server(), nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return path
}

func dial(t testing.TB, path string) *session.Client {
	t.Helper()
	client, err := session.Dial(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Disconnect)
	return client
}

func rawDial(t testing.TB, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
