package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/tests/kit/testhost"
)

// start is a declaration for cells: a program that shares the cell's output.
const start = `func start(script string) {
	c := exec.Command("sh", "-c", script)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		panic(err)
	}
	fmt.Println("pid", c.Process.Pid)
}`

// saysReady fits what a cell prints, not its code.
func saysReady(m jupyter.Message) bool {
	var s jupyter.Stream
	return m.Header.Type == "stream" && m.Decode(&s) == nil && strings.Contains(s.Text, "ready")
}

// needProcesses skips where the system does not tell which processes a cell has started.
func needProcesses(t *testing.T) {
	t.Helper()
	if !process.Visible() {
		t.Skip("NOT TESTED: the processes of a cell cannot be seen here")
	}
}

// interrupted runs a cell until it says that it is ready, interrupts it, and waits until it and each process whose number it printed
// have ended.
func (l *lab) interrupted(code string) result {
	l.Helper()
	running := l.begin(code)
	if err := running.Until(l.context(), saysReady); err != nil {
		l.Fatal(err)
	}
	began := time.Now()
	l.askControl("interrupt_request", nil)
	r := l.finish(running)
	for line := range strings.SplitSeq(r.stream("stdout"), "\n") {
		if _, pid, found := strings.Cut(line, "pid "); found {
			l.gone("a process of the cell", atoi(l.T, pid))
		}
	}
	l.Logf("ended after %v: %s: %s", time.Since(began).Round(time.Millisecond), r.reply.Name, r.reply.Value)
	if r.reply.Status != "error" {
		l.Errorf("%q ended with %s", code, r.reply.Status)
	}
	return r
}

func TestAnInterruptEndsWhatACellHasStarted(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	l.ok(start)
	const self = "%%\nfmt.Println(\"pid\", os.Getpid())\n"
	for _, c := range []struct{ name, code string }{
		{"a shell line", "!sleep 600 & echo pid $!; echo ready; sleep 600"},
		{"a loop, and a program that holds the output", self + "start(\"sleep 600\")\nfmt.Println(\"ready\")\nfor {\n}"},
		{"a program that ignores it", self + "start(`trap '' INT; echo ready; while :; do sleep 600; done`)\nselect {}"},
		{"a program that cleans up for longer than its cell is there", self +
			"start(`trap 'sleep 600' INT; echo ready; while :; do sleep 0.05; done`)\ntime.Sleep(time.Hour)"},
		{"a program that ignores it and the request", self + "start(`trap '' INT TERM; echo ready; while :; do sleep 600; done`)\nselect {}"},
		{"a cell that ignores it", self + "signal.Ignore(os.Interrupt)\nfmt.Println(\"ready\")\nfor { time.Sleep(time.Hour) }"},
		{"a program of a program, in the background",
			self + "start(`sh -c 'sleep 600 & echo pid $!; sleep 600 & echo pid $!; echo ready; wait'`)\ntime.Sleep(time.Hour)"},
		{"a program in a session of its own", self + "start(`setsid sh -c 'echo pid $$; echo ready; exec sleep 600'`)\ntime.Sleep(time.Hour)"},
		{"a daemon: forked twice, in a session of its own, with no output",
			self + "start(`(setsid sh -c 'echo pid $$; echo ready; exec sleep 600 </dev/null >/dev/null 2>&1' &)`)\ntime.Sleep(time.Hour)"},
		{"a program that is not to hear a hangup", self +
			"start(`(setsid nohup sh -c 'echo pid $$; echo ready; trap \"\" INT TERM; while :; do sleep 600; done' &)`)\ntime.Sleep(time.Hour)"},
		{"a program in a group of its own", "%%\nc := exec.Command(\"sleep\", \"600\")\nc.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}\n" +
			"c.Start()\nfmt.Println(\"pid\", c.Process.Pid)\nfmt.Println(\"ready\")\ntime.Sleep(time.Hour)"},
		{"a program whose parent has ended", self + "start(`(sleep 600 & echo pid $!); echo ready`)\ntime.Sleep(time.Hour)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := *l
			l.T = t
			l.interrupted(c.code)
		})
	}
	l.ok("%%\nfmt.Println(1)")
}

