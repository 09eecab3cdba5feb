package study_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/study"
	"fsnetlab/tests/kit/devicetest"
)

// The test binary is also the processes of its tests.
const role = "FSNET_TEST_ROLE"

func TestMain(m *testing.M) {
	replies := func() *os.File { return os.NewFile(study.ReplyFile, "replies") }
	switch os.Getenv(role) {
	case "worker":
		if err := study.Serve(context.Background(), os.Stdin, replies()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(errs.ExitStatus(err))
		}
		os.Exit(0)
	case "broken": // ends before it is ready
		os.Exit(3)
	case "nonsense":
		fmt.Fprintln(replies(), "hello")
		os.Exit(0)
	case "parent": // of a worker, whose standard output is this one's
		parent()
	case "cores":
		fmt.Println(study.AllowedCores())
		os.Exit(0)
	}
	devicetest.Main(m)
}

// as makes a process of this binary in a role.
func as(name string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), role+"="+name)
	c.Stderr = os.Stderr
	return c
}

// parent trains for hours, and says so when it has begun.
func parent() {
	plan, err := study.Replicas(nil, config.Config{Data: os.Getenv("FSNET_TEST_DATA"), Label: "class", K: 3, Epochs: 100_000_000, Stop: "never",
		Backend: "go"}, 2)
	if err != nil {
		panic(err)
	}
	runner := &study.Workers{Count: 2, Command: func() *exec.Cmd {
		c := as("worker")
		c.Stdout = os.Stdout
		return c
	}}
	_, err = runner.Run(context.Background(), plan, nil, func(p study.Progress) error {
		if p.Steps > 0 {
			fmt.Println("training")
		}
		return nil
	})
	panic(err)
}
