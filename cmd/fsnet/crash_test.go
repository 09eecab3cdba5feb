package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// The kills, drawn from a seed: FSNET_TEST_KILLS=24 has more of them than a test run has time for, FSNET_TEST_SEED=… others.
const (
	killsAlways = 6
	killSeed    = 1
)

// TestKilledProcesses kills one process of a laboratory with SIGKILL, at a moment drawn from the seed, again and again: afterwards nothing of it
// runs, no directory is left by the next start, the session stands at its last checkpoint, with the bits of a training that nobody
// killed, and the notebook has a line that says what happened.
func TestKilledProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	kills, seed := fromEnvironment(t, "FSNET_TEST_KILLS", killsAlways), fromEnvironment(t, "FSNET_TEST_SEED", killSeed)
	lab := newLaboratory(t)
	draw := rand.New(rand.NewPCG(uint64(seed), 0))
	victims, activities := lab.victims(), []string{"rest", "run", "background", "cell", "compile"}
	for i := range kills {
		victim := victims[i%len(victims)] // each as often
		if i%len(victims) == 0 {
			draw.Shuffle(len(victims), func(a, b int) { victims[a], victims[b] = victims[b], victims[a] })
			victim = victims[0]
		}
		activity := activities[draw.IntN(len(activities))]
		switch {
		case victim == "cell":
			activity = "cell"
		case victim == "browser" && activity == "rest":
			activity = "run"
		case !lab.golang && (activity == "cell" || activity == "compile"):
			activity = "run"
		}
		delay := time.Duration(draw.IntN(600)) * time.Millisecond
		name := fmt.Sprintf("%d: %s, %s, %s", i+1, victim, activity, delay)
		if !t.Run(name, func(t *testing.T) { lab.round(t, victim, activity, delay) }) {
			return // what follows would only say the same
		}
	}
	lab.end(t)
}

func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s is not a number", name, text)
	}
	return n
}

const (
	crashSession = "leukemia"
	crashBegin   = 20 // steps made before anything is killed
)

// round lets the laboratory do something, kills one of its processes, and looks at what is left.
func (l *laboratory) round(t *testing.T, victim, activity string, delay time.Duration) {
	l.T = t
	l.prepare()
	kernel := l.kernel.pid()
	under := l.begin(activity)
	timer := time.NewTimer(delay) // the moment is drawn, not waited for
	<-timer.C
	switch victim {
	case "browser":
		l.reload(under)
		return
	case "cell":
		victim = "a program of a cell"
	case "gopls":
		if l.complete(); !l.runs("gopls") { // one that was killed is not always replaced
			t.Log("there is no gopls any more: gonb is killed")
			victim = "gonb"
		}
	}
	pid := l.find(victim)
	before := l.processes()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.gone(victim, pid)
	said := ""
	if victim != "kernel" {
		said = l.explained(victim, activity, under)
	} else {
		l.start() // at once, while what the killed one has started ends
	}
	said += l.reopen()
	if victim == "kernel" {
		for _, p := range before {
			l.gone(p.name+" of the killed kernel", p.pid)
		}
		l.onlyDirectoriesOf(l.kernel.pid(), kernel)
	}
	t.Logf("the notebook says: %s", strings.Join(strings.Fields(said), " "))
}

// prepare brings the session to where every round begins: at rest, at its first steps, with a live key changed and all of it kept.
func (l *laboratory) prepare() {
	l.Helper()
	l.magic("rewind %s %d", crashSession, crashBegin)
	l.kept(crashBegin)
}

// begin starts an activity and returns the cell that does it, nil for none.
func (l *laboratory) begin(activity string) *cell {
	l.Helper()
	switch activity {
	case "run":
		c := l.send("%fsnet run " + crashSession)
		l.until(c, "display_data")
		return c
	case "background":
		l.magic("run %s wait=false", crashSession)
	case "cell":
		c := l.send("%%\nfmt.Println(\"begun\")\nfor { s.Must().Step(10) }")
		l.until(c, "stream")
		return c
	case "compile":
		return l.send(fmt.Sprintf("%%%%\nfmt.Println(%q, s.Must().Status().Step)", time.Now()))
	}
	return nil
}

// explained is what the cell that was running says, or the next one: there must be a line about the death.
func (l *laboratory) explained(victim, activity string, under *cell) string {
	l.Helper()
	text := ""
	if (activity == "run" && victim != "host") || (activity == "cell" && victim == "gopls") { // it goes on
		l.interrupt()
	}
	if under != nil {
		text = l.finish(under)
	}
	want := ""
	switch victim {
	case "host":
		want = "the training process ended (signal: killed)"
		if !strings.Contains(text, want) {
			text += l.cell("%fsnet status " + crashSession)
		}
	case "gonb":
		want = "gonb, which runs Go cells, ended (signal: killed)"
		if !strings.Contains(text, want) {
			text += l.cell("%%\nfmt.Println(1)")
		}
		l.declare()
	case "a program of a cell":
		want = "signal: killed"
	}
	if !strings.Contains(text, want) {
		l.Errorf("no line says %q: %q", want, text)
	}
	return text
}

