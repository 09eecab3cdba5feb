package kernel

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/testhost"
)

// While a session runs in the background, cells are answered, and other sessions train.
func TestCellsDuringARunInTheBackground(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	if shown := l.ok("%fsnet run wait=false").texts(); len(shown) != 1 || !strings.Contains(shown[0], "running") {
		t.Errorf("begun it shows %q", shown)
	}
	if shown := l.ok("%fsnet status").texts(); !strings.Contains(shown[0], "running") {
		t.Errorf("it is %q", shown)
	}
	l.fails("%fsnet step", "running since", "pause it first")
	l.fails("%fsnet rewind 0", "running since", "pause it first")
	l.ok("%fsnet matrix\n%fsnet set lambda=0.5\n%fsnet history\n%fsnet version")
	l.kernel.Interrupt() // no cell waits for it
	l.ok("%fsnet fork branch\n%fsnet step 5")
	if shown := l.ok("%fsnet sessions").texts(); len(shown) != 1 ||
		!strings.Contains(shown[0], "paused") || !strings.Contains(shown[0], "running") {
		t.Errorf("the sessions are %q", shown)
	}
	if shown := l.ok("%fsnet pause leukemia").texts(); !strings.Contains(shown[0], "paused") {
		t.Errorf("paused it is %q", shown)
	}
	l.ok("%fsnet step 3")
}

func TestRewindAndFork(t *testing.T) {
	l := newLab(t)
	l.ok(openShort + "\n%fsnet step 9")
	at := l.ok("%fsnet status").texts()[0]
	l.ok("%fsnet fork branch step=6\n%fsnet step 3") // of the fork
	l.ok("%fsnet step leukemia 4")
	if got := l.ok("%fsnet rewind 9").texts()[0]; clockless(got) != clockless(at) {
		t.Errorf("rewound:\n%s\nwant\n%s", got, at)
	}
	if got := l.ok("%fsnet status branch").texts()[0]; clockless(got) != clockless(strings.ReplaceAll(at, "leukemia", "branch")) {
		t.Errorf("the fork:\n%s\nwant\n%s", got, at)
	}
	if events := l.ok("%fsnet history leukemia").texts()[0]; !strings.Contains(events, "rewound from step 13") {
		t.Errorf("the events are %q", events)
	}
	if got := l.ok("%fsnet rewind leukemia epoch=2").texts()[0]; !strings.Contains(got, "step 6 ") {
		t.Errorf("rewound to an epoch: %s", got)
	}
	l.fails("%fsnet rewind 7", "from 0 to 6")
	l.fails("%fsnet fork leukemia branch", "another name")
}

func TestGoCellsForkRewindAndRunInTheBackground(t *testing.T) {
	l := newGoLab(t)
	l.ok("import \"fsnetlab/fsnet/session\"\n\n" +
		"var s = session.Use(\"leukemia\", session.Config{Data: \"planted\", K: 3, Epochs: 1000000000, Stop: \"never\"})")
	r := l.ok("%%\ns.Must().Step(9)\nbranch := s.Must().Fork(\"branch\", 6)\n" +
		"fmt.Println(branch.Must().Step(1).Step, s.Must().Rewind(4).Step)\nfmt.Println(s.Must().Run(session.Until{Wait: new(false)}).State)")
	if got := r.stream("stdout"); got != "7 4\nrunning\n" {
		t.Errorf("it prints %q", got)
	}
	if shown := l.ok("%fsnet status").texts(); !strings.Contains(shown[0], "branch") { // the one used last
		t.Errorf("%q", shown)
	}
	l.fails("%%\ns.Must().Step(1)", "running since", "pause it first")
	if got := l.ok("%%\nfmt.Println(s.Must().Pause().State)").stream("stdout"); got != "paused\n" {
		t.Errorf("it prints %q", got)
	}
	l.fails("%%\ns.Must().Fork(\"branch\", -1)", "another name")
}

// clockless leaves out the lines that depend on a clock.
func clockless(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(line, "second") && !strings.Contains(line, "/s") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// A kernel that trains in the background is not idle, whatever Jupyter takes it for; one that does not is.
func TestActivityDuringARunInTheBackground(t *testing.T) {
	l := startLab(t, Options{NoGo: true, Activity: 5 * time.Millisecond})
	l.ok(openLong)
	quiet(t, l, "there are signs of life before anything ran")
	l.ok("%fsnet run wait=false")
	for end := time.Now().Add(limit); len(pulses(t, l)) < 3; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no sign of life")
		}
	}
	l.ok("%fsnet pause")
	quiet(t, l, "paused, it shows activity")
}

