package widgets_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets"
)

func ExampleShow() {
	widgets.Show(widgets.Markdown("**ten** genes of $7129$"))
	widgets.Show([]struct {
		Gene  string
		Share float64
	}{{"CST3", 0.91}, {"ZYX", 0.87}})
}

func ExampleDisplay() {
	for epoch := range 3 {
		widgets.Display("epoch", epoch) // one place, three values
	}
}

func ExampleProgress() {
	sum := 0
	for i := range widgets.Progress(100, "adding") {
		sum += i
	}
	fmt.Println(sum)
	// Output: 4950
}

func ExampleAsk() {
	fmt.Println("the user typed", widgets.Ask("whose data? "))
	// Output: the user typed a line
}

func ExampleAskSecretly() {
	fmt.Println("the user typed", len(widgets.AskSecretly("key: ")), "characters")
	// Output: the user typed 8 characters
}

// Show and Display ask the kernel for each value.
func TestShow_AsksTheKernel(t *testing.T) {
	asked.takeShown()
	widgets.Show(widgets.HTML("<b>x</b>"), 3)
	widgets.Display("place", "y")
	list := asked.takeShown()
	if len(list) != 3 {
		t.Fatalf("asked for %v", list)
	}
	for i, want := range []string{
		"map[data:map[text/html:<b>x</b> text/plain:x]]", "map[data:map[text/plain:3]]", "map[data:map[text/plain:y] id:place]",
	} {
		if got := fmt.Sprint(list[i]); got != want {
			t.Errorf("asked for %s, want %s", got, want)
		}
	}
}

// A bar starts at nothing and ends at all, or where the loop was left. It is
// one display.
func TestProgress_OfALoop(t *testing.T) {
	for left, want := range map[int]string{-1: "5 of 5", 2: "2 of 5"} {
		asked.takeShown()
		seen := 0
		for i := range widgets.Progress(5, "five", "halves") {
			if i == left {
				break
			}
			if seen++; i != seen-1 {
				t.Errorf("%d comes at place %d", i, seen)
			}
		}
		list := asked.takeShown()
		first, last := fmt.Sprint(list[0]), fmt.Sprint(list[len(list)-1])
		if !strings.Contains(first, "0 of 5 · as of 2") || strings.Contains(last, "5 of 5 ·") || !strings.Contains(last, want) || !strings.Contains(last, "five halves") {
			t.Errorf("from %s to %s, want %s", first, last, want)
		}
		if list[0]["id"] != list[len(list)-1]["id"] || list[0]["id"] == "" {
			t.Errorf("displays %v and %v", list[0]["id"], list[len(list)-1]["id"])
		}
	}
	for range widgets.Progress(-1) {
		t.Error("a loop of -1 runs")
	}
	asked.takeShown()
}

type broken struct{}

func (broken) MimeBundle() map[string]any { panic("no\nno") }

// If a cell fails, it says one line and ends. Outside a notebook, values are
// text. The test runs this binary as cells.
func TestShow_InCells(t *testing.T) {
	switch os.Getenv("FSNET_TEST_CELL") {
	case "broken value":
		widgets.Show(broken{})
		os.Exit(7) // not reached
	case "broken session":
		widgets.SelectionMatrix(session.Use("broken", session.Config{}))
		os.Exit(7)
	case "unanswered":
		fmt.Println(widgets.Ask("unanswered"))
		os.Exit(7)
	case "text":
		if err := os.Unsetenv(session.SocketVariable); err != nil {
			t.Fatal(err)
		}
		widgets.Show(widgets.HTML("<b>bold</b>"), []int{1})
		for range widgets.Progress(3, "three") {
		}
		os.Exit(0)
	}
	for _, c := range []struct {
		cell, environment string
		status            int
		out, problem      string
	}{
		{"broken value", "", 1, "", "a widgets_test.broken cannot be shown: it panicked with no no - fix that method, or show something else\n"},
		{"broken session", "", 1, "", "no P yet - step first\n"},
		{"unanswered", "", 1, "", "this front end cannot ask - give the value in the cell\n"},
		{"unanswered", session.SocketVariable + "=/nonexistent/socket", 1, "", "/nonexistent/socket"},
		{"text", "", 0, "bold\n[1]\n", "three ██████████████████████████████ 3 of 3\n"},
	} {
		cell := exec.Command(os.Args[0], "-test.run=^TestShow_InCells$")
		cell.Env = append(os.Environ(), "FSNET_TEST_CELL="+c.cell)
		if c.environment != "" {
			cell.Env = append(cell.Env, c.environment)
		}
		var out, problem strings.Builder
		cell.Stdout, cell.Stderr = &out, &problem
		err := cell.Run()
		status := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			status = exit.ExitCode()
		}
		if status != c.status || out.String() != c.out || !strings.Contains(problem.String(), c.problem) || strings.Count(problem.String(), "\n") != 1 {
			t.Errorf("%s %s ended with %v and printed %q and %q, want %q and one line with %q", c.cell, c.environment, err, out.String(),
				problem.String(), c.out, c.problem)
		}
	}
}