// reopen opens the session again where its process was killed, and compares it with one that nobody killed.
func (l *laboratory) reopen() string {
	l.Helper()
	text := l.cell("%fsnet pause " + crashSession)
	if strings.Contains(text, "only its checkpoints are there") {
		list, err := runs.List(l.directory)
		if err != nil || len(list) == 0 {
			l.Fatalf("no checkpoint is left: %v", err)
		}
		saved := list[slices.IndexFunc(list, func(r runs.Run) bool { return r.Name == crashSession })].Files[0].Step
		opened := l.magic("open %s", crashSession)
		if want := fmt.Sprintf("taken up at step %d from", saved); !strings.Contains(opened, want) {
			l.Errorf("opened it says %q, not %q", opened, want)
		}
		text += opened
	}
	l.compare()
	return text
}

// compare holds the session against one that makes the same steps without a break: every probability, curve and event's step.
func (l *laboratory) compare() {
	l.Helper()
	client := l.client()
	defer client.Disconnect()
	ctx, cancel := context.WithTimeout(l.Context(), crashLimit)
	defer cancel()
	now, err := client.Status(ctx, crashSession)
	if err != nil {
		l.Fatal(err)
	}
	l.magic("%s", openLine("reference")+" replace=true")
	l.magic("step reference %d", crashBegin)
	l.magic("set reference lambda=0.5")
	if n := now.Step - crashBegin; n > 0 {
		l.magic("step reference %d", n)
	}
	var seen [2]string
	for i, name := range []string{crashSession, "reference"} {
		m, err := client.Matrix(ctx, name, session.MatrixRequest{Top: 1000})
		if err != nil {
			l.Fatal(err)
		}
		h, err := client.History(ctx, name, session.HistoryRequest{Points: 100_000})
		if err != nil {
			l.Fatal(err)
		}
		e, err := client.Evaluate(ctx, name, "train")
		if err != nil {
			l.Fatal(err)
		}
		m.Session, e.Session = "", ""
		text, err := json.Marshal([]any{m, h.Curves, e})
		if err != nil {
			l.Fatal(err)
		}
		seen[i] = string(text)
	}
	if seen[0] != seen[1] {
		l.Errorf("at step %d it differs from a training that nobody killed", now.Step)
	}
	l.magic("close reference")
}

// reload closes the page during an activity: what runs goes on, and the next page sees it.
func (l *laboratory) reload(under *cell) {
	l.Helper()
	client := l.client()
	defer client.Disconnect()
	ctx, cancel := context.WithTimeout(l.Context(), crashLimit)
	defer cancel()
	l.front.Close()
	before, err := client.Status(ctx, crashSession)
	if err != nil {
		l.Fatal(err)
	}
	after := before
	for under != nil && after.Step <= before.Step && before.State == session.Running {
		if after, err = client.Status(ctx, crashSession); err != nil {
			l.Fatalf("the run does not go on without its page: %v", err)
		}
	}
	l.meet()
	text := ""
	for strings.TrimSpace(text) == "" { // a cell that comes before the interrupted one has ended is aborted with it
		l.interrupt()
		text = l.cell("%fsnet status " + crashSession)
	}
	if !strings.Contains(text, crashSession+" ") || strings.Contains(text, "taken up") {
		l.Errorf("the next page sees %q", text)
	}
	if processes := l.processes(); !slices.ContainsFunc(processes, func(p process) bool { return p.name == "kernel" }) {
		l.Errorf("the kernel has gone with its page: %v", processes)
	}
	l.reopen()
}

func openLine(name string) string {
	return "open " + name + " data=cohort.csv label=diagnosis samples=sample k=3 epochs=1000000 stop=never seed=4 backend=go"
}

// kept waits until a step is on the disk.
func (l *laboratory) kept(step int) {
	l.Helper()
	client := l.client()
	defer client.Disconnect()
	ctx, cancel := context.WithTimeout(l.Context(), crashLimit)
	defer cancel()
	for {
		now, err := client.Status(ctx, crashSession)
		if err != nil {
			l.Fatalf("step %d is not kept: %v", step, err)
		}
		if now.SavedStep != nil && *now.SavedStep == step {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// onlyDirectoriesOf waits until the next start has removed what a killed kernel left.
func (l *laboratory) onlyDirectoriesOf(kernel, killed int) {
	l.Helper()
	var left []string
	for end := time.Now().Add(crashLimit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if left = l.leftovers(kernel); len(left) == 0 {
			return
		}
	}
	l.Errorf("the killed kernel %d left %q", killed, left)
}

// end shuts the kernel down: then there is nothing at all.
func (l *laboratory) end(t *testing.T) {
	l.T = t
	l.shutDown()
	for _, p := range l.processes() {
		l.gone(p.name, p.pid)
	}
	if left := l.leftovers(0); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if left, err := filepath.Glob(filepath.Join(l.directory, ".fsnet", "runs", "*", ".fsnet-*")); err != nil || len(left) > 0 {
		t.Errorf("files in the making are left: %q, %v", left, err)
	}
}
