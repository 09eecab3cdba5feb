package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
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

// What an interrupt does to one cell after another, and what the end of the
// kernel leaves.
func TestKernel_Interrupts(t *testing.T) {
	needProcesses(t)
	t.Parallel()
	l := newGoLab(t, Options{})
	l.in(t, "what a cell has started", testAnInterruptEndsWhatACellHasStarted)
	l.in(t, "a cell that cleans up", testAnInterruptedCellCleansUp)
	l.in(t, "twice", testASecondInterruptEndsACellAtOnce)
	l.in(t, "nothing else", testAnInterruptEndsNothingElse)
	l.in(t, "the compiler", testAnInterruptEndsTheCompiler)
	l.in(t, "asking for one's own cell", testAProgramAsksForItsOwnCell)
	l.in(t, "subshells", testSubshellAnswersDuringAGoCell)
	l.in(t, "the end", testNothingOutlivesTheKernelByAccident)
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
func (l *lab) interrupted(code string) fronttest.Result {
	l.Helper()
	running := l.Begin(code)
	l.Until(running, fronttest.Says("ready"))
	began := time.Now()
	l.Interrupt()
	r := l.Finish(running)
	for line := range strings.SplitSeq(r.Stream("stdout"), "\n") {
		if _, pid, found := strings.Cut(line, "pid "); found {
			l.gone("a process of the cell", atoi(l, pid))
		}
	}
	l.Logf("ended after %v: %s: %s", time.Since(began).Round(time.Millisecond), r.Name, r.Value)
	if r.Status != "error" {
		l.Errorf("%q ended with %s", code, r.Status)
	}
	return r
}

func testAnInterruptEndsWhatACellHasStarted(t *testing.T, l *lab) {
	l.OK(start)
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
		l.in(t, c.name, func(_ *testing.T, l *lab) { l.interrupted(c.code) })
	}
	l.OK("%%\nfmt.Println(1)")
}

// A cell and a program that clean up may do so, and are told once: a second signal would cut them short. What the program starts for that
// is not told at all.
func testAnInterruptedCellCleansUp(t *testing.T, l *lab) {
	l.OK(start)
	dir := t.TempDir()
	r := l.interrupted(`%%
ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
start("trap 'sh -c \"sleep 1; echo done >` + dir + `/program\"; exit' INT; echo ready; while :; do sleep 0.05; done")
<-ctx.Done()
stop() // one more interrupt would end the cell here
time.Sleep(2500 * time.Millisecond)
os.WriteFile("` + dir + `/cell", []byte("done\n"), 0o600)
fmt.Fprintln(os.Stderr, "interrupted and tidy")
os.Exit(130)`)
	if r.Value != "interrupted and tidy" {
		t.Errorf("the error is %q", r.Value)
	}
	if said := r.Stream("stderr"); said != stillCleaning {
		t.Errorf("meanwhile it says %q", said)
	}
	for _, name := range []string{"cell", "program"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "done\n" {
			t.Errorf("the %s did not clean up: %q, %v", name, text, err)
		}
	}
}

// Whoever interrupts twice does not want to wait.
func testASecondInterruptEndsACellAtOnce(_ *testing.T, l *lab) {
	running := l.Begin("%%\nsignal.Notify(make(chan os.Signal, 1), os.Interrupt)\n" +
		"fmt.Println(\"ready\")\nselect { case <-time.After(time.Hour): }")
	l.Until(running, fronttest.Says("ready"))
	l.HasFailed("deaf", l.insist(running), "Interrupted")
	l.OK("%%\nfmt.Println(1)")
}

// leave starts a program in a session of its own that nobody waits for, and gives its process id. It is killed when the test ends.
func (l *lab) leave(environment string) int {
	l.Helper()
	r := l.OK("!" + environment + " setsid sh -c 'echo pid $$; exec sleep 600 </dev/null >/dev/null 2>&1' &")
	_, pid, _ := strings.Cut(strings.TrimSpace(r.Stream("stdout")), "pid ")
	left := atoi(l, pid)
	l.Cleanup(func() { syscall.Kill(left, syscall.SIGKILL) }) //nolint:errcheck // it has ended already
	return left
}

