package kernel

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/tests/kit/sessiontest"
	"fsnetlab/tests/kit/testhost"
)

const (
	openShort = "%fsnet open leukemia data=planted k=3 epochs=20 stop=never"
	openLong  = "%fsnet open leukemia data=planted k=3 epochs=1000000000 stop=never"
)

// The lines of a cell run in order, and each cell counts.
func TestKernel_RunsLinesInOrder(t *testing.T) {
	l := newLab(t)
	r := l.OK(openShort + "\n\n%fsnet step 7\n%fsnet status\n")
	texts := r.Texts()
	if len(texts) != 3 || !strings.Contains(texts[0], "step 0 ") ||
		!strings.Contains(texts[1], "step 7 ") || !strings.Contains(texts[2], "step 7 ") {
		t.Errorf("shown were %q", texts)
	}
	if got := l.OK("%fsnet status").Count; got != 2 {
		t.Errorf("the second cell's count is %d", got)
	}
	if r := l.OK("%fsnet version"); len(r.Of("execute_result")) != 1 {
		t.Errorf("version published %s", r.Types())
	}
	if r := l.OK("%fsnet help"); len(r.Payload) != 1 || r.Payload[0].Data["text/plain"] == "" {
		t.Errorf("help carries %+v", r.Payload)
	}
	var d jupyter.DisplayData
	if r := l.OK("%fsnet doctor"); r.Of("display_data")[0].Decode(&d) != nil ||
		!strings.Contains(fmt.Sprint(d.Data["text/html"]), "everything &lt;is&gt; fine") {
		t.Errorf("doctor shows %s", r.Types())
	}
	l.OK("%fsnet clear")
	l.OK("")
	l.OK("   \n// only a comment above a line\n%fsnet status")
}

// Each error is reported once, in one line without a stack.
func TestKernel_ReportsAnErrorOnce(t *testing.T) {
	l := newLab(t)
	l.OK(openShort)
	l.Fails("x := 1", "no Go cells")
	l.Fails("%fsnet status\n%fsnet nonsense\nx:=1", "nonsense")
	if r := l.Fails("%fsnet stauts"); len(r.Traceback) != 1 || strings.Contains(r.Traceback[0], "goroutine") {
		t.Errorf("the traceback is %q", r.Traceback)
	}
}

// Progress is one display, updated a few times a second, and it ends as the
// status.
func TestKernel_ProgressIsOneDisplay(t *testing.T) {
	l := newLab(t)
	l.OK(openLong)
	began := time.Now()
	r := l.OK("%fsnet run step=40000")
	shown := r.Of("display_data")
	if len(shown) != 1 {
		t.Fatalf("%d displays: %s", len(shown), r.Types())
	}
	var d jupyter.DisplayData
	if err := shown[0].Decode(&d); err != nil || d.Transient.DisplayID == "" {
		t.Errorf("it has no id: %s", shown[0].Content)
	}
	if texts := r.Texts(); len(texts) != 1 || !strings.Contains(texts[0], "step 40000 ") || !strings.Contains(texts[0], "paused") {
		t.Errorf("it ends as %q", texts)
	}
	updates := len(r.Of("update_display_data"))
	if most := int(time.Since(began)/updateInterval) + 2; updates == 0 || updates > most {
		t.Errorf("%d updates in %v, want at most %d", updates, time.Since(began), most)
	}
}

// An interrupt pauses a run, and the cell says where.
func TestKernel_InterruptPausesARun(t *testing.T) {
	l := newLab(t)
	l.OK(openLong)
	running := l.Begin("%fsnet run")
	l.Until(running, fronttest.Of("display_data"))
	l.Interrupt()
	r := l.Finish(running)
	if texts := r.Texts(); r.Status != "error" || !strings.Contains(strings.Join(texts, ""), "paused") { // an error, so that Run All stops
		t.Errorf("%s: %q", r.Status, texts)
	}
	before := r.Texts()[0]
	if after := l.OK("%fsnet status").Texts()[0]; !strings.Contains(before, strings.Fields(after)[4]) {
		t.Errorf("paused at %q, then at %q", before, after)
	}
	// What stands behind the run is not done, and the cell says so.
	running = l.Begin("%fsnet run\n%fsnet version")
	l.Until(running, fronttest.Of("display_data"))
	l.Interrupt()
	l.HasFailed("run and version", l.Finish(running), "Interrupted", "not run")
	// Without a cell there is nothing to interrupt.
	l.Interrupt()
	l.OK("%fsnet status")
}

