package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
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