// What cells have left running ends with the kernel, wherever it is; what was started to be kept does not, neither then nor with the
// interrupt of its own cell.
func testNothingOutlivesTheKernelByAccident(t *testing.T, l *lab) {
	left := l.leave("")
	running := l.Begin("!FSNET_KEEP=1 setsid sh -c 'echo pid $$; echo ready; exec sleep 600 </dev/null >/dev/null 2>&1' & exec sleep 600")
	l.Until(running, fronttest.Says("ready"))
	workspace, directory := l.workspace(), l.kernel.directory.Path
	processes := append(descendantsOf(t, l.goID()), l.goID(), l.hostID())
	l.Interrupt()
	_, pid, _ := strings.Cut(l.Finish(running).Stream("stdout"), "pid ")
	pid, _, _ = strings.Cut(pid, "\n")
	kept := atoi(l, pid)
	l.Cleanup(func() { syscall.Kill(kept, syscall.SIGKILL) }) //nolint:errcheck // it has ended
	if !system.Alive(left) || !system.Alive(kept) {
		t.Errorf("an interrupt ended what was left or is to be kept: %t, %t", system.Alive(left), system.Alive(kept))
	}
	running = l.Begin("%%\nfmt.Println(os.Getpid(), \"ready\")\nselect { case <-time.After(time.Hour): }")
	l.Until(running, fronttest.Says("ready"))
	l.shutDown()
	l.gone("a program in a session of its own", left)
	for _, pid := range processes {
		if pid != kept {
			l.gone("a process", pid)
		}
	}
	for _, path := range []string{workspace, directory} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	if !system.Alive(kept) {
		t.Error("a program that was to be kept has ended")
	}
}

// What an earlier cell left running on purpose is not the interrupted cell's, and a training in the background is nobody's.
func testAnInterruptEndsNothingElse(t *testing.T, l *lab) {
	l.OK(openLong + "\n%fsnet run wait=false")
	r := l.OK("%%\nc := exec.Command(\"sleep\", \"600\")\nc.Start()\nfmt.Print(c.Process.Pid)")
	left, begun := atoi(t, r.Stream("stdout")), r.Count
	defer func() {
		if p, err := os.FindProcess(left); err == nil {
			p.Kill() //nolint:errcheck // it has ended already
		}
	}()
	host, child := l.hostID(), l.goID()
	running := l.Begin("%%\nfmt.Println(\"pid\", os.Getpid())\nfmt.Println(\"ready\")\nselect {}")
	l.Until(running, fronttest.Says("ready"))
	l.Interrupt()
	l.HasFailed("select", l.Finish(running))
	if !system.Alive(left) {
		t.Error("a program of an earlier cell was ended")
	}
	if l.hostID() != host || l.goID() != child {
		t.Error("the host or GoNB was replaced")
	}
	if shown := l.OK("%fsnet status\n%fsnet close").Texts(); !strings.Contains(shown[0], "running") {
		t.Errorf("the run in the background: %q", shown)
	}
	if r := l.OK("%%\nfmt.Print(2)"); r.Stream("stdout") != "2" || r.Count != begun+3 {
		t.Errorf("%d: %s", r.Count, r.Types())
	}
}

