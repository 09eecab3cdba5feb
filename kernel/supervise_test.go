package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/tests/kit/testhost"
)

func TestADeadGoNBIsReportedAndReplaced(t *testing.T) {
	l := newGoLab(t)
	running := l.begin("%%\nfmt.Println(os.Getpid())\nselect { case <-time.After(time.Hour): }")
	if err := running.Until(l.context(), func(m jupyter.Message) bool { return m.Header.Type == "stream" }); err != nil {
		t.Fatal(err)
	}
	first := l.goID()
	cells := childrenOf(t, first)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.failed("hour", l.finish(running), "signal: killed", "starts it again")
	for _, pid := range cells {
		l.gone("the cell", pid)
	}
	if r := l.ok("%%\nfmt.Println(session.Use(\"x\", session.Config{}).Name())"); r.stream("stdout") != "x\n" || r.reply.Count != 2 {
		t.Errorf("%d: %s", r.reply.Count, types(r.Answer))
	}
	l.ok("func second(xs []int) int { return xs[1] }")
	if r := l.fails("%%\nsecond(nil)", "panic"); !strings.Contains(strings.Join(r.reply.Traceback, ""), "cell [3] line 1, in second") {
		t.Errorf("the new GoNB counts otherwise: %q", r.reply.Traceback)
	}
	// One that dies between two cells is told of by the next.
	child := l.kernel.gonb.keeper.Current()
	if err := syscall.Kill(l.goID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-child.Done()
	const forgotten = "(signal: killed), and was started again: the declarations of earlier cells are forgotten"
	if r := l.ok("%%\nfmt.Print(1)"); !strings.Contains(r.stream("stderr"), forgotten) || r.stream("stdout") != "1" {
		t.Errorf("%s", types(r.Answer))
	}
	if r := l.ok("%%\nfmt.Print(2)"); r.stream("stderr") != "" {
		t.Errorf("told twice: %s", types(r.Answer))
	}
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) { // GoNB takes a cell's pipe away after the answer
		left, err := filepath.Glob(filepath.Join(l.workspace(), "tmp", "gonb_*"))
		if err == nil && len(left) == 1 {
			break
		}
		if err != nil || time.Now().After(end) {
			t.Fatalf("in the workspace are %v, %v", left, err)
		}
	}
}

// forced interrupts a cell again and again, as somebody does who does not want to wait, until it has ended.
func (l *lab) forced(running *fronttest.Exchange) result {
	l.Helper()
	for end := time.Now().Add(limit); ; {
		l.askControl("interrupt_request", nil)
		select {
		case <-running.Replied():
			return l.finish(running)
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(end) {
			l.Fatal("the cell outlives every interrupt")
		}
	}
}

// goesOn makes sure that lines are answered, and that another GoNB runs Go cells and says nothing of the one before.
func (l *lab) goesOn(before int) {
	l.Helper()
	l.ok("%fsnet version")
	if r := l.ok("%%\nfmt.Print(session.Use(\"x\", session.Config{}).Name())"); r.stream("stdout") != "x" || r.stream("stderr") != "" {
		l.Errorf("%s", types(r.Answer))
	}
	if l.goID() == before {
		l.Error("it is the same GoNB")
	}
	l.gone("the GoNB before", before)
}

// halted stops GoNB, and lets it go on when the test ends, should it still be there.
func (l *lab) halted() int {
	l.Helper()
	id := l.goID()
	if err := testhost.Halt(id); err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { syscall.Kill(id, syscall.SIGCONT) }) //nolint:errcheck // it has ended
	return id
}

// A GoNB that was stopped neither ends its cell nor starts another one. Whoever insists gets the next one.
func TestASecondInterruptEndsAStoppedGoNB(t *testing.T) {
	l := newGoLab(t)
	running := l.begin("%%\nfmt.Println(\"ready\")\nselect { case <-time.After(time.Hour): }")
	if err := running.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	before := l.halted()
	r := l.forced(running)
	l.failed("stopped", r, "Interrupted: the cell was interrupted; gonb, which runs Go cells, did not end the cell and was killed",
		"the next Go cell starts it again")
	l.goesOn(before)
}

// One that is silent is given up without anybody's doing, and so do cells that come when it was stopped long ago. One that answers while a
// cell takes longer is not.
func TestASilentGoNBIsGivenUp(t *testing.T) {
	t.Parallel()
	l := newGoLabWith(t, Options{Silence: 2 * time.Second})
	if r := l.ok("func f() int { return 1 }\n%%\ntime.Sleep(3 * time.Second)\nfmt.Print(1)"); r.stream("stdout") != "1" {
		t.Errorf("%s", types(r.Answer))
	}
	before := l.halted()
	l.ok("%fsnet version") // needs no GoNB
	want := []string{
		"Unavailable: gonb, which runs Go cells, has not answered for 2s",
		"the next Go cell starts it again; run the cells with declarations first",
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		want = append(want, "(process "+itoa(before)+" was stopped)")
	}
	l.fails("%%\nfmt.Print(f())", want...)
	l.goesOn(before)
}
