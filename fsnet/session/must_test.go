package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"fsnetlab/fsnet/session"
)

// cellVariable names the cell that a child process of these tests is.
const cellVariable = "FSNET_TEST_CELL"

// cells are what people write in notebooks.
func cells() map[string]func() {
	return map[string]func(){
		"all is well": func() {
			var s = session.Use("leukemia", small())
			fmt.Println(s.Must().Step(3).Step)
			fmt.Println(s.Must().Set(session.Config{Lambda: new(2.0)}))
			fmt.Println(len(s.Must().Matrix(session.MatrixRequest{}).Values), len(s.Must().History(session.HistoryRequest{}).Curves) > 0)
			fmt.Println(s.Must().Evaluate("train").Rows, s.Must().Pause().State, s.Must().Run(session.Until{Step: 5}).Step)
			fmt.Println(s.Must().Selection())
			fmt.Println(s.Must().Status())
			s.Must().Open()
			s.Must().Replace()
			s.Must().Close()
		},
		"wrong step": func() {
			session.Use("leukemia", small()).Must().Step(0)
			fmt.Println("not reached")
		},
		"no kernel": func() { session.Use("leukemia", small()).Must().Open() },
		"no view": func() {
			session.ExitOn(session.Use("leukemia", small()).Show(context.Background(), session.ViewRequest{View: "matrix"}))
		},
		"endless run": func() {
			c := small()
			c.Epochs = 1_000_000_000
			var s = session.Use("leukemia", c)
			s.Must().Open()
			fmt.Println("running")
			s.Must().Run(session.Until{})
			fmt.Println("not reached")
		},
	}
}

func cell(name string) (command *exec.Cmd, stdout, stderr *strings.Builder) {
	command = exec.Command(os.Args[0])
	command.Env = append(os.Environ(), cellVariable+"="+name)
	stdout, stderr = new(strings.Builder), new(strings.Builder)
	command.Stdout, command.Stderr = stdout, stderr
	return command, stdout, stderr
}

func status(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

// Must works in a cell: a whole program of verbs prints its results.
func TestMust_InACell(t *testing.T) {
	newDemo(t)
	command, stdout, stderr := cell("all is well")
	if err := command.Run(); err != nil || stderr.String() != "" {
		t.Fatalf("%v, %s", err, stderr)
	}
	for _, want := range []string{"3\n", "lambda 1 → 2", "3 true", "20 paused 5", "1. gene00", "leukemia: paused at step 5 of 60"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// A cell that fails prints one line and no stack.
func TestMust_EndsTheCell(t *testing.T) {
	newDemo(t)
	socket := os.Getenv(session.SocketVariable)
	for name, c := range map[string]struct{ socket, words string }{
		"wrong step": {socket, "step 0 is not ahead of the present step - use 1 or more"},
		"no kernel":  {"", "no FsNet kernel"},
		"no view":    {socket, `the method "view" is not known`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(session.SocketVariable, c.socket)
			command, stdout, stderr := cell(name)
			if code := status(t, command.Run()); code != 1 {
				t.Errorf("exit status %d", code)
			}
			if stdout.String() != "" || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), c.words) {
				t.Errorf("stdout %q, stderr %q", stdout, stderr)
			}
		})
	}
}

// The notebook's stop button pauses the run and ends the cell with a line that
// says where it is. If a cell is killed, its run goes on.
func TestMust_InterruptedCell(t *testing.T) {
	h := newDemo(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		command, _, stderr := cell("endless run")
		command.Stdout = nil
		out, err := command.StdoutPipe()
		require(t, err)
		require(t, command.Start())
		if _, err := io.ReadFull(out, make([]byte, len("running\n"))); err != nil {
			t.Fatal(err)
		}
		before := 0
		for running := false; !running; {
			status, err := session.On(h, "leukemia").Status(t.Context())
			require(t, err)
			running = status.State == session.Running && status.Step > before
			before = status.Step
		}
		require(t, command.Process.Signal(signal))
		rest, err := io.ReadAll(out)
		require(t, err)
		code := status(t, command.Wait())
		now, err := session.On(h, "leukemia").Status(t.Context())
		require(t, err)
		if signal == syscall.SIGKILL {
			if now.State != session.Running {
				t.Errorf("its cell was killed, and the run is %s", now.State)
			}
			continue
		}
		if code != 130 || len(rest) > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), `interrupted: session "leukemia" stands at step`) {
			t.Errorf("exit status %d, stdout %q, stderr %q", code, rest, stderr)
		}
		if now.State != session.Paused {
			t.Errorf("interrupted, and the run is %s", now.State)
		}
	}
}
