package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

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
	tools, err := toolchain.Find(installation.Home())
	if err != nil {
		return 0, err
	}
	// As under the kernel it finds a gopls that ends at once: its own would outlive it.
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), os.WriteFile(filepath.Join(bin, "gopls"), []byte("#!/bin/sh\n"), 0o700)); err != nil {
		return 0, fault.Wrap(err, fault.Failed, "set TMPDIR to a directory that you may write to", "no directory for the measurement")
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
		return fault.Wrap(err, fault.Failed, "run fsnet doctor", "the kernel does not answer")
	}
	var reply jupyter.ErrorReply
	if err := answer.Reply.Decode(&reply); err != nil {
		return err
	}
	if reply.Status != "ok" {
		return fault.New(fault.Failed, "", "%s", reply.Value)
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
