package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb/toolchain"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// benchSession is opened for the measurements and removed after them.
const (
	benchSession     = "fsnet-bench-kernel"
	openBenchSession = "%fsnet open " + benchSession + " data=ALLAML backend=go replace=true"
)

func benchKernel(ctx context.Context, magics, cells int, messages io.Writer) (*benchKernelReport, error) {
	dir, err := os.MkdirTemp("", "fsnet-bench-")
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "set TMPDIR to a directory that you may write to", "no temporary directory")
	}
	defer os.RemoveAll(dir)
	start := func() (*kernelProcess, error) {
		command, err := programCommand(ctx, "kernel", "--connection-file")
		if err != nil {
			return nil, err
		}
		command.Stderr = messages
		command.Env = append(command.Env, historyVariable+"="+filepath.Join(dir, "history")) // as any kernel, but not among the user's cells
		return startKernel(ctx, command, dir)
	}
	k, err := start()
	if err != nil {
		return nil, err
	}
	defer runs.Remove(".", benchSession) //nolint:errcheck // there is none where the measurement failed early
	defer func() { k.stop() }()          // the one that runs then
	r := &benchKernelReport{Ready: milliseconds(k.took), Magics: magics, Cells: cells}
	// First of all: what the first Tab of a notebook waits for.
	completion, err := firstCompletion(ctx, k.front)
	if err != nil {
		return nil, err
	}
	if err := runCell(ctx, k.front, openBenchSession); err != nil {
		return nil, err
	}
	if err := r.measureMagics(ctx, k.front); err != nil {
		return nil, err
	}
	if err := r.measureGo(ctx, k.front); err != nil {
		r.Why = errs.Of(err).Error()
	} else {
		r.Go, r.Completion = true, completion
		if r.Relay, err = measureRelay(ctx, k.front, dir, cells); err != nil {
			return nil, err
		}
	}
	if k, r.Restart, err = restart(k, start); err != nil {
		return nil, err
	}
	if err := r.measureFirst(ctx, k); err != nil {
		return nil, err
	}
	return r, nil
}

// How long a kernel takes to start, to restart, to answer a %fsnet line, to run FSNET_TEST_CELLS Go cells of each kind, to pass a cell on to
// GoNB and to complete Go code. How long is not judged here, on a machine that is often busy: with -v it is printed beside the aims.
func TestBenchKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	if _, err := toolchain.Find(system.Home()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	cells := fromEnvironment(t, "FSNET_TEST_CELLS", 3)
	r, err := benchKernel(t.Context(), 3*cells, cells, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out.String())
	switch {
	case !r.Go:
		t.Errorf("Go cells were not measured: %s", r.Why)
	case r.Restart <= 0 || r.VerbInCell <= 0 || r.Help <= 0 || r.Magic <= 0 || r.SessionCell <= 0 || r.First <= 0 || r.Again <= 0:
		t.Errorf("not all was measured: %+v", *r)
	}
}

// measureMagics measures a %fsnet line, at rest and during a run.
func (r *benchKernelReport) measureMagics(ctx context.Context, front *fronttest.Front) (err error) {
	status := func(int) string { return "%fsnet status" }
	if r.Magic, err = median(ctx, front, r.Magics, status); err != nil {
		return err
	}
	if err = runCell(ctx, front, "%fsnet run wait=false"); err != nil {
		return err
	}
	if r.MagicInRun, err = median(ctx, front, r.Magics, status); err != nil {
		return err
	}
	return runCell(ctx, front, "%fsnet pause")
}

// measureGo measures Go cells, and what is answered beside one. An error says why there are none.
func (r *benchKernelReport) measureGo(ctx context.Context, front *fronttest.Front) (err error) {
	// The first Go cells fill the build cache.
	if err = runCell(ctx, front, "%%\nfmt.Println(\"warm\")"); err != nil {
		return err
	}
	if r.Println, err = median(ctx, front, r.Cells,
		func(i int) string { return fmt.Sprintf("%%%%\nfmt.Println(\"cell %d\")", i) }); err != nil {
		return err
	}
	if err = runCell(ctx, front, "var s = session.Use(\""+benchSession+"\", session.Config{})\n%%\ns.Must().Status()"); err != nil {
		return err
	}
	if r.SessionCell, err = median(ctx, front, r.Cells,
		func(i int) string { return fmt.Sprintf("%%%%\nfmt.Println(%d, s.Must().Status().Step)", i) }); err != nil {
		return err
	}
	return r.measureBeside(ctx, front)
}

