package kernel

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/tests/kit/testhost"
)

// lab is a kernel in this process, and a front end that talks to it.
type lab struct {
	*fronttest.Lab
	kernel *Kernel
	ended  chan struct{} // closed when it has
}

// newLab starts a kernel without Go cells, whose host trains with an engine for tests.
func newLab(t *testing.T) *lab { return startLab(t, Options{NoGo: true}) }

// newGoLab starts one with Go cells, which need GoNB.
func newGoLab(t *testing.T, o Options) *lab {
	t.Helper()
	tools, err := gonb.FindTools(system.Home())
	if err == nil {
		err = gonb.CheckVersion(tools.GoNB)
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	return startLab(t, o)
}

// in runs a part of a test on a lab that its parts share.
func (l *lab) in(t *testing.T, name string, part func(t *testing.T, l *lab)) {
	t.Run(name, func(t *testing.T) {
		shared := *l
		shared.Lab = l.In(t)
		part(t, &shared)
	})
}

func startLab(t *testing.T, o Options) *lab {
	t.Helper()
	l := &lab{ended: make(chan struct{})}
	o.Version = "test"
	o.Doctor = []string{os.Args[0], "doctor"}
	if o.Host == nil {
		o.Host = []string{os.Args[0], "host"}
	}
	dir := t.TempDir()
	c := jupyter.NewLocalConnection(filepath.Join(dir, "k"))
	o.ConnectionFile = filepath.Join(dir, "kernel-0123-abcd.json")
	err := c.Write(o.ConnectionFile)
	if err == nil {
		l.kernel, err = New(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(l.ended)
		if err := l.kernel.Run(ctx); err != nil {
			t.Errorf("the kernel ended with %v", err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		l.awaitEnd()
	})
	l.Lab = fronttest.NewLab(t, c)
	return l
}

func (l *lab) awaitEnd() {
	l.Helper()
	select {
	case <-l.ended:
	case <-time.After(fronttest.Limit):
		l.Error("the kernel does not end")
	}
}

// await waits until holds returns true. failure says what is wrong if it never does.
func (l *lab) await(holds func() bool, failure string, values ...any) {
	l.Helper()
	for end := time.Now().Add(fronttest.Limit); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			l.Fatalf(failure, values...)
		}
	}
}

// gone waits until a process has ended.
func (l *lab) gone(what string, pid int) {
	l.Helper()
	l.await(func() bool { return !system.Alive(pid) }, "%s (%d) lives on", what, pid)
}

// dial connects to the socket of cells until the test ends.
func (l *lab) dial() *session.Client {
	l.Helper()
	client, err := session.Dial(l.Soon(), l.kernel.cells.Addr().String())
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(client.Disconnect)
	return client
}

func (l *lab) hostID() int {
	id := l.kernel.host.ID()
	if id == 0 {
		l.Fatal("no host is running")
	}
	return id
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// withoutGo is set for a kernel process that is to run no Go cells.
const withoutGo = "FSNET_TEST_WITHOUT_GO"

// newProcessLab starts a kernel as a process of its own, whose sockets, files and memory can be looked at from outside, and which can be
// killed. cmd is the test binary, as whatever user, who must be able to read the directory.
func newProcessLab(t *testing.T, cmd *exec.Cmd, dir string) (l *lab, pid int) {
	t.Helper()
	c, err := jupyter.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "kernel-0123-abcd.json")
	if err := c.Write(file); err != nil {
		t.Fatal(err)
	}
	if by := cmd.SysProcAttr; by != nil && by.Credential != nil {
		if err := os.Chown(file, int(by.Credential.Uid), int(by.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Args = append(cmd.Args, "kernel", file)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l = &lab{kernel: &Kernel{}, Lab: fronttest.NewLab(t, c)}
	t.Cleanup(func() {
		if _, err := l.StartControl("shutdown_request", jupyter.Shutdown{}); err != nil {
			cmd.Process.Kill() //nolint:errcheck // it has ended already
		}
		late := time.AfterFunc(fronttest.Limit, func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended already
		defer late.Stop()
		cmd.Wait() //nolint:errcheck // it may have been killed
	})
	return l, cmd.Process.Pid
}

// The test binary is also the processes of its tests: a host with an engine for tests, a doctor, and a kernel to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "host":
			os.Exit(testhost.Run(os.Args[2:]))
		case "doctor":
			fmt.Println("✓ everything <is> fine")
			os.Exit(0)
		case "kernel":
			os.Exit(runKernel(os.Args[len(os.Args)-1]))
		case "stranger":
			os.Exit(beStranger(os.Args[2:]))
		case "asker":
			os.Exit(beAsker(os.Args[2], os.Args[3]))
		case "broken":
			fmt.Fprintln(os.Stderr, "no device")
			os.Exit(1)
		}
	}
	if checkout, err := filepath.Abs(".."); err == nil {
		os.Setenv("FSNET_SOURCE", checkout) // what cells import, whatever is installed
	}
	os.Exit(m.Run())
}

func runKernel(file string) int {
	k, err := New(Options{ConnectionFile: file, NoGo: os.Getenv(withoutGo) != "", Host: []string{os.Args[0], "host"}})
	if err == nil {
		err = k.Run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return errs.ExitStatus(err)
}