// A silent cell publishes only busy and idle, and is neither counted nor
// remembered. Its reply is complete.
func TestKernel_SilentCells(t *testing.T) {
	l := newLab(t)
	l.OK(openShort)
	silent := func(code string) fronttest.Result {
		t.Helper()
		e, err := l.Start("execute_request", map[string]any{"code": code, "silent": true, "store_history": true})
		if err != nil {
			t.Fatal(err)
		}
		r := l.Finish(e)
		for _, m := range r.Published {
			if m.Header.Type != "status" {
				t.Errorf("%q published %s", code, r.Types())
			}
		}
		if r.Count != 1 {
			t.Errorf("%q has the count %d", code, r.Count)
		}
		return r
	}
	for _, code := range []string{"", "%fsnet version", "%fsnet status\n%fsnet step 3\n%fsnet matrix", "%fsnet clear", "%fsnet panel"} {
		if r := silent(code); r.Status != "ok" {
			t.Errorf("%q is %s", code, r.Status)
		}
	}
	var info jupyter.CommInfoReply
	if err := l.Ask("comm_info_request", map[string]any{}).Reply.Decode(&info); err != nil || len(info.Comms) > 0 {
		t.Errorf("a silent panel left the comms %v, %v", info.Comms, err)
	}
	for _, m := range l.Unasked() {
		if m.Header.Type == "comm_open" {
			t.Fatalf("a silent panel opened %s", m.Content)
		}
	}
	if r := silent("%fsnet nonsense"); r.Status != "error" || !strings.Contains(r.Value, "nonsense") {
		t.Errorf("%s", r.Reply.Content)
	}
	if r := l.OK("%fsnet status"); r.Count != 2 || !strings.Contains(r.Texts()[0], "step 3 ") {
		t.Errorf("afterwards: %d, %q", r.Count, r.Texts())
	}
}

// A host that dies is reported with the sessions it had, and replaced.
func TestKernel_ReplacesADeadHost(t *testing.T) {
	l := newLab(t)
	l.OK(openLong)
	l.OK("%fsnet open lymphoma data=planted k=2")
	first := l.hostID()
	running := l.Begin("%fsnet run leukemia")
	l.Until(running, fronttest.Of("display_data"))
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.HasFailed("run", l.Finish(running), "signal: killed", "leukemia, lymphoma", "next verb starts another")
	l.Fails("%fsnet status leukemia", "leukemia") // by the new host, which has no sessions
	if l.hostID() == first {
		t.Error("the host was not replaced")
	}
	l.OK(openShort)
}

// If the host doesn't start, the error says why and what to do.
func TestKernel_HostDoesNotStart(t *testing.T) {
	l := startLab(t, Options{NoGo: true, Host: []string{"/nonexistent/fsnet", "host"}})
	l.Fails(openShort, "does not start", "install.sh")
	l = startLab(t, Options{NoGo: true, Host: []string{testBinary(), "broken"}})
	l.Fails(openShort, "exit status 1", "no device", "doctor")
}

// The conformance suite of sessions passes through a kernel, at the socket of
// its cells.
func TestCellSocket_Conforms(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	sessiontest.Conform(t, func(t *testing.T) session.Caller { return newLab(t).dial() })
}

