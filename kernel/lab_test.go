package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb/toolchain"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/tests/kit/testhost"
)

// limit is how long anything may take before it is said to hang; no test waits for it to pass.
const limit = 5 * time.Minute

// lab is a kernel in this process and a front end that talks to it. Every message that it sees is held against the specification.
type lab struct {
	*testing.T
	kernel     *Kernel
	front      *fronttest.Front
	client     *jupyter.Client
	connection jupyter.Connection
	witness    *witness
	log        string // the file, of a kernel in a process of its own
	ended      chan error
}

// newLab starts a kernel without Go cells, whose host trains with an engine for tests.
func newLab(t *testing.T) *lab { return startLab(t, Options{NoGo: true}) }

// newGoLab starts one with Go cells, which need GoNB. Its test runs beside others, so it changes nothing of the process.
func newGoLab(t *testing.T) *lab {
	t.Helper()
	t.Parallel()
	return newGoLabWith(t, Options{})
}

// newGoLabWith is newGoLab with options, and beside no other test unless that says so itself.
func newGoLabWith(t *testing.T, o Options) *lab {
	t.Helper()
	tools, err := toolchain.Find(system.Home())
	if err == nil {
		err = toolchain.CheckVersion(tools.GoNB)
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	return startLab(t, o)
}

func startLab(t *testing.T, o Options) *lab {
	t.Helper()
	l := &lab{T: t, ended: make(chan error, 1)}
	o.Version = "test"
	o.Doctor = []string{os.Args[0], "doctor"}
	if o.Host == nil {
		o.Host = []string{os.Args[0], "host"}
	}
	for tries := 0; l.kernel == nil; tries++ {
		var err error
		if l.connection, err = jupyter.NewConnection(); err != nil {
			t.Fatal(err)
		}
		o.ConnectionFile = filepath.Join(t.TempDir(), "kernel-0123-abcd.json")
		if err := l.connection.Write(o.ConnectionFile); err != nil {
			t.Fatal(err)
		}
		l.kernel, err = New(o)
		if err != nil && (tries == 4 || !errors.Is(err, syscall.EADDRINUSE)) { // another process of this machine may take a free port first
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { l.ended <- l.kernel.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		l.awaitEnd()
	})
	l.connect()
	return l
}

func (l *lab) connect() {
	l.Helper()
	var err error
	if l.front, err = fronttest.Meet(l.context(), l.connection); err != nil {
		l.Fatal(err)
	}
	l.Cleanup(l.front.Close)
	l.client = l.front.Client()
	l.watch()
}

func (l *lab) awaitEnd() {
	l.Helper()
	select {
	case err, running := <-l.ended:
		if running {
			close(l.ended)
		}
		if err != nil {
			l.Errorf("the kernel ended with %v", err)
		}
	case <-time.After(limit):
		l.Error("the kernel does not end")
	}
}

func (l *lab) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	l.Cleanup(cancel)
	return ctx
}

// ask sends a request on the shell socket and checks what comes back.
func (l *lab) ask(messageType string, content any) fronttest.Answer {
	l.Helper()
	e, err := l.front.Start(messageType, content)
	if err != nil {
		l.Fatal(err)
	}
	return l.wait(e)
}

func (l *lab) askControl(messageType string, content any) fronttest.Answer {
	l.Helper()
	e, err := l.front.StartControl(messageType, content)
	if err != nil {
		l.Fatal(err)
	}
	return l.wait(e)
}

func (l *lab) wait(e *fronttest.Exchange) fronttest.Answer {
	l.Helper()
	a, err := e.Wait(l.context())
	if err != nil {
		l.Fatalf("%v; so far %s", err, types(a))
	}
	conform(l.T, e.Request, a)
	l.witness.saw(a.Reply)
	return a
}

// begin starts a cell and does not wait.
func (l *lab) begin(code string) *fronttest.Exchange {
	l.Helper()
	e, err := l.front.Start("execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true})
	if err != nil {
		l.Fatal(err)
	}
	return e
}

// ok runs a cell that must not fail.
func (l *lab) ok(code string) result {
	l.Helper()
	r := l.run(code)
	if r.reply.Status != "ok" {
		l.Fatalf("%q: %s: %s", code, r.reply.Name, r.reply.Value)
	}
	return r
}

// fails runs a cell that must fail with these texts in its one error.
func (l *lab) fails(code string, want ...string) result {
	l.Helper()
	r := l.run(code)
	l.failed(code, r, want...)
	return r
}

func (l *lab) failed(code string, r result, want ...string) {
	l.Helper()
	if r.reply.Status != "error" {
		l.Fatalf("%q: %s, want an error", code, r.reply.Status)
	}
	text := r.reply.Name + ": " + r.reply.Value
	for _, w := range want {
		if !strings.Contains(text, w) {
			l.Errorf("%q: the error is %q, want %q in it", code, text, w)
		}
	}
	if n := len(r.Of("error")); n != 1 {
		l.Errorf("%q: %d errors were published, want 1", code, n)
	}
}

// result is a finished cell.
type result struct {
	fronttest.Answer
	reply struct {
		jupyter.ErrorReply
		Count   int `json:"execution_count"`
		Payload []struct {
			Data map[string]any `json:"data"`
		} `json:"payload"`
		Expressions map[string]struct {
			jupyter.ErrorReply
			Data map[string]any `json:"data"`
		} `json:"user_expressions"`
	}
}

func (l *lab) run(code string) result {
	l.Helper()
	return l.finish(l.begin(code))
}

func (l *lab) finish(e *fronttest.Exchange) result {
	l.Helper()
	r := result{Answer: l.wait(e)}
	if err := r.Reply.Decode(&r.reply); err != nil {
		l.Fatal(err)
	}
	return r
}

// texts is the plain text of all displays, in order; an update takes its display's place.
func (r result) texts() []string {
	var list []string
	at := map[string]int{}
	for _, m := range r.Published {
		switch m.Header.Type {
		case "display_data", "execute_result", "update_display_data":
		default:
			continue
		}
		var d jupyter.DisplayData
		if m.Decode(&d) != nil {
			continue
		}
		text, _ := d.Data["text/plain"].(string)
		id := d.Transient.DisplayID
		if i, seen := at[id]; seen && id != "" {
			list[i] = text
			continue
		}
		at[id] = len(list)
		list = append(list, text)
	}
	return list
}

// stream is what went to stdout or stderr.
func (r result) stream(name string) string {
	var text strings.Builder
	for _, m := range r.Of("stream") {
		var s jupyter.Stream
		if m.Decode(&s) == nil && s.Name == name {
			text.WriteString(s.Text)
		}
	}
	return text.String()
}

func types(a fronttest.Answer) string {
	var list []string
	for _, m := range a.Published {
		list = append(list, m.Header.Type+" "+string(m.Content))
	}
	return strings.Join(list, "\n")
}

// isDisplay fits the first display of a cell, such as a progress bar.
func isDisplay(m jupyter.Message) bool { return m.Header.Type == "display_data" }

func containing(text string) func(jupyter.Message) bool {
	return func(m jupyter.Message) bool { return strings.Contains(string(m.Content), text) }
}

// gone waits until a process has ended.
func (l *lab) gone(what string, pid int) {
	l.Helper()
	for end := time.Now().Add(limit); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			l.Fatalf("%s (%d) lives on", what, pid)
		}
	}
}