// measureFirst measures what the first Go cell of a kernel takes that has just been started, with its start, and one that is run again.
func (r *benchKernelReport) measureFirst(ctx context.Context, k *kernelProcess) (err error) {
	if !r.Go {
		return nil
	}
	again := func(int) string { return "%%\nfmt.Println(\"first\")" }
	began := time.Now()
	if err = runCell(ctx, k.front, again(0)); err != nil {
		return err
	}
	r.First = milliseconds(k.took + time.Since(began))
	if err = runCell(ctx, k.front, again(1)); err != nil { // the go command may have built the first one
		return err
	}
	r.Again, err = median(ctx, k.front, r.Cells, again)
	return err
}

// measureBeside measures what the kernel answers while a Go cell computes. Cells wait for each other; live views and questions do not.
func (r *benchKernelReport) measureBeside(ctx context.Context, front *fronttest.Front) error {
	running, err := front.Start("execute_request",
		jupyter.ExecuteRequest{Code: "%%\nfmt.Println(\"at \" + os.Getenv(\"FSNET_SOCKET\") + \" .\")\nfor { }"})
	if err != nil {
		return err
	}
	defer func() {
		front.StartControl("interrupt_request", nil) //nolint:errcheck // the kernel is stopped in any case
		limited, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		running.Wait(limited) //nolint:errcheck // as above
	}()
	socket := ""
	if err := running.Until(ctx, func(m jupyter.Message) bool {
		var s jupyter.Stream
		if m.Header.Type == "stream" && m.Decode(&s) == nil {
			if words := strings.Fields(s.Text); len(words) == 3 {
				socket = words[1]
			}
		}
		return socket != "" || m.Header.Type == "error"
	}); err != nil {
		return err
	}
	client, err := session.Dial(ctx, socket)
	if err != nil {
		return err
	}
	defer client.Disconnect()
	if r.VerbInCell, err = medianOfCalls(r.Magics, func() error {
		_, err := session.On(client, benchSession).Status(ctx)
		return err
	}); err != nil {
		return err
	}
	const line = "%fsnet set lam"
	r.Help, err = medianOfCalls(r.Magics, func() error {
		if _, err := front.Ask(ctx, "complete_request", jupyter.CompleteRequest{Code: line, CursorPos: len(line)}); err != nil {
			return err
		}
		_, err := front.Ask(ctx, "inspect_request", jupyter.InspectRequest{Code: line + "bda", CursorPos: len(line)})
		return err
	})
	return err
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

// measureRelay runs a magic of GoNB's through the kernel and in a GoNB of its own, in turn, and gives the median of the differences.
func measureRelay(ctx context.Context, front *fronttest.Front, dir string, pairs int) (float64, error) {
	tools, err := toolchain.Find(system.Home())
	if err != nil {
		return 0, err
	}
	// As under the kernel it finds a gopls that ends at once: its own would outlive it.
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), os.WriteFile(filepath.Join(bin, "gopls"), []byte("#!/bin/sh\n"), 0o700)); err != nil {
		return 0, errs.Wrap(err, errs.Failed, "set TMPDIR to a directory that you may write to", "no directory for the measurement")
	}
	command := exec.CommandContext(ctx, tools.GoNB, "-raw_error", "-kernel")
	command.Env = append(os.Environ(), "PATH="+bin+":"+filepath.Dir(tools.Go)+":"+filepath.Dir(tools.Goimports)+":"+os.Getenv("PATH"),
		"TMPDIR="+dir)
	direct, err := startKernel(ctx, command, dir)
	if err != nil {
		return 0, err
	}
	defer direct.front.Close()
	defer direct.kill()
	pairs = max(pairs, 51) // a pair takes some milliseconds
	differences := make([]float64, pairs)
	for i := range differences {
		var took [2]time.Duration
		for j, front := range []*fronttest.Front{front, direct.front} {
			began := time.Now()
			if err := runCell(ctx, front, fmt.Sprintf("%%env FSNET_BENCH %d", i)); err != nil {
				return 0, err
			}
			took[j] = time.Since(began)
		}
		differences[i] = milliseconds(took[0] - took[1])
	}
	slices.Sort(differences)
	return differences[pairs/2], nil
}