// A cell and a program that clean up may do so, and are told once: a second signal would cut them short. What the program starts for that
// is not told at all.
func TestAnInterruptedCellCleansUp(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	l.ok(start)
	dir := t.TempDir()
	r := l.interrupted(`%%
ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
start("trap 'sh -c \"sleep 1; echo done >` + dir + `/program\"; exit' INT; echo ready; while :; do sleep 0.05; done")
<-ctx.Done()
stop() // one more interrupt would end the cell here
time.Sleep(5500 * time.Millisecond) // GoNB alone would kill it after five seconds
os.WriteFile("` + dir + `/cell", []byte("done\n"), 0o600)
fmt.Fprintln(os.Stderr, "interrupted and tidy")
os.Exit(130)`)
	if r.reply.Value != "interrupted and tidy" {
		t.Errorf("the error is %q", r.reply.Value)
	}
	if said := r.stream("stderr"); said != stillCleaning {
		t.Errorf("meanwhile it says %q", said)
	}
	for _, name := range []string{"cell", "program"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "done\n" {
			t.Errorf("the %s did not clean up: %q, %v", name, text, err)
		}
	}
}

// Whoever interrupts twice does not want to wait.
func TestASecondInterruptEndsACellAtOnce(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	running := l.begin("%%\nsignal.Notify(make(chan os.Signal, 1), os.Interrupt)\n" +
		"fmt.Println(\"ready\")\nselect { case <-time.After(time.Hour): }")
	if err := running.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for {
		l.askControl("interrupt_request", nil)
		select {
		case <-time.After(50 * time.Millisecond):
		case <-running.Replied():
			l.failed("deaf", l.finish(running), "Interrupted")
			t.Logf("ended after %v", time.Since(began).Round(time.Millisecond))
			l.ok("%%\nfmt.Println(1)")
			return
		}
	}
}

// leave starts a program in a session of its own that nobody waits for, and gives its process id. It is killed when the test ends.
func (l *lab) leave(environment string) int {
	l.Helper()
	r := l.ok("!" + environment + " setsid sh -c 'echo pid $$; exec sleep 600 </dev/null >/dev/null 2>&1' &")
	_, pid, _ := strings.Cut(strings.TrimSpace(r.stream("stdout")), "pid ")
	left := atoi(l.T, pid)
	l.Cleanup(func() { syscall.Kill(left, syscall.SIGKILL) }) //nolint:errcheck // it has ended already
	return left
}

// What cells have left running ends with the kernel, wherever it is; what was started to be kept does not.
func TestNothingOutlivesTheKernelByAccident(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	left, kept := l.leave(""), l.leave("FSNET_KEEP=1")
	running := l.begin("%%\nfmt.Println(\"ready\")\ntime.Sleep(time.Hour)")
	if err := running.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	l.failed("select", l.finish(running))
	if !alive(left) || !alive(kept) {
		t.Errorf("the interrupt of a later cell ended what an earlier one has left: %t, %t", alive(left), alive(kept))
	}
	l.shutDown()
	l.gone("a program in a session of its own", left)
	if !alive(kept) {
		t.Error("a program that was to be kept has ended")
	}
}

