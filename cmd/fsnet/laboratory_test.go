package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/home"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/wire"
)

// crashLimit is how long anything may take before it is said to hang; no test waits for it to pass.
const crashLimit = time.Minute

// laboratory is a kernel of this program with all its processes, in directories of its own, and a front end.
type laboratory struct {
	*testing.T
	directory string // of the notebook
	temporary string // for sockets and Go cells
	mark      string // in the environment of all its processes
	golang    bool   // there are Go cells
	file      string // connection file
	kernel    kernelProcess
	front     *wire.Front
}

type kernelProcess struct{ *exec.Cmd }

func (k kernelProcess) pid() int { return k.Process.Pid }

// process is one that has the laboratory's mark.
type process struct {
	pid  int
	name string
}

func newLaboratory(t *testing.T) *laboratory {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("NOT TESTED: there is no /proc here")
	}
	temporary, err := os.MkdirTemp("", "x") // sockets need shorter paths than t.TempDir gives
	if err != nil {
		t.Fatal(err)
	}
	l := &laboratory{T: t, directory: t.TempDir(), temporary: temporary, mark: fmt.Sprintf("FSNET_TEST_MARK=%s", wire.NewID())}
	t.Cleanup(func() {
		for _, p := range l.processes() {
			syscall.Kill(p.pid, syscall.SIGKILL) //nolint:errcheck // it has ended
		}
		os.RemoveAll(temporary)
	})
	_, err = gonb.Find(home.Directory())
	if l.golang = err == nil; !l.golang {
		t.Logf("NOT TESTED: Go cells: %v", err)
	}
	if err := os.WriteFile(filepath.Join(l.directory, "cohort.csv"), []byte(table()), 0o600); err != nil {
		t.Fatal(err)
	}
	l.start()
	l.magic("%s", openLine(crashSession))
	l.magic("step %d", crashBegin)
	l.magic("set lambda=0.5")
	return l
}

// victims are the kinds of processes that there are to be killed.
func (l *laboratory) victims() []string {
	list := []string{"kernel", "host", "browser"}
	if l.golang {
		list = append(list, "gonb", "cell")
		if tools, err := gonb.Find(home.Directory()); err == nil && tools.Gopls != "" {
			list = append(list, "gopls")
		} else {
			l.Log("NOT TESTED: a killed gopls, as there is none")
		}
	}
	return list
}

// start starts a kernel as Jupyter does, and waits until it answers.
func (l *laboratory) start() {
	l.Helper()
	connection, err := wire.NewConnection()
	if err != nil {
		l.Fatal(err)
	}
	l.file = filepath.Join(l.temporary, "kernel-crash.json")
	if err := connection.Write(l.file); err != nil {
		l.Fatal(err)
	}
	repository, err := filepath.Abs("../..")
	if err != nil {
		l.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "kernel", "--connection-file", l.file)
	cmd.Dir = l.directory
	cmd.Env = append(os.Environ(), asProgram+"=1", l.mark, "FSNET_SOURCE="+repository, "XDG_RUNTIME_DIR="+l.temporary, "TMPDIR="+l.temporary)
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	l.kernel = kernelProcess{cmd}
	l.meetAt(connection)
	l.Logf("a kernel was ready after %s", time.Since(began).Round(time.Millisecond))
	go cmd.Wait() //nolint:errcheck // it is killed
	l.declare()
}

func (l *laboratory) meet() {
	l.Helper()
	connection, err := wire.ReadConnection(l.file)
	if err != nil {
		l.Fatal(err)
	}
	l.meetAt(connection)
}

func (l *laboratory) meetAt(connection wire.Connection) {
	l.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), crashLimit)
	defer cancel()
	var err error
	if l.front, err = wire.Meet(ctx, connection); err != nil {
		l.Fatal(err)
	}
}

// declare gives the cells their handle, as the first cell of a notebook does.
func (l *laboratory) declare() {
	l.Helper()
	if l.golang {
		l.cell("var s = session.Use(\"" + crashSession + "\", session.Config{})\n%%\n")
	}
}

// cell is one that was sent.
type cell struct{ *wire.Exchange }

func (l *laboratory) send(code string) *cell {
	l.Helper()
	e, err := l.front.Start("execute_request", wire.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true})
	if err != nil {
		l.Fatal(err)
	}
	return &cell{e}
}

// until waits for the first message of a type under a cell.
func (l *laboratory) until(c *cell, messageType string) {
	l.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), crashLimit)
	defer cancel()
	if err := c.Until(ctx, func(m wire.Message) bool { return m.Header.Type == messageType || m.Header.Type == "error" }); err != nil {
		l.Fatal(err)
	}
}