// quiet waits until a kernel that looks at its host every 5 ms shows no activity for a while. The news that a run paused may be on its
// way, and a host that a busy machine keeps from answering is taken for one that works.
func quiet(t *testing.T, l *lab, otherwise string) {
	t.Helper()
	for end := time.Now().Add(limit); ; {
		before := len(pulses(t, l))
		time.Sleep(100 * time.Millisecond)
		if len(pulses(t, l)) == before {
			return
		}
		if time.Now().After(end) {
			t.Fatal(otherwise)
		}
	}
}

// A host that does not answer works: a training that compiles is not idle either.
func TestActivityWhileTheHostIsBusy(t *testing.T) {
	l := startLab(t, Options{NoGo: true, Activity: 5 * time.Millisecond})
	l.ok(openShort)
	host := l.hostID()
	if err := testhost.Halt(host); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(host, syscall.SIGCONT) //nolint:errcheck // it may have ended
	for end := time.Now().Add(limit); len(pulses(t, l)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no sign of life")
		}
	}
}

// A host that is stopped, or hangs, is no activity for ever: its kernel may be culled. Should it go on, it is again.
func TestNoActivityWhenTheHostHangs(t *testing.T) {
	const look = 20 * time.Millisecond // which is also how long one may take
	l := startLab(t, Options{NoGo: true, Activity: look})
	l.ok(openLong + "\n%fsnet run wait=false")
	host := l.hostID()
	if err := testhost.Halt(host); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(host, syscall.SIGCONT) //nolint:errcheck // it may have ended
	waitFor := func(what string, fits func(before, now int) bool) {
		t.Helper()
		for end := time.Now().Add(limit); ; {
			before := len(pulses(t, l))
			time.Sleep(10 * look) // several of them, also on a busy machine
			if fits(before, len(pulses(t, l))) {
				return
			}
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	waitFor("a host that hangs is taken for busy for ever", func(before, now int) bool { return now == before })
	if err := syscall.Kill(host, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	waitFor("a host that runs again is no activity", func(before, now int) bool { return now > before })
}

// A host that hangs fails the cells that need it, each with one line; what does not need it goes on, and so does all once it answers.
func TestAHostThatHangs(t *testing.T) {
	l := startLab(t, Options{NoGo: true, Silence: time.Second})
	l.ok(openLong)
	host := l.hostID()
	if err := testhost.Halt(host); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(host, syscall.SIGCONT) //nolint:errcheck // it may have ended
	waiting := l.begin("%fsnet step")
	if reply, _ := l.completion("%fsnet set lam|"); len(reply.Matches) != 1 {
		t.Errorf("meanwhile completion gives %q", reply.Matches)
	}
	l.failed("step", l.finish(waiting), "has not answered for 1s", "kill -9 "+itoa(host))
	l.fails("%fsnet status", "has not answered", itoa(host))
	l.ok("%fsnet version")
	if err := syscall.Kill(host, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(limit); ; { // the step of the cell that failed may begin only now, behind the pause
		r := l.run("%fsnet pause\n%fsnet step 2")
		if r.reply.Status == "ok" {
			break
		}
		if !strings.Contains(r.reply.Value, "is running") || time.Now().After(end) {
			t.Fatalf("%s: %s", r.reply.Name, r.reply.Value)
		}
	}
}

// pulses are the pairs of busy and idle that answer no request of the front end.
func pulses(t *testing.T, l *lab) []jupyter.Message {
	t.Helper()
	var states []jupyter.Message
	for _, m := range l.front.Unasked() {
		var parent jupyter.Header
		if m.Header.Type != "status" || len(m.Parent) == 0 || json.Unmarshal(m.Parent, &parent) != nil || parent.Session != l.kernel.session {
			continue
		}
		if err := specified(m); err != nil || parent.Type != "execute_request" {
			t.Errorf("%s %s: %v", m.Parent, m.Content, err)
		}
		states = append(states, m)
	}
	for i := range len(states) / 2 {
		if state(states[2*i]) != "busy" || state(states[2*i+1]) != "idle" || states[2*i].ParentID() != states[2*i+1].ParentID() {
			t.Errorf("pair %d is %s, %s", i, states[2*i].Content, states[2*i+1].Content)
		}
	}
	return states[:len(states)/2]
}