// restart shuts the kernel down as a front end does that restarts it, and starts the next one.
func restart(k *kernelProcess, start func() (*kernelProcess, error)) (*kernelProcess, float64, error) {
	began := time.Now()
	k.stop()
	next, err := start()
	if err != nil {
		return k, 0, err
	}
	return next, milliseconds(time.Since(began)), nil
}

func medianOfCalls(n int, call func() error) (float64, error) {
	times := make([]float64, n)
	for i := range times {
		began := time.Now()
		if err := call(); err != nil {
			return 0, err
		}
		times[i] = milliseconds(time.Since(began))
	}
	slices.Sort(times)
	return times[n/2], nil
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

func median(ctx context.Context, front *fronttest.Front, n int, code func(int) string) (float64, error) {
	i := -1
	return medianOfCalls(n, func() error {
		i++
		return runCell(ctx, front, code(i))
	})
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

// What a person should not notice, in milliseconds.
const (
	readyTarget      = 1000.0
	restartTarget    = 2000.0
	magicTarget      = 5.0
	relayTarget      = 2.0
	cellTarget       = 200.0
	firstTarget      = 2000.0
	completionTarget = 1000.0
)

// benchKernelReport is medians in milliseconds, from sending a cell until its reply and all its output are there.
type benchKernelReport struct {
	Ready float64 // from the start of the process to its first answer
	// from a request to shut down, with a session open, to the first answer of the next kernel
	Restart    float64
	Magic      float64 // a %fsnet status line
	MagicInRun float64 // the same while the session runs in the background
	// status while a Go cell computes, as a live view or another program asks the kernel for it
	VerbInCell  float64
	Help        float64 // what a %fsnet line could become, and means, while a Go cell computes
	Relay       float64 // what a GoNB magic takes more through the kernel than from GoNB alone, in pairs
	Println     float64 // a changed Go cell
	SessionCell float64 // a changed Go cell that asks for a session's status
	Again       float64 // a Go cell that is run again
	First       float64 // from the start of the process to the end of its first Go cell
	Completion  float64 // the first completion of Go code, such as a notebook's first Tab waits for
	Magics      int     // how many %fsnet lines were measured
	Cells       int     // how many cells of each kind were measured
	Go          bool    // Go cells could be measured
	Why         string  // why they could not be measured
}

// benchFigure is one time of the report.
type benchFigure struct {
	name          string
	value, wanted float64 // wanted 0 is no aim
}

func (f benchFigure) met() bool { return f.wanted == 0 || f.value <= f.wanted }

// figures are the times that could be measured, in the order of the report.
func (r *benchKernelReport) figures() []benchFigure {
	list := []benchFigure{
		{"kernel ready", r.Ready, readyTarget},
		{"kernel restarted", r.Restart, restartTarget},
		{"a %fsnet line", r.Magic, magicTarget},
		{"  while its session runs", r.MagicInRun, magicTarget},
	}
	if !r.Go {
		return list
	}
	return append(list,
		benchFigure{"  a verb while a Go cell computes", r.VerbInCell, magicTarget},
		benchFigure{"  completed and explained while it does", r.Help, magicTarget},
		benchFigure{"a cell passed on to GoNB and back", r.Relay, relayTarget},
		benchFigure{"a Go cell that prints", r.Println, 0},
		benchFigure{"a Go cell that asks a session", r.SessionCell, cellTarget},
		benchFigure{"a Go cell that is run again", r.Again, 0},
		benchFigure{"kernel started and its first Go cell run", r.First, firstTarget},
		benchFigure{"first completion of Go code", r.Completion, completionTarget},
	)
}

func (r *benchKernelReport) print(out io.Writer) error {
	for _, f := range r.figures() {
		note := ""
		if f.wanted > 0 {
			verdict := "met"
			if !f.met() {
				verdict = "MISSED"
			}
			note = fmt.Sprintf("   (wanted: at most %g ms, %s)", f.wanted, verdict)
		}
		fmt.Fprintf(out, "%-42s %8.1f ms%s\n", f.name, f.value, note)
	}
	if !r.Go {
		fmt.Fprintf(out, "Go cells: %s\n", r.Why)
	}
	_, err := fmt.Fprintf(out, "medians of %s and %s of each kind, warm\n", phrase.Count(r.Magics, "line"), phrase.Count(r.Cells, "cell"))
	return err
}