// What is started to be kept survives the interrupt of its own cell, too.
func TestAnInterruptLeavesWhatIsToBeKept(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	running := l.begin("!FSNET_KEEP=1 setsid sh -c 'echo pid $$; echo ready; exec sleep 600 </dev/null >/dev/null 2>&1' & exec sleep 600")
	if err := running.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	r := l.finish(running)
	_, pid, _ := strings.Cut(r.stream("stdout"), "pid ")
	pid, _, _ = strings.Cut(pid, "\n")
	kept := atoi(t, pid)
	if !alive(kept) {
		t.Error("it has ended with its cell")
	}
	if err := syscall.Kill(kept, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

// A killed kernel cannot end what its cells have left: the watch beside GoNB does. GoNB's end leaves it to the kernel.
func TestAKillLeavesNothingOfACell(t *testing.T) {
	needProcesses(t)
	newGoLabWith(t, Options{}) // or the test is skipped
	for _, victim := range []string{"the kernel", "GoNB"} {
		l, pid := newProcessLab(t)
		left, kept := l.leave(""), l.leave("FSNET_KEEP=1")
		if victim == "GoNB" {
			pid = atoi(t, strings.TrimSpace(l.ok("!echo $PPID").stream("stdout")))
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		l.gone(victim, pid)
		if victim == "GoNB" {
			l.run("%%") // may have come before its end was noticed
			l.ok("%%\nfmt.Print(1)")
		}
		l.gone("what its cell has left", left)
		if !alive(kept) {
			t.Errorf("%s: a program that was to be kept has ended", victim)
		}
	}
}

// What an earlier cell left running on purpose is not the interrupted cell's, and a training in the background is nobody's.
func TestAnInterruptEndsNothingElse(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	l.ok(openLong + "\n%fsnet run wait=false")
	r := l.ok("%%\nc := exec.Command(\"sleep\", \"600\")\nc.Start()\nfmt.Print(c.Process.Pid)")
	left := atoi(t, r.stream("stdout"))
	defer func() {
		if p, err := os.FindProcess(left); err == nil {
			p.Kill() //nolint:errcheck // it has ended already
		}
	}()
	host, child := l.hostID(), l.goID()
	running := l.begin("%%\nfmt.Println(\"pid\", os.Getpid())\nfmt.Println(\"ready\")\nselect {}")
	queued := l.begin("%fsnet version")
	if err := running.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	l.ask("kernel_info_request", nil) // it came behind the queued cell, so that is there
	l.askControl("interrupt_request", nil)
	l.failed("select", l.finish(running))
	if r := l.finish(queued); r.reply.Status != "aborted" {
		t.Errorf("the cell behind it is %s", r.reply.Status)
	}
	if !alive(left) {
		t.Error("a program of an earlier cell was ended")
	}
	if l.hostID() != host || l.goID() != child {
		t.Error("the host or GoNB was replaced")
	}
	if shown := l.ok("%fsnet status").texts(); !strings.Contains(shown[0], "running") {
		t.Errorf("the run in the background: %q", shown)
	}
	if r := l.ok("%%\nfmt.Print(2)"); r.stream("stdout") != "2" || r.reply.Count != 5 {
		t.Errorf("%d: %s", r.reply.Count, types(r.Answer))
	}
}

// While a cell compiles there is nothing of its own yet: the compiler is interrupted.
func TestAnInterruptEndsTheCompiler(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	l.ok("%%\nfmt.Print(1)")
	before := 0 // the watch
	if list, err := process.List(); err == nil {
		before = process.Below(list, l.goID(), func(process.Info) bool { return false })[0].ID
	}
	running := l.begin("%%\nfmt.Println(\"pid\", os.Getpid(), time.Now())\nhttp.ListenAndServe(\"127.0.0.1:0\", nil)")
	for end := time.Now().Add(limit); ; {
		list, err := process.List()
		if err != nil {
			t.Fatal(err)
		}
		if found := process.Below(list, l.goID(), func(p process.Info) bool { return p.ID == before }); len(found) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nothing compiles")
		}
	}
	began := time.Now()
	l.askControl("interrupt_request", nil)
	l.failed("compiling", l.finish(running), "Interrupted")
	t.Logf("ended after %v", time.Since(began).Round(time.Millisecond))
	if r := l.ok("%%\nfmt.Print(1)"); r.stream("stdout") != "1" {
		t.Errorf("%s", types(r.Answer))
	}
}

// beAsker is a program of a cell. It waits for the file "go" in a directory, runs the session leukemia, and writes how that ended, and what
// it is told when it asks for a picture, a line or the session that is used next.
func beAsker(dir, other string) int {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	ctx := context.Background()
	client, err := session.Dial(ctx, os.Getenv("FSNET_SOCKET"))
	say := func(name string, what any) {
		text := filepath.Join(dir, name)
		os.WriteFile(text+".part", fmt.Append(nil, what), 0o600)
		os.Rename(text+".part", text)
	}
	if err != nil {
		say("ended", err)
		return 1
	}
	say("picture", client.Call(ctx, "view", json.RawMessage(`{"view":"status","session":"leukemia"}`), nil))
	say("line", client.Call(ctx, "input", json.RawMessage(`{"prompt":"name: "}`), nil))
	if other != "" {
		_, err := session.VerbFork.Call(ctx, client, session.ForkRequest{Session: "leukemia", As: other})
		say("fork", err)
	}
	_, err = session.On(client, "leukemia").Run(ctx, session.Until{})
	say("ended", err)
	return 0
}

// said waits for what an asker writes.
func (l *lab) said(dir, name string) string {
	l.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return string(text)
		}
		if time.Now().After(end) {
			l.Fatalf("the program does not say %q", name)
		}
	}
}

