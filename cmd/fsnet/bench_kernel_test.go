package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// benchSession is opened for the measurements.
const (
	benchSession     = "fsnet-bench-kernel"
	openBenchSession = "%fsnet open " + benchSession + " data=ALLAML backend=go replace=true"
	restartTarget    = 2000.0 // milliseconds, which a person waits for a kernel
)

// kernelBench measures a kernel: how long it takes is not judged on a machine that is often busy, but printed beside the aims with -v.
type kernelBench struct {
	*testing.T
	*testKernel
	cells int // of each kind
}

// TestBenchKernel measures how long a kernel takes to start, to restart, to answer a %fsnet line, to run FSNET_TEST_CELLS Go cells of each
// kind, to pass a cell on to GoNB and to complete Go code.
func TestBenchKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	if _, err := gonb.FindTools(system.Home()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	b := &kernelBench{t, newTestKernel(t), fromEnvironment(t, "FSNET_TEST_CELLS", 3)}
	b.figure("kernel ready", 1000, b.took)
	began := time.Now() // first of all, what the first Tab of a notebook waits for
	if _, err := firstCompletion(t.Context(), b.front); err != nil {
		t.Fatal(err)
	}
	b.figure("first completion of Go code", 1000, time.Since(began))
	b.run(openBenchSession)
	status := func(int) string { return "%fsnet status" }
	b.each("a %fsnet line", 5, status)
	b.run("%fsnet run wait=false")
	b.each("  while its session runs", 5, status)
	b.run("%fsnet pause")
	b.run("%%\nfmt.Println(\"warm\")") // fills the build cache
	b.each("a Go cell that prints", 0, func(i int) string { return fmt.Sprintf("%%%%\nfmt.Println(\"cell %d\")", i) })
	b.run("var s = session.Use(\"" + benchSession + "\", session.Config{})\n%%\ns.Must().Status()")
	b.each("a Go cell that asks a session", 200, func(i int) string { return fmt.Sprintf("%%%%\nfmt.Println(%d, s.Must().Status().Step)", i) })
	b.beside()
	b.relay()
	began = time.Now()
	b.stop()
	b.testKernel = newTestKernel(t)
	b.figure("kernel restarted", restartTarget, time.Since(began))
	began = time.Now()
	first := func(int) string { return "%%\nfmt.Println(\"first\")" }
	b.run(first(0))
	b.figure("kernel started and its first Go cell run", 2000, b.took+time.Since(began))
	b.run(first(1)) // the go command may have built the first one
	b.each("a Go cell that is run again", 0, first)
}

func (b *kernelBench) run(code string) {
	b.Helper()
	if err := runCell(b.Context(), b.front, code); err != nil {
		b.Fatal(err)
	}
}

// figure says how long something took, and whether that is at most the aim in milliseconds; 0 is none.
func (b *kernelBench) figure(name string, aim float64, took time.Duration) {
	note := ""
	if ms := milliseconds(took); aim > 0 && ms > aim {
		note = fmt.Sprintf("   (wanted: at most %g ms, MISSED)", aim)
	} else if aim > 0 {
		note = fmt.Sprintf("   (wanted: at most %g ms, met)", aim)
	}
	b.Logf("%-42s %8.1f ms%s", name, milliseconds(took), note)
}

// each is the median of cells.
func (b *kernelBench) each(name string, aim float64, code func(int) string) {
	b.Helper()
	b.calls(name, aim, b.cells, func(i int) error { return runCell(b.Context(), b.front, code(i)) })
}