// Only the program of a running cell may draw or show anything, and a wrong
// request is explained.
func TestKernel_RejectsRequestsOfCells(t *testing.T) {
	l := newLab(t)
	client := l.dial()
	for _, c := range []struct{ verb, params, want string }{
		{"view", `{"view":"matrix","session":"leukemia"}`, "no cell is running"},
		{"view", `{"view":"matrix"}`, "needs its name"},
		{"view", `{"session":3}`, "session is number"},
		{"view", `{"view":"matrix","sesion":"leukemia"}`, "did you mean session"},
		{"view", `{"view":"matrix","live":"yes"}`, "give true or false"},
		{"vieww", `{}`, `the method "vieww" is not known`},
		{"show", `{"data":{"text/plain":"x"}}`, "no cell is running"},
		{"show", `{"data":{"text/html":"x"}}`, "no text/plain"},
		{"show", `{"data":{"text/plain":3}}`, "no text/plain"},
		{"show", `[]`, "params is array"},
		{"show", `{"data":{"text/plain":"x"},"id":3}`, "id is number"},
		{"show", `{"data":{"text/plain":"x"},"id":"` + strings.Repeat("x", 300) + `"}`, "the name of a display has 300 bytes"},
	} {
		if err := client.Call(t.Context(), c.verb, json.RawMessage(c.params), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.verb, c.params, err, c.want)
		}
	}
}

// While a session runs in the background, cells are answered and other sessions
// train.
func TestKernel_CellsDuringABackgroundRun(t *testing.T) {
	l := newLab(t)
	l.OK(openLong)
	l.OK("%fsnet run wait=false\n%fsnet matrix\n%fsnet version")
	l.kernel.Interrupt() // no cell waits for it
	l.OK("%fsnet fork branch\n%fsnet step 5")
	if shown := l.OK("%fsnet sessions").Texts(); !strings.Contains(shown[0], "paused") || !strings.Contains(shown[0], "running") {
		t.Errorf("the sessions are %q", shown)
	}
}

func testGoCellsForkRewindAndRunInTheBackground(t *testing.T, l *lab) {
	l.OK("import \"fsnetlab/fsnet/session\"\n\n" +
		"var s = session.Use(\"leukemia\", session.Config{Data: \"planted\", K: 3, Epochs: 1000000000, Stop: \"never\"})")
	r := l.OK("%%\ns.Must().Step(9)\nbranch := s.Must().Fork(\"branch\", 6)\n" +
		"fmt.Println(branch.Must().Step(1).Step, s.Must().Rewind(4).Step)\nfmt.Println(s.Must().Run(session.Until{Wait: new(false)}).State)")
	if got := r.Stream("stdout"); got != "7 4\nrunning\n" {
		t.Errorf("it prints %q", got)
	}
	if shown := l.OK("%fsnet status").Texts(); !strings.HasPrefix(shown[0], "leukemia ") { // rewound and run after the fork
		t.Errorf("%q", shown)
	}
	l.Fails("%%\ns.Must().Step(1)", "running since", "pause it first")
	if got := l.OK("%%\nfmt.Println(s.Must().Pause().State)").Stream("stdout"); got != "paused\n" {
		t.Errorf("it prints %q", got)
	}
	l.Fails("%%\ns.Must().Fork(\"branch\", -1)", "another name")
	l.OK("%fsnet step branch\n%%\ns.Must().Run(session.Until{Wait: new(false)})")
	if shown := l.OK("%fsnet status").Texts(); !strings.HasPrefix(shown[0], "leukemia ") { // as after %fsnet run wait=false
		t.Errorf("after a run in the background: %q", shown)
	}
	l.OK("%fsnet step branch\n%%\ns.Must().Pause()")
	if shown := l.OK("%fsnet status").Texts(); !strings.HasPrefix(shown[0], "leukemia ") {
		t.Errorf("after a pause: %q", shown)
	}
	l.OK("%fsnet close branch\n%fsnet close leukemia")
}