// While a cell compiles there is nothing of its own yet: the compiler is interrupted.
func testAnInterruptEndsTheCompiler(t *testing.T, l *lab) {
	l.OK("%%\nfmt.Print(1)")
	before := 0 // the watch
	if list, err := process.List(); err == nil {
		before = process.Below(list, l.goID(), nil)[0].ID
	}
	running := l.Begin("%%\nfmt.Println(\"pid\", os.Getpid(), time.Now())\nhttp.ListenAndServe(\"127.0.0.1:0\", nil)")
	l.await(func() bool {
		list, err := process.List()
		if err != nil {
			t.Fatal(err)
		}
		return len(process.Below(list, l.goID(), func(p process.Info) bool { return p.ID == before })) > 0
	}, "nothing compiles")
	began := time.Now()
	l.Interrupt()
	l.HasFailed("compiling", l.Finish(running), "Interrupted")
	t.Logf("ended after %v", time.Since(began).Round(time.Millisecond))
	if r := l.OK("%%\nfmt.Print(1)"); r.Stream("stdout") != "1" {
		t.Errorf("%s", r.Types())
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
	var text []byte
	l.await(func() bool {
		var err error
		text, err = os.ReadFile(filepath.Join(dir, name))
		return err == nil
	}, "the program does not say %q", name)
	return string(text)
}

// A program that one cell left running draws nothing under the next one, and that one's interrupt does not pause its run. What a cell has
// started itself is its own, wherever it went.
func testAProgramAsksForItsOwnCell(t *testing.T, l *lab) {
	asker := func(dir, other string) string {
		return fmt.Sprintf("(setsid %s asker %s '%s' </dev/null >/dev/null 2>&1 &)", testBinary(), dir, other)
	}
	earlier := t.TempDir()
	l.OK(openLong + "\n!" + asker(earlier, "other"))
	later := l.Begin("!touch " + earlier + "/go; echo ready; sleep 600")
	l.Until(later, fronttest.Says("ready"))
	for _, name := range []string{"picture", "line"} {
		if said := l.said(earlier, name); !strings.Contains(said, "its cell has ended, so there is nowhere to ") {
			t.Errorf("asked for a %s it says %q", name, said)
		}
	}
	if said := l.said(earlier, "fork"); said != "<nil>" {
		t.Errorf("its fork: %s", said)
	}
	client := l.dial()
	now := func() session.Status {
		s, err := session.On(client, "leukemia").Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	advances := func(from int) {
		t.Helper()
		l.await(func() bool { return now().Step > from }, "the run stands at step %d", from)
	}
	advances(0)
	time.Sleep(3 * updateInterval) // for a picture of its progress
	l.Interrupt()
	r := l.Finish(later)
	if len(r.Texts()) > 0 {
		t.Errorf("under the next cell it draws %q", r.Texts())
	}
	advances(now().Step)
	if _, err := os.Stat(filepath.Join(earlier, "ended")); err == nil {
		t.Errorf("the interrupt of another cell ended the run: %s", l.said(earlier, "ended"))
	}
	if current := l.kernel.magics.Current(); current != "leukemia" {
		t.Errorf("the session used last is %q", current)
	}
	l.OK("%fsnet pause leukemia")
	l.said(earlier, "ended")

	own := t.TempDir()
	running := l.Begin("!" + asker(own, "") + "; touch " + own + "/go; while [ ! -e " + own + "/ended ]; do sleep 0.05; done; echo ready")
	l.Until(running, func(m jupyter.Message) bool { return strings.Contains(string(m.Content), "steps/s") })
	l.Interrupt()
	r = l.Finish(running)
	if texts := strings.Join(r.Texts(), "\n"); !strings.Contains(texts, "leukemia paused") {
		t.Errorf("under its own cell it draws %q", texts)
	}
	if said := l.said(own, "picture"); said != "<nil>" {
		t.Errorf("its picture: %s", said)
	}
	l.OK("%fsnet close other\n%fsnet close leukemia")
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

// If GoNB dies, is stopped or is silent, the cell that needs it reports that
// once, and GoNB is replaced.
func TestKernel_GoNBEnds(t *testing.T) {
	t.Parallel()
	l := newGoLab(t, Options{Silence: 4 * time.Second})
	l.in(t, "under a cell", testADeadGoNBIsReportedAndReplaced)
	l.in(t, "stopped", testASecondInterruptEndsAStoppedGoNB)
	l.in(t, "silent", testASilentGoNBIsGivenUp)
	l.in(t, "between two cells", testAGoNBThatDiesBetweenCells)
}

// killed kills GoNB and waits until that was noticed.
func (l *lab) killed() {
	l.Helper()
	child := l.kernel.gonb.keeper.Current()
	if err := syscall.Kill(child.ID(), syscall.SIGKILL); err != nil {
		l.Fatal(err)
	}
	<-child.Done()
}

func testADeadGoNBIsReportedAndReplaced(t *testing.T, l *lab) {
	running := l.Begin("%%\nfmt.Println(os.Getpid(), \"ready\")\nselect { case <-time.After(time.Hour): }")
	l.Until(running, fronttest.Says("ready"))
	first := l.goID()
	cells := descendantsOf(t, first)
	l.killed()
	l.HasFailed("hour", l.Finish(running), "signal: killed", "starts it again")
	for _, pid := range cells {
		l.gone("the cell", pid)
	}
	if r := l.OK("%%\nfmt.Println(session.Use(\"x\", session.Config{}).Name())"); r.Stream("stdout") != "x\n" || r.Count != 2 {
		t.Errorf("%d: %s", r.Count, r.Types())
	}
	l.OK("func second(xs []int) int { return xs[1] }")
	if r := l.Fails("%%\nsecond(nil)", "panic"); !strings.Contains(strings.Join(r.Traceback, ""), "cell [3] line 1, in second") {
		t.Errorf("the new GoNB counts otherwise: %q", r.Traceback)
	}
}

// The next cell tells, once. Neither what cells have left outlives it, nor a page's widget; the working directory stays, which %cd has set for
// everything that a cell can name a file in.
func testAGoNBThatDiesBetweenCells(t *testing.T, l *lab) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l.OK("%cd " + dir + "\n%fsnet open a data=planted k=2\n%fsnet report a")
	if _, err := os.Stat(filepath.Join(dir, "a-report.html")); err != nil {
		t.Error(err)
	}
	p := &page{lab: l}
	told := func() bool { // that the widget is of nobody
		return len(p.comm("comm_msg", "c1", map[string]any{"data": map[string]any{}}).Of("comm_close")) > 0
	}
	p.comm("comm_open", "c1", map[string]any{"target_name": "gonb_comm", "data": map[string]any{}})
	if told() {
		t.Error("GoNB's own comm is of nobody")
	}
	left, kept := l.leave(""), l.leave("FSNET_KEEP=1")
	l.killed()
	const forgotten = "(signal: killed), and was started again: the declarations of earlier cells are forgotten"
	if r := l.OK("%%\nfmt.Println(os.Getwd())"); !strings.Contains(r.Stream("stderr"), forgotten) || r.Stream("stdout") != dir+" <nil>\n" {
		t.Errorf("in %s: %s", dir, r.Types())
	}
	if r := l.OK("%ls"); !strings.Contains(strings.Join(r.Texts(), ""), "widgets") || r.Stream("stderr") != "" {
		t.Errorf("told twice: %s", r.Types())
	}
	if !told() {
		t.Error("the next GoNB was told of the widget")
	}
	if process.Visible() {
		l.gone("what its cell has left", left)
	}
	if !system.Alive(kept) {
		t.Error("a program that was to be kept has ended")
	}
	l.await(func() bool { // GoNB takes a cell's pipe away after the answer
		return len(process.Beginning(filepath.Join(l.workspace(), "tmp"), "gonb_")) == 1
	}, "the workspace holds more than GoNB's module")
}

// One that was stopped neither ends its cell nor starts another one. Whoever insists gets the next one.
func testASecondInterruptEndsAStoppedGoNB(_ *testing.T, l *lab) {
	running := l.Begin("%%\nfmt.Println(\"ready\")\nselect { case <-time.After(time.Hour): }")
	l.Until(running, fronttest.Says("ready"))
	before := l.halted()
	l.HasFailed("stopped", l.insist(running), "Interrupted: the cell was interrupted; gonb, which runs Go cells, did not end the cell and was killed",
		"the next Go cell starts it again")
	l.goesOn(before)
}

// One that is silent is given up without anybody's doing, and so do cells that come when it was stopped long ago. One that answers while a
// cell takes longer is not.
func testASilentGoNBIsGivenUp(t *testing.T, l *lab) {
	if r := l.OK("func f() int { return 1 }\n%%\ntime.Sleep(5 * time.Second)\nfmt.Print(1)"); r.Stream("stdout") != "1" {
		t.Error(r.Types())
	}
	before := l.halted()
	l.OK("%fsnet version") // needs no GoNB
	want := []string{
		"Unavailable: gonb, which runs Go cells, has not answered for 4s",
		"the next Go cell starts it again; run the cells with declarations first",
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		want = append(want, "(process "+itoa(before)+" was stopped)")
	}
	l.Fails("%%\nfmt.Print(f())", want...)
	l.goesOn(before)
}

// insist interrupts a cell again and again, as somebody does who does not want to wait, until it has ended.
func (l *lab) insist(running *fronttest.Exchange) fronttest.Result {
	l.Helper()
	for end := time.Now().Add(fronttest.Limit); ; {
		l.Interrupt()
		select {
		case <-running.Replied():
			return l.Finish(running)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(end) {
			l.Fatal("the cell outlives every interrupt")
		}
	}
}

// goesOn makes sure that lines are answered, and that another GoNB runs Go cells and says nothing of the one before.
func (l *lab) goesOn(before int) {
	l.Helper()
	l.OK("%fsnet version")
	if r := l.OK("%%\nfmt.Print(session.Use(\"x\", session.Config{}).Name())"); r.Stream("stdout") != "x" || r.Stream("stderr") != "" {
		l.Error(r.Types())
	}
	if l.goID() == before {
		l.Error("it is the same GoNB")
	}
	l.gone("the GoNB before", before)
}

// While a Go cell computes, a subshell answers %fsnet lines, completion and inspection; a Go cell there says that it waits, and waits.
func testSubshellAnswersDuringAGoCell(t *testing.T, l *lab) {
	begun := l.OK(openLong).Count
	shell, other := l.Subshell(), l.Subshell()
	here := filepath.Join(t.TempDir(), "go on")
	computing := l.Begin("%%\nfmt.Println(\"computing\")\nfor {\n\tif _, err := os.Stat(" + fmt.Sprintf("%q", here) +
		"); err == nil {\n\t\tbreak\n\t}\n\ttime.Sleep(time.Millisecond)\n}\nfmt.Println(\"computed\")")
	l.Until(computing, fronttest.Says("computing"))
	r := l.Finish(l.BeginIn(shell, "%fsnet step 5\n%fsnet status"))
	if texts := r.Texts(); r.Status != "ok" || !strings.Contains(texts[len(texts)-1], "step 5 ") {
		t.Errorf("%%fsnet lines in the subshell: %s %q", r.Value, texts)
	}
	if r.Count != begun+2 {
		t.Errorf("its count is %d, want %d", r.Count, begun+2)
	}
	quotedID := fmt.Sprintf("%q", shell)
	for kind, want := range map[string]string{"complete_request": "status", "inspect_request": "where the training is"} {
		a := l.Wait(l.BegunIn(quotedID, "shell", kind, jupyter.CompleteRequest{Code: "%fsnet status", CursorPos: 13}))
		if !strings.Contains(string(a.Reply.Content), want) {
			t.Errorf("%s: %s", kind, a.Reply.Content)
		}
	}
	waiting := l.BeginIn(shell, "%%\nfmt.Println(\"my turn\")")
	behind := l.BeginIn(shell, "%fsnet version")
	given := l.BeginIn(other, "%%\nfmt.Println(\"never\")")
	for _, e := range []*fronttest.Exchange{waiting, given} {
		l.Until(e, fronttest.Says("this cell waits"))
	}
	// An interrupt that names a subshell is that one's alone.
	l.Wait(l.BegunIn(fmt.Sprintf("%q", other), "control", "interrupt_request", nil))
	if r := l.Finish(given); r.Name != "Interrupted" {
		t.Errorf("the cell that gave up waiting: %+v", r.ErrorReply)
	}
	select {
	case <-computing.Replied():
		t.Error("the main shell's cell has ended with it")
	case <-waiting.Replied():
		t.Error("the Go cell did not wait")
	case <-behind.Replied():
		t.Error("cells of one subshell do not wait for each other")
	case <-time.After(50 * time.Millisecond): // what is wrong shows at once; what is right passes
	}
	if err := os.WriteFile(here, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := l.Finish(computing), l.Finish(waiting)
	if !strings.Contains(first.Stream("stdout"), "computed") || !strings.Contains(second.Stream("stdout"), "my turn") {
		t.Errorf("%q, then %q", first.Stream("stdout"), second.Stream("stdout"))
	}
	if first.Count != begun+1 || second.Count <= begun+2 {
		t.Errorf("counted %d and %d", first.Count, second.Count)
	}
	l.Finish(behind)
	// GoNB counts as the kernel does, whatever the order in which cells came.
	l.Finish(l.BeginIn(other, "func broken() int { return missing }"))
	if r := l.Finish(l.BeginIn(other, "func twice(x int) int {\n\treturn []int{x}[x]\n}")); r.Status != "ok" {
		t.Fatalf("%+v", r.ErrorReply)
	} else if failed := strings.Join(l.Run("%%\ntwice(1)").Traceback, "\n"); !strings.Contains(
		failed, fmt.Sprintf("cell [%d] line 2", r.Count)) {
		t.Errorf("the error names %q, want cell [%d]", failed, r.Count)
	}
}