func (b *kernelBench) calls(name string, aim float64, n int, call func(int) error) {
	b.Helper()
	times := make([]time.Duration, n)
	for i := range times {
		began := time.Now()
		if err := call(i); err != nil {
			b.Fatal(err)
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	b.figure(name, aim, times[n/2])
}

// beside measures what the kernel answers while a Go cell computes. Cells wait for each other; live views and questions do not.
func (b *kernelBench) beside() {
	running, err := b.front.Start("execute_request",
		jupyter.ExecuteRequest{Code: "%%\nfmt.Println(\"at \" + os.Getenv(\"FSNET_SOCKET\") + \" .\")\nfor { }"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		b.front.StartControl("interrupt_request", nil) //nolint:errcheck // the kernel is stopped in any case
		limited, cancel := context.WithTimeout(b.Context(), 30*time.Second)
		defer cancel()
		running.Wait(limited) //nolint:errcheck // as above
	}()
	socket := ""
	if err := running.Until(b.Context(), func(m jupyter.Message) bool {
		var s jupyter.Stream
		if m.Header.Type == "stream" && m.Decode(&s) == nil {
			if words := strings.Fields(s.Text); len(words) == 3 {
				socket = words[1]
			}
		}
		return socket != "" || m.Header.Type == "error"
	}); err != nil {
		b.Fatal(err)
	}
	client, err := session.Dial(b.Context(), socket)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Disconnect()
	b.calls("  a verb while a Go cell computes", 5, 3*b.cells, func(int) error {
		_, err := session.On(client, benchSession).Status(b.Context())
		return err
	})
	const line = "%fsnet set lam"
	b.calls("  completed and explained while it does", 5, 3*b.cells, func(int) error {
		if err := ask(b.Context(), b.front, "complete_request", jupyter.CompleteRequest{Code: line, CursorPos: len(line)}); err != nil {
			return err
		}
		return ask(b.Context(), b.front, "inspect_request", jupyter.InspectRequest{Code: line + "bda", CursorPos: len(line)})
	})
}

// relay runs a magic of GoNB's through the kernel and in a GoNB of its own, in turn; the median of the differences is what the kernel adds.
func (b *kernelBench) relay() {
	tools, err := gonb.FindTools(system.Home())
	if err != nil {
		b.Fatal(err)
	}
	dir := shortDirectory(b.T)
	if err := os.WriteFile(filepath.Join(dir, "gopls"), []byte("#!/bin/sh\n"), 0o700); err != nil { // as under the kernel: its own would outlive it
		b.Fatal(err)
	}
	command := exec.CommandContext(b.Context(), tools.GoNB, "-raw_error", "-kernel")
	command.Env = append(os.Environ(), "PATH="+dir+":"+filepath.Dir(tools.Go)+":"+filepath.Dir(tools.Goimports)+":"+os.Getenv("PATH"), "TMPDIR="+dir)
	direct, err := startKernel(b.Context(), command, dir)
	if err != nil {
		b.Fatal(err)
	}
	defer direct.front.Close()
	defer direct.kill()
	const pairs = 51 // of some milliseconds each
	differences := make([]time.Duration, pairs)
	for i := range differences {
		var took [2]time.Duration
		for j, front := range []*fronttest.Front{b.front, direct.front} {
			began := time.Now()
			if err := runCell(b.Context(), front, fmt.Sprintf("%%env FSNET_BENCH %d", i)); err != nil {
				b.Fatal(err)
			}
			took[j] = time.Since(began)
		}
		differences[i] = took[0] - took[1]
	}
	slices.Sort(differences)
	b.figure("a cell passed on to GoNB and back", 2, differences[pairs/2])
}

// firstCompletion asks for what fmt.Prin could become until there is an answer with something in it, or its patience ends.
func firstCompletion(ctx context.Context, front *fronttest.Front) (float64, error) {
	const code = "%%\nfmt.Prin"
	const patience = 20 * time.Second // far beyond the aim
	began := time.Now()
	for time.Since(began) < patience {
		answer, err := front.Ask(ctx, "complete_request", jupyter.CompleteRequest{Code: code, CursorPos: len(code)})
		if err != nil {
			return 0, err
		}
		var reply jupyter.CompleteReply
		if err := answer.Reply.Decode(&reply); err != nil {
			return 0, err
		}
		if slices.ContainsFunc(reply.Matches, func(m string) bool { return strings.Contains(m, "Println") }) {
			return milliseconds(time.Since(began)), nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return 0, interrupted()
		}
	}
	return milliseconds(patience), nil
}

// runCell runs a cell that must not fail.
func runCell(ctx context.Context, front *fronttest.Front, code string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	answer, err := front.Execute(ctx, code)
	if err != nil {
		return errs.Wrap(err, errs.Failed, "run fsnet doctor", "the kernel does not answer")
	}
	var reply jupyter.ErrorReply
	if err := answer.Reply.Decode(&reply); err != nil {
		return err
	}
	if reply.Status != "ok" {
		return errs.New(errs.Failed, "", "%s", reply.Value)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// kernelProcess is a kernel in a process of its own, and a front end that talks to it.
type kernelProcess struct {
	front      *fronttest.Front
	connection jupyter.Connection
	file       string        // the connection file
	took       time.Duration // from its start to its first answer

	command *exec.Cmd
	ended   chan struct{} // closed when it has been waited for
}

const (
	startLimit = 30 * time.Second // for the first answer
	stopLimit  = 10 * time.Second // for the end of a kernel that was told to end
)

// startKernel starts a kernel as Jupyter does and waits for its first answer. The command lacks only its last word, the connection file,
// which is written below directory. Where the command has a context, the kernel is told to end with it; the caller stops it in any case.
func startKernel(ctx context.Context, command *exec.Cmd, directory string) (*kernelProcess, error) {
	connection, err := jupyter.NewConnection()
	if err != nil {
		return nil, err
	}
	name := filepath.Base(command.Path)
	k := &kernelProcess{connection: connection, file: filepath.Join(directory, "kernel-"+name+".json"), command: command,
		ended: make(chan struct{})}
	if err := connection.Write(k.file); err != nil {
		return nil, err
	}
	command.Args = append(command.Args, k.file)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // it ends its children, too
	command.WaitDelay = stopLimit
	began := time.Now()
	if err := command.Start(); err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "run fsnet doctor", "%s does not start", name)
	}
	go func() {
		defer close(k.ended)
		command.Wait() //nolint:errcheck // it may be killed
	}()
	if err := k.meet(ctx); err != nil {
		k.kill()
		return nil, err
	}
	k.took = time.Since(began)
	return k, nil
}

// meet connects another front end, as a page does that was loaded again. The one before is the caller's to close.
func (k *kernelProcess) meet(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	front, err := fronttest.Meet(limited, k.connection)
	if ctx.Err() != nil {
		return interrupted()
	}
	if err != nil {
		return errs.New(errs.Unavailable, "run fsnet doctor", "%s did not answer within %s", filepath.Base(k.command.Path), startLimit)
	}
	k.front = front
	return nil
}

// stop asks the kernel to shut down, as a front end does, and waits; one that does not end is killed.
func (k *kernelProcess) stop() {
	if _, err := k.front.StartControl("shutdown_request", jupyter.Shutdown{}); err != nil {
		k.kill()
	}
	select {
	case <-k.ended:
	case <-time.After(stopLimit):
		k.kill()
	}
	k.front.Close()
}

// kill ends the kernel with SIGKILL and waits for its end.
func (k *kernelProcess) kill() {
	k.command.Process.Kill() //nolint:errcheck // it has ended
	<-k.ended
}

func interrupted() error { return errs.New(errs.Interrupted, "", "the measurement was interrupted") }