// finish waits for the end of a cell and gives all that it shows.
func (l *laboratory) finish(c *cell) string {
	l.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), crashLimit)
	defer cancel()
	answer, err := c.Wait(ctx)
	if err != nil {
		l.Fatal(err)
	}
	var text strings.Builder
	for _, m := range answer.Published {
		var content struct {
			Text  string         `json:"text"`
			Data  map[string]any `json:"data"`
			Value string         `json:"evalue"`
		}
		if m.Decode(&content) == nil {
			plain, _ := content.Data["text/plain"].(string)
			text.WriteString(content.Text + plain + content.Value + "\n")
		}
	}
	return text.String()
}

// cell runs a cell and gives all that it shows, an error included.
func (l *laboratory) cell(code string) string {
	l.Helper()
	return l.finish(l.send(code))
}

// magic runs a %fsnet line that must not fail.
func (l *laboratory) magic(format string, args ...any) string {
	l.Helper()
	c := l.send("%fsnet " + fmt.Sprintf(format, args...))
	text := l.finish(c)
	ctx, cancel := context.WithTimeout(context.Background(), crashLimit)
	defer cancel()
	answer, err := c.Wait(ctx)
	var reply wire.ErrorReply
	if err != nil || answer.Reply.Decode(&reply) != nil || reply.Status != "ok" {
		l.Fatalf("%s: %s %v", fmt.Sprintf(format, args...), reply.Value, err)
	}
	return text
}

func (l *laboratory) interrupt() {
	l.Helper()
	e, err := l.front.StartControl("interrupt_request", nil)
	if err != nil {
		l.Fatal(err)
	}
	l.finish(&cell{e})
}

func (l *laboratory) shutDown() {
	l.Helper()
	if _, err := l.front.StartControl("shutdown_request", wire.Shutdown{}); err != nil {
		l.Fatal(err)
	}
	l.gone("the kernel", l.kernel.pid())
	l.front.Close()
}

// client speaks to the kernel as a Go cell does.
func (l *laboratory) client() *session.Client {
	l.Helper()
	found, err := filepath.Glob(filepath.Join(l.temporary, fmt.Sprintf("fsnet-kernel-%d-*", l.kernel.pid()), "cells"))
	if err != nil || len(found) != 1 {
		l.Fatalf("the kernel's socket: %v, %v", found, err)
	}
	c, err := session.Dial(l.Context(), found[0])
	if err != nil {
		l.Fatal(err)
	}
	return c
}

// processes are all that live and have the mark.
func (l *laboratory) processes() []process {
	var list []process
	found, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		l.Fatal(err)
	}
	for _, dir := range found {
		environment, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), l.mark) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && living(pid) {
			list = append(list, process{pid, l.nameOf(dir)})
		}
	}
	return list
}

// nameOf says what a process is by its command line.
func (l *laboratory) nameOf(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return "?"
	}
	words := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	program := filepath.Base(words[0])
	switch {
	case len(words) > 1 && (words[1] == "kernel" || words[1] == "host") && words[0] == os.Args[0]:
		return words[1]
	case regexp.MustCompile(`^gonb_[0-9a-f]+$`).MatchString(program):
		return "a program of a cell"
	default:
		return program
	}
}

// find waits for a process of that name. The newest one is meant: an older one may be ending.
func (l *laboratory) find(name string) int {
	l.Helper()
	for end := time.Now().Add(crashLimit); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		best := 0
		for _, p := range l.processes() {
			if p.name == name {
				best = max(best, p.pid)
			}
		}
		if best > 0 {
			return best
		}
	}
	l.Fatalf("no %s is running, but %v", name, l.processes())
	return 0
}

func (l *laboratory) runs(name string) bool {
	return slices.ContainsFunc(l.processes(), func(p process) bool { return p.name == name })
}

// complete asks for a completion of Go code, which needs gopls.
func (l *laboratory) complete() {
	l.Helper()
	const code = "%%\nfmt.Prin"
	ctx, cancel := context.WithTimeout(context.Background(), crashLimit)
	defer cancel()
	if _, err := l.front.Ask(ctx, "complete_request", wire.CompleteRequest{Code: code, CursorPos: len(code)}); err != nil {
		l.Fatal(err)
	}
}

func (l *laboratory) gone(what string, pid int) {
	l.Helper()
	for end := time.Now().Add(crashLimit); living(pid); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			l.Fatalf("%s (%d) lives on", what, pid)
		}
	}
}

func living(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ") // a zombie waits for its reaper only
}

// leftovers are the directories for sockets and cells that are no running kernel's, and sockets outside them.
func (l *laboratory) leftovers(kernel int) []string {
	entries, err := os.ReadDir(l.temporary)
	if err != nil {
		l.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		name := entry.Name()
		if name == filepath.Base(l.file) {
			continue
		}
		if kernel > 0 && (strings.HasPrefix(name, fmt.Sprintf("fsnet-kernel-%d-", kernel)) || strings.HasPrefix(name, fmt.Sprintf("fsnet-cells-%d-", kernel))) {
			continue
		}
		left = append(left, name)
	}
	return left
}
