package laboratory

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The same seed gives the same messages, another one others; a twentieth of them is rightly signed and new.
func TestNonsenseIsAFunctionOfItsSeed(t *testing.T) {
	many := 2000
	if testing.Short() { // the race detector's build signs ten times as long
		many = 400
	}
	first, again, other := newNonsense(1, "key"), newNonsense(1, "key"), newNonsense(2, "key")
	shapes := func(frames [][]byte) []int {
		lengths := make([]int, len(frames))
		for i, f := range frames {
			lengths[i] = len(f)
		}
		return lengths
	}
	good, same := 0, 0
	for i := range many {
		a, right := first.next()
		b, _ := again.next()
		c, _ := other.next()
		if right {
			good++
		}
		if !slices.Equal(shapes(a), shapes(b)) { // ids and dates in them are always new
			t.Fatalf("message %d differs", i)
		}
		if slices.EqualFunc(a, c, bytes.Equal) {
			same++
		}
	}
	if good < many/40 || good > many/10 || same > many/4 {
		t.Errorf("%d of %d are rightly signed, %d are those of another seed", good, many, same)
	}
}

func TestFloodIsJudged(t *testing.T) {
	early := Use{Files: 31, Threads: 10, MB: 50}
	for _, c := range []struct {
		after Use
		want  string
	}{
		{Use{Files: 31, Threads: 18, MB: 75}, ""},
		{Use{Files: 30, Threads: 9, MB: 40}, ""},
		{Use{Files: 32, Threads: 10, MB: 50}, "open files by 1"},
		{Use{Files: 31, Threads: 19, MB: 50}, "threads by 9"},
		{Use{Files: 31, Threads: 10, MB: 76}, "memory by 26 MB"},
	} {
		r := FloodReport{Before: Use{Files: 31, MB: 20}, Early: early, After: c.after}
		r.judge()
		if r.Survived != (c.want == "") || !strings.Contains(r.Why, c.want) {
			t.Errorf("%+v: %t, %q, want %q", c.after, r.Survived, r.Why, c.want)
		}
	}
}

func TestCrashesAreCounted(t *testing.T) {
	r := CrashReport{Victims: map[string]int{}}
	r.add(Crash{Number: 1, Victim: "host"})
	r.add(Crash{Number: 2, Victim: "kernel", Activity: "run", After: time.Second, Left: 1, Lost: 3, Wrong: []string{"gonb lives on"}})
	if r.Kills != 2 || r.Survived != 1 || r.Left != 1 || r.Lost != 3 || r.Victims["host"] != 1 || len(r.Wrong) != 1 || r.Wrong[0] != "2: kernel, run, 1s: gonb lives on" {
		t.Errorf("%+v", r)
	}
}

// A process and what it has started are found, and what they have is added up.
func TestUseOfProcesses(t *testing.T) {
	if !Visible() {
		t.Skip("NOT TESTED: there is no /proc here")
	}
	cmd := exec.Command("cat")
	if _, err := cmd.StdinPipe(); err != nil { // it waits
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	family := Descendants(os.Getpid())
	own, both := UseOf(os.Getpid()), UseOf(os.Getpid(), cmd.Process.Pid)
	if !slices.Contains(family, cmd.Process.Pid) || own.Processes != 1 || own.Files < 3 || own.Threads < 1 || own.MB <= 0 || both.Processes != 2 || both.MB <= own.MB/2 {
		t.Errorf("the family is %v; own %+v, with a child %+v", family, own, both)
	}
	cmd.Process.Kill() //nolint:errcheck // it runs
	cmd.Wait()         //nolint:errcheck // killed
	if left := UseOf(cmd.Process.Pid); left.Processes != 0 {
		t.Errorf("what has ended has %+v", left)
	}
}