// A kernel that trains in the background isn't idle, whatever Jupyter thinks of
// it, and one that doesn't train is. A host that doesn't answer is busy, for
// instance compiling, but only for a while: after that its kernel may be
// culled. If it goes on, it is active again.
func TestKernel_ActivityDuringABackgroundRun(t *testing.T) {
	const look = 20 * time.Millisecond // which is also how long one may take
	l := startLab(t, Options{NoGo: true, Activity: look})
	l.OK(openLong)
	host := l.hostID()
	defer syscall.Kill(host, syscall.SIGCONT) //nolint:errcheck // it may have ended
	resume := func() error { return syscall.Kill(host, syscall.SIGCONT) }
	run := func(line string) func() error { return func() error { l.OK(line); return nil } }
	for _, c := range []struct {
		state   string
		enter   func() error
		isAlive bool
	}{
		{"before anything runs", run("%fsnet version"), false},
		{"during a run", run("%fsnet run wait=false"), true},
		{"paused", run("%fsnet pause"), false},
		{"during another run", run("%fsnet run wait=false"), true},
		{"when the host does not answer at once", func() error { return testhost.Halt(host) }, true},
		{"when the host hangs", func() error { return nil }, false},
		{"when the host goes on", resume, true},
	} {
		if err := c.enter(); err != nil {
			t.Fatal(err)
		}
		l.await(func() bool {
			before := pulses(t, l)
			time.Sleep(10 * look) // several of them, also on a busy machine
			return (pulses(t, l) > before) == c.isAlive
		}, "%s: want activity %t", c.state, c.isAlive)
	}
}

// If the host hangs, each cell that needs it fails with one line, and all else
// works.
func TestKernel_HostHangs(t *testing.T) {
	l := startLab(t, Options{NoGo: true, Silence: time.Second})
	l.OK(openLong)
	host := l.hostID()
	if err := testhost.Halt(host); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(host, syscall.SIGCONT) //nolint:errcheck // it may have ended
	waiting := l.Begin("%fsnet step")
	if reply, _ := l.completion("%fsnet set lam|"); len(reply.Matches) != 1 {
		t.Errorf("meanwhile completion gives %q", reply.Matches)
	}
	l.HasFailed("step", l.Finish(waiting), "has not answered for 1s", "kill -9 "+itoa(host))
	l.Fails("%fsnet status", "has not answered", itoa(host))
	l.OK("%fsnet version")
}

// pulses counts the pairs of busy and idle that answer no request of the front end.
func pulses(t *testing.T, l *lab) int {
	t.Helper()
	var states []jupyter.Message
	for _, m := range l.Unasked() {
		if m.Header.Type != "status" || m.ParentType() != "execute_request" {
			continue
		}
		states = append(states, m)
	}
	for i := range len(states) / 2 {
		if fronttest.State(states[2*i]) != "busy" || fronttest.State(states[2*i+1]) != "idle" || states[2*i].ParentID() != states[2*i+1].ParentID() {
			t.Errorf("pair %d is %s, %s", i, states[2*i].Content, states[2*i+1].Content)
		}
	}
	return len(states) / 2
}

// A console asks whether a line is complete, and then runs it. It sees progress
// in one line, and its end as a display.
func TestKernel_Console(t *testing.T) {
	l := newLab(t)
	l.OK(openShort)
	const code = "%fsnet run"
	l.Ask("is_complete_request", jupyter.IsCompleteRequest{Code: code})
	r := l.OK(code)
	if n := len(r.Of("update_display_data")); n > 0 {
		t.Errorf("%d updates, which jupyter console does not show", n)
	}
	if shown := r.Texts(); len(shown) != 1 || !strings.Contains(shown[0], "step 60 of 60") {
		t.Errorf("the end is shown as %q", shown)
	}
	for line := range strings.SplitSeq(r.Stream("stdout"), "\r") {
		if n := len([]rune(line)); n > consoleColumns {
			t.Errorf("%d characters: %q", n, line)
		}
	}
	if s := r.Stream("stdout"); s != "" && !strings.HasSuffix(s, "\r") {
		t.Errorf("the line is not cleared: %q", s)
	}
	// A notebook that runs the same code is shown a display that is updated.
	r = l.OK("%fsnet rewind 0\n%fsnet run")
	if r.Stream("stdout") != "" {
		t.Errorf("a notebook is shown %q", r.Stream("stdout"))
	}
}
