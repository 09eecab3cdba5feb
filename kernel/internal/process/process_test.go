package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"fsnetlab/internal/system"
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
	for limit := time.Now().Add(time.Minute); system.Alive(pid); {
		if time.Now().After(limit) {
			t.Fatalf("process %d lives on", pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Stop ends the process and its children, even those that ignore SIGTERM, and
// can be repeated.
func TestProcess_StopEndsGroup(t *testing.T) {
	p, grandchild := group(t, `trap "" TERM; sleep 60 & echo $!; wait; wait`)
	for range 2 { // again is no error
		p.Stop(50 * time.Millisecond)
	}
	gone(t, p.ID())
	gone(t, grandchild)
}

// If the leader of a group is killed, its children end as well.
func TestProcess_GroupEndsWithLeader(t *testing.T) {
	p, grandchild := group(t, `sleep 60 & echo $!; kill -9 $$`)
	<-p.Done()
	if p.Err() == nil {
		t.Error("a killed process ends without an error")
	}
	gone(t, grandchild)
}

// The last words quote the last fatal line of the output, or else its last
// line.
func TestProcess_LastWords(t *testing.T) {
	p, err := Start(exec.Command("sh", "-c", `for i in $(seq 500); do echo "I1121 all is well, Fine even"; done; printf '\n  \n'`))
	if err != nil {
		t.Fatal(err)
	}
	if <-p.Done(); p.How() != "" || p.LastWords(false) != ": I1121 all is well, Fine even" || len(p.words.text) > tailLength {
		t.Errorf("of no error: %q, %q, %d bytes are kept", p.How(), p.LastWords(false), len(p.words.text))
	}
	p, err = Start(exec.Command("sh", "-c", `printf 'F1121 12:00 main.go:3] \033[7mfailed\033[0m\nI1121 more\n' >&2; exit 3`))
	if err != nil {
		t.Fatal(err)
	}
	if <-p.Done(); p.How() != " (exit status 3): F1121 12:00 main.go:3] failed" {
		t.Errorf("of an error: %q", p.How())
	}
}

// A lock admits one holder. A waiter gives up with its context.
func TestLock_Exclusive(t *testing.T) {
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

// Lines are passed on whole, a long one is cut, and the last one needs no
// newline.
func TestLines_LongAndUnfinished(t *testing.T) {
	long := strings.Repeat("x", 3*longestLine)
	for text, want := range map[string][]string{
		"":                     nil,
		"\n":                   {""},
		"a\n\nb\n":             {"a", "", "b"},
		"a\nno end":            {"a", "no end"},
		long + "\nb\n":         {long[:longestLine], "b"},
		long:                   {long[:longestLine]},
		long[:100_000] + "\nb": {long[:100_000], "b"},
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
			if got := slices.Collect(Lines(r)); !slices.Equal(got, want) {
				t.Errorf("%.20q: %d lines, %.40q", text, len(got), got)
			}
		}
	}
	broken := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("gone")))
	if got := slices.Collect(Lines(broken)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q", got)
	}
	for range Lines(strings.NewReader("a\nb\n")) {
		break // which must be allowed
	}
}

// Of a child's output, the lines of its log are passed on whole, however they
// arrive.
func TestProcess_PassesOnLogLines(t *testing.T) {
	const line = "time=2026-01-02T03:04:05Z level=WARN msg=\"a thing\"\n"
	var log strings.Builder
	words := tail{log: &log}
	for _, part := range []string{"I0000 a library's own\n" + line[:7], line[7:] + "time=now\nlevel=x" + line, line + line[:20]} {
		if n, err := words.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d of %d, %v", n, len(part), err)
		}
	}
	if log.String() != line+line {
		t.Errorf("the log has %q", log.String())
	}
}

// begin starts a shell that says when it is ready.
func begin(t *testing.T, script string) *Process {
	t.Helper()
	cmd := exec.Command("sh", "-c", script+"\necho ready\nread line")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cmd.Stdout = writer
	p, err := Start(cmd)
	writer.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	if _, err := bufio.NewReader(reader).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return p
}

func find(t *testing.T, id int) Info {
	t.Helper()
	list, err := List()
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	for _, p := range list {
		if p.ID == id {
			p.Detail()
			return p
		}
	}
	t.Fatalf("process %d is not among %d", id, len(list))
	return Info{}
}

// The list tells which processes ignore an interrupt, with their parents.
func TestList_IgnoredInterrupts(t *testing.T) {
	for script, ignores := range map[string]bool{"": false, "trap '' INT": true, "trap 'exit' INT": false, "trap '' TERM": false} {
		process := begin(t, script)
		p := find(t, process.ID())
		if p.Ignores != ignores {
			t.Errorf("%q ignores %t", script, p.Ignores)
		}
		if chain := Ancestry(p.ID); p.Parent != os.Getpid() || len(chain) < 2 || chain[0] != p.Key() || chain[1].ID != os.Getpid() {
			t.Errorf("%+v, %+v", p, chain)
		}
		process.Stop(0)
		list, err := List()
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range list {
			if other.Key() == p.Key() {
				t.Errorf("a process that has ended is listed: %+v", other)
			}
		}
	}
}