// A program that one cell left running draws nothing under the next one, and that one's interrupt does not pause its run. What a cell has
// started itself is its own, wherever it went.
func TestAProgramAsksForItsOwnCell(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	asker := func(dir, other string) string {
		return fmt.Sprintf("(setsid %s asker %s '%s' </dev/null >/dev/null 2>&1 &)", testBinary(), dir, other)
	}
	earlier := t.TempDir()
	l.ok(openLong + "\n!" + asker(earlier, "other"))
	later := l.begin("!touch " + earlier + "/go; echo ready; sleep 600")
	if err := later.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"picture", "line"} {
		if said := l.said(earlier, name); !strings.Contains(said, "its cell has ended, so there is nowhere to ") {
			t.Errorf("asked for a %s it says %q", name, said)
		}
	}
	if said := l.said(earlier, "fork"); said != "<nil>" {
		t.Errorf("its fork: %s", said)
	}
	client, err := session.Dial(t.Context(), l.kernel.cells.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Disconnect()
	now := func() session.Status {
		s, err := session.On(client, "leukemia").Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	advances := func(from int) {
		t.Helper()
		for end := time.Now().Add(limit); now().Step <= from; {
			if s := now(); time.Now().After(end) {
				t.Fatalf("the run stands at step %d, %s", s.Step, s.State)
			}
		}
	}
	advances(0)
	time.Sleep(3 * updateInterval) // for a picture of its progress
	l.askControl("interrupt_request", nil)
	r := l.finish(later)
	if len(r.texts()) > 0 {
		t.Errorf("under the next cell it draws %q", r.texts())
	}
	advances(now().Step)
	if _, err := os.Stat(filepath.Join(earlier, "ended")); err == nil {
		t.Errorf("the interrupt of another cell ended the run: %s", l.said(earlier, "ended"))
	}
	if current := l.kernel.magics.Current(); current != "leukemia" {
		t.Errorf("the session used last is %q", current)
	}
	l.ok("%fsnet pause leukemia")
	l.said(earlier, "ended")

	own := t.TempDir()
	running := l.begin("!" + asker(own, "") + "; touch " + own + "/go; while [ ! -e " + own + "/ended ]; do sleep 0.05; done; echo ready")
	if err := running.Until(l.context(), containing("steps/s")); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	r = l.finish(running)
	if texts := strings.Join(r.texts(), "\n"); !strings.Contains(texts, "leukemia paused") {
		t.Errorf("under its own cell it draws %q", texts)
	}
	if said := l.said(own, "picture"); said != "<nil>" {
		t.Errorf("its picture: %s", said)
	}
}

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
