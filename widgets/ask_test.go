package widgets_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"fsnetlab/widgets"
)

func ExampleAsk() {
	fmt.Println("the user typed", widgets.Ask("whose data? "))
	// Output: the user typed a line
}

func ExampleAskSecretly() {
	fmt.Println("the user typed", len(widgets.AskSecretly("key: ")), "characters")
	// Output: the user typed 8 characters
}

// TestNoAnswerEndsTheCell runs this binary as a cell whose user cannot be asked, and as a program outside a notebook.
func TestNoAnswerEndsTheCell(t *testing.T) {
	if os.Getenv("FSNET_TEST_CELL") == "1" {
		fmt.Println(widgets.Ask("unanswered"))
		os.Exit(7) // not reached
	}
	for _, c := range []struct{ environment, want string }{
		{"FSNET_TEST_CELL=1", "this front end cannot ask - give the value in the cell\n"},
		{"FSNET_SOCKET=/nonexistent/socket", "/nonexistent/socket"},
	} {
		cell := exec.Command(os.Args[0], "-test.run=^TestNoAnswerEndsTheCell$")
		cell.Env = append(os.Environ(), "FSNET_TEST_CELL=1", c.environment)
		var out, problem strings.Builder
		cell.Stdout, cell.Stderr = &out, &problem
		err := cell.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || out.Len() > 0 {
			t.Fatalf("the cell ended with %v, want exit status 1; it printed %q %q", err, out.String(), problem.String())
		}
		if got := problem.String(); !strings.Contains(got, c.want) || strings.Count(got, "\n") != 1 {
			t.Errorf("printed %q, want %q", got, c.want)
		}
	}
}
