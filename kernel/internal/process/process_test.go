package process

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"fsnetlab/internal/alive"
)

// group starts a shell that starts a grandchild deaf to SIGTERM, and gives the grandchild's id.
func group(t *testing.T, script string) (*Process, int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	// Not cmd's own pipe: it is closed when the leader has ended, perhaps before it was read.
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = in
	p, err := Start(cmd)
	in.Close()
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return p, id
}

func gone(t *testing.T, pid int) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); alive.Process(pid); {
		if time.Now().After(limit) {
			t.Fatalf("process %d lives on", pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestStopEndsTheWholeGroup(t *testing.T) {
	p, grandchild := group(t, `trap "" TERM; sleep 60 & echo $!; wait; wait`)
	p.Stop(50 * time.Millisecond)
	gone(t, p.ID())
	gone(t, grandchild)
}

func TestAGroupEndsWithItsLeader(t *testing.T) {
	p, grandchild := group(t, `sleep 60 & echo $!; kill -9 $$`)
	<-p.Done()
	if p.Err() == nil {
		t.Error("a killed process ends without an error")
	}
	gone(t, grandchild)
}

func TestStopTwice(t *testing.T) {
	p, err := Start(exec.Command("sleep", "60"))
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(time.Second)
	p.Stop(time.Second)
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	if _, err := Start(exec.Command("/nonexistent/program")); err == nil {
		t.Error("no error")
	}
}

func TestTail(t *testing.T) {
	var tail tail
	all := func(string) bool { return true }
	if got := tail.last(all); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	for range 1000 {
		tail.Write([]byte("much to say\n"))
	}
	tail.Write([]byte("the reason\n\n  \n"))
	if got := tail.last(all); got != "the reason" || len(tail.text) > tailLength {
		t.Errorf("%q of %d bytes", got, len(tail.text))
	}
	if got := tail.last(func(line string) bool { return strings.HasPrefix(line, "much") }); got != "much to say" {
		t.Errorf("%q", got)
	}
}

func TestLastWordsQuoteTheLastFatalLine(t *testing.T) {
	p, err := Start(exec.Command("sh", "-c", `for i in 1 2 3 4 5 6 7 8 9; do echo "I1121 all is well, Fine even"; done`))
	if err != nil {
		t.Fatal(err)
	}
	if <-p.Done(); p.How() != "" || p.LastWords(false) != ": I1121 all is well, Fine even" {
		t.Errorf("of no error: %q, %q", p.How(), p.LastWords(false))
	}
	p, err = Start(exec.Command("sh", "-c", `printf 'F1121 12:00 main.go:3] \033[7mfailed\033[0m\nI1121 more\n' >&2; exit 3`))
	if err != nil {
		t.Fatal(err)
	}
	if <-p.Done(); p.How() != " (exit status 3): F1121 12:00 main.go:3] failed" {
		t.Errorf("of an error: %q", p.How())
	}
}

func TestLock(t *testing.T) {
	g := NewLock()
	if err := g.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if g.Acquire(ctx) == nil {
		t.Error("two are inside")
	}
	g.Release()
	if err := g.Acquire(t.Context()); err != nil {
		t.Error(err)
	}
}