func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // a zombie waits for its reaper only
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func (l *lab) hostID() int {
	id := l.kernel.host.ID()
	if id == 0 {
		l.Fatal("no host is running")
	}
	return id
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// withoutGo is set for a kernel process that is to run no Go cells.
const withoutGo = "FSNET_TEST_WITHOUT_GO"

// newProcessLab starts a kernel as a process of its own, whose sockets, files and memory can be looked at from outside.
func newProcessLab(t *testing.T, environment ...string) (l *lab, pid int) {
	t.Helper()
	cmd := exec.Command(testBinary())
	cmd.Env = append(os.Environ(), environment...)
	return newProcessLabBy(t, cmd, t.TempDir())
}

// newProcessLabBy is newProcessLab by a command of the test binary, whose connection file is in a directory of its user.
func newProcessLabBy(t *testing.T, cmd *exec.Cmd, dir string) (l *lab, pid int) {
	t.Helper()
	connection, err := jupyter.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "kernel-0123-abcd.json")
	if err := connection.Write(file); err != nil {
		t.Fatal(err)
	}
	if by := cmd.SysProcAttr; by != nil && by.Credential != nil {
		if err := os.Chown(file, int(by.Credential.Uid), int(by.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Args = append(cmd.Args, "kernel", file)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l = &lab{T: t, connection: connection, kernel: &Kernel{}, log: log.Name()}
	l.connect()
	t.Cleanup(func() {
		if _, err := l.front.StartControl("shutdown_request", jupyter.Shutdown{}); err != nil {
			cmd.Process.Kill() //nolint:errcheck // it has ended already
		}
		late := time.AfterFunc(limit, func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended already
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
		case "odd":
			os.Exit(beOdd(os.Args[2:]))
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

// keepRuns is set for hosts that write checkpoints.
const keepRuns = testhost.KeepRuns

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
