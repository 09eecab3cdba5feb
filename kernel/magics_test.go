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
	"fsnetlab/widgets/chart"
)

const (
	openShort = "%fsnet open leukemia data=planted k=3 epochs=20 stop=never"
	openLong  = "%fsnet open leukemia data=planted k=3 epochs=1000000000 stop=never"
)

func TestLinesRunInOrderAndCount(t *testing.T) {
	l := newLab(t)
	r := l.ok(openShort + "\n\n%fsnet step 7\n%fsnet status\n")
	texts := r.texts()
	if len(texts) != 3 || !strings.Contains(texts[0], "step 0 ") ||
		!strings.Contains(texts[1], "step 7 ") || !strings.Contains(texts[2], "step 7 ") {
		t.Errorf("shown were %q", texts)
	}
	if got := l.ok("%fsnet status").reply.Count; got != 2 {
		t.Errorf("the second cell's count is %d", got)
	}
	if r := l.ok("%fsnet version"); len(r.Of("execute_result")) != 1 {
		t.Errorf("version published %s", types(r.Answer))
	}
	if r := l.ok("%fsnet help"); len(r.reply.Payload) != 1 || r.reply.Payload[0].Data["text/plain"] == "" {
		t.Errorf("help carries %+v", r.reply.Payload)
	}
	var d jupyter.DisplayData
	if r := l.ok("%fsnet doctor"); r.Of("display_data")[0].Decode(&d) != nil ||
		!strings.Contains(fmt.Sprint(d.Data["text/html"]), "everything &lt;is&gt; fine") {
		t.Errorf("doctor shows %s", types(r.Answer))
	}
	l.ok("%fsnet clear")
	l.ok("")
	l.ok("   \n// only a comment above a line\n%fsnet status")
}

func TestEachErrorOnce(t *testing.T) {
	l := newLab(t)
	l.ok(openShort)
	for code, want := range map[string]string{
		"%fsnet stauts":                        "did you mean status?",
		"%fsnet status leukmia":                "did you mean leukemia?",
		"%fsnet set lamda=3":                   "did you mean lambda?",
		"%fsnet set lambda=-3":                 "lambda",
		"%fsnet set k=4":                       "k is fixed",
		"%fsnet step -3":                       "-3",
		"%fsnet step many":                     "many",
		"%fsnet open x data=nowhere":           "nowhere",
		"%fsnet matrix of=probabilty":          "did you mean probability?",
		`%fsnet open x data="a`:                "close it",
		"x := 1":                               "no Go cells",
		"%fsnet status\n%fsnet nonsense\nx:=1": "nonsense",
	} {
		l.fails(code, want)
	}
	if r := l.fails("%fsnet stauts"); len(r.reply.Traceback) != 1 || strings.Contains(r.reply.Traceback[0], "goroutine") {
		t.Errorf("the traceback is %q", r.reply.Traceback)
	}
}

func TestProgressIsOneDisplayThatEndsAsStatus(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	began := time.Now()
	r := l.ok("%fsnet run step=40000")
	shown := r.Of("display_data")
	if len(shown) != 1 {
		t.Fatalf("%d displays: %s", len(shown), types(r.Answer))
	}
	var d jupyter.DisplayData
	if err := shown[0].Decode(&d); err != nil || d.Transient.DisplayID == "" {
		t.Errorf("it has no id: %s", shown[0].Content)
	}
	if texts := r.texts(); len(texts) != 1 || !strings.Contains(texts[0], "step 40000 ") || !strings.Contains(texts[0], "paused") {
		t.Errorf("it ends as %q", texts)
	}
	updates := len(r.Of("update_display_data"))
	if most := int(time.Since(began)/updateInterval) + 2; updates == 0 || updates > most {
		t.Errorf("%d updates in %v, want at most %d", updates, time.Since(began), most)
	}
}

func TestARunThatWouldEndInThePast(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	l.ok("%fsnet step 8")
	for line, back := range map[string]string{"run step=5": "step=5", "run step=7 wait=false": "step=7", "run epoch=1": "epoch=1"} {
		asked := strings.Replace(back, "=", " ", 1)
		texts := l.ok("%fsnet " + line).texts()
		if len(texts) != 2 || !strings.Contains(texts[0], "step 8 ") || !strings.Contains(texts[1], "leukemia is past "+asked) ||
			!strings.Contains(texts[1], "%fsnet rewind leukemia "+back+" ") ||
			!strings.Contains(texts[1], "%fsnet fork leukemia NEWNAME "+back+" ") {
			t.Errorf("%s: %q", line, texts)
		}
	}
	for _, line := range []string{"run step=8", "run step=9", "run epoch=5"} {
		if texts := l.ok("%fsnet " + line).texts(); len(texts) != 1 {
			t.Errorf("%s: %q", line, texts)
		}
	}
	l.ok("%fsnet fork leukemia branch step=5")
	l.ok("%fsnet rewind leukemia step=7")
}

func TestAnInterruptPausesARun(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	running := l.begin("%fsnet run")
	queued := []*fronttest.Exchange{l.begin("%fsnet step 5"), l.begin("%fsnet version")}
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	l.ask("kernel_info_request", nil) // it came behind the cells, so they are there
	l.askControl("interrupt_request", nil)
	r := l.finish(running)
	if texts := r.texts(); r.reply.Status != "ok" || !strings.Contains(strings.Join(texts, ""), "paused") {
		t.Errorf("%s: %q", r.reply.Status, texts)
	}
	for _, e := range queued {
		if r := l.finish(e); r.reply.Status != "aborted" {
			t.Errorf("a queued cell is %s", r.reply.Status)
		}
	}
	before := r.texts()[0]
	if after := l.ok("%fsnet status").texts()[0]; !strings.Contains(before, strings.Fields(after)[4]) {
		t.Errorf("paused at %q, then at %q", before, after)
	}
	// What stands behind the run is not done, and the cell says so.
	running = l.begin("%fsnet run\n%fsnet version")
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	l.failed("run and version", l.finish(running), "Interrupted", "not run")
	// Without a cell there is nothing to interrupt.
	l.askControl("interrupt_request", nil)
	l.ok("%fsnet status")
}

func TestCellsBehindAFailedOneAreAborted(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	running := l.begin("%fsnet run\n%fsnet rewind 999999999")
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	cells := []*fronttest.Exchange{running, l.begin("%fsnet status"), l.begin("%fsnet version")}
	l.ask("kernel_info_request", nil) // it came behind them, so they are there when the first one fails
	if r := l.finish(l.beginIn(l.createSubshell(), "%fsnet pause")); r.reply.Status != "ok" {
		t.Fatal("no pause: ", r.reply)
	}
	for i, want := range []string{"error", "aborted", "aborted"} {
		if r := l.finish(cells[i]); r.reply.Status != want {
			t.Errorf("cell %d is %s, want %s", i, r.reply.Status, want)
		}
	}
	l.ok("%fsnet status") // sent after the error was seen
	e, err := l.front.Start("execute_request", map[string]any{"code": "%fsnet nonsense", "stop_on_error": false})
	if err != nil {
		t.Fatal(err)
	}
	next := l.begin("%fsnet status")
	l.failed("nonsense", l.finish(e))
	if r := l.finish(next); r.reply.Status != "ok" {
		t.Errorf("with stop_on_error=false the next cell is %s", r.reply.Status)
	}
}

// A silent cell says nothing but busy and idle, is not counted and not remembered; its reply is whole.
func TestSilentCells(t *testing.T) {
	l := newLab(t)
	l.ok(openShort)
	silent := func(code string) result {
		t.Helper()
		e, err := l.front.Start("execute_request", map[string]any{"code": code, "silent": true, "store_history": true})
		if err != nil {
			t.Fatal(err)
		}
		r := l.finish(e)
		for _, m := range r.Published {
			if m.Header.Type != "status" {
				t.Errorf("%q published %s", code, types(r.Answer))
			}
		}
		if r.reply.Count != 1 {
			t.Errorf("%q has the count %d", code, r.reply.Count)
		}
		return r
	}
	for _, code := range []string{"", "%fsnet version", "%fsnet status\n%fsnet step 3\n%fsnet matrix", "%fsnet clear", "%fsnet panel"} {
		if r := silent(code); r.reply.Status != "ok" {
			t.Errorf("%q is %s", code, r.reply.Status)
		}
	}
	var info jupyter.CommInfoReply
	if err := l.ask("comm_info_request", map[string]any{}).Reply.Decode(&info); err != nil || len(info.Comms) > 0 {
		t.Errorf("a silent panel left the comms %v, %v", info.Comms, err)
	}
	for _, m := range l.front.Unasked() {
		if m.Header.Type == "comm_open" {
			t.Fatalf("a silent panel opened %s", m.Content)
		}
	}
	if r := silent("%fsnet nonsense"); r.reply.Status != "error" || !strings.Contains(r.reply.Value, "nonsense") {
		t.Errorf("%s", r.Reply.Content)
	}
	// What a front end asks silently stops no cell of the user's.
	running := l.begin("%fsnet step 1")
	failing, err := l.front.Start("execute_request", map[string]any{"code": "%fsnet nonsense", "silent": true})
	if err != nil {
		t.Fatal(err)
	}
	behind := l.begin("%fsnet version")
	l.finish(running)
	if r := l.finish(failing); r.reply.Status != "error" {
		t.Errorf("%s", r.Reply.Content)
	}
	if r := l.finish(behind); r.reply.Status != "ok" {
		t.Errorf("the cell behind it is %s", r.reply.Status)
	}
	if r := l.ok("%fsnet status"); r.reply.Count != 4 || !strings.Contains(r.texts()[0], "step 4 ") {
		t.Errorf("afterwards: %d, %q", r.reply.Count, r.texts())
	}
}

func TestCellsThatAreNotStoredAreShown(t *testing.T) {
	l := newLab(t)
	l.ok("%fsnet version")
	e, err := l.front.Start("execute_request", map[string]any{"code": "%fsnet version", "store_history": false})
	if err != nil {
		t.Fatal(err)
	}
	if r := l.finish(e); r.reply.Count != 1 || len(r.Of("execute_result")) != 1 || len(r.Of("execute_input")) != 1 {
		t.Errorf("count %d, %s", r.reply.Count, types(r.Answer))
	}
	if r := l.ok("%fsnet version"); r.reply.Count != 2 {
		t.Errorf("the next count is %d", r.reply.Count)
	}
}

func TestOthersAreAnsweredWhileACellRuns(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	running := l.begin("%fsnet run")
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	l.ask("kernel_info_request", nil)
	l.askControl("kernel_info_request", nil)
	l.ask("is_complete_request", jupyter.IsCompleteRequest{Code: "x"})
	l.ask("history_request", jupyter.HistoryRequest{Access: "tail"})
	l.ask("complete_request", jupyter.CompleteRequest{Code: "%fsnet status le", CursorPos: 16})
	l.ask("inspect_request", jupyter.InspectRequest{Code: "%fsnet set lambda", CursorPos: 15})
	l.ask("comm_info_request", nil)
	// A front end takes the last status for the kernel's: the cell still runs.
	if err := running.Until(l.context(), func(m jupyter.Message) bool { return state(m) == "busy" }); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	r := l.finish(running)
	busy := 0
	for _, m := range r.Published {
		if state(m) == "busy" {
			busy++
		}
	}
	if busy < 2 {
		t.Error("nothing said that the cell went on when other requests were done")
	}
}

func TestADeadHostIsReportedAndReplaced(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	l.ok("%fsnet open lymphoma data=planted k=2")
	first := l.hostID()
	running := l.begin("%fsnet run leukemia")
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.failed("run", l.finish(running), "signal: killed", "leukemia, lymphoma", "next verb starts another")
	l.fails("%fsnet status leukemia", "leukemia") // by the new host, which has no sessions
	if l.hostID() == first {
		t.Error("the host was not replaced")
	}
	l.ok(openShort)
	l.ok("%fsnet step 3")
	// One that dies while nobody waits.
	if err := syscall.Kill(l.hostID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r := l.run("%fsnet status leukemia") // noticed by this verb, or its new host has no session
	l.failed("status", r, "leukemia")
	l.ok(openShort)
}

func TestAHostThatDoesNotStart(t *testing.T) {
	l := startLab(t, Options{NoGo: true, Host: []string{"/nonexistent/fsnet", "host"}})
	l.fails(openShort, "does not start", "install.sh")
	l = startLab(t, Options{NoGo: true, Host: []string{testBinary(), "broken"}})
	l.fails(openShort, "exit status 1", "no device", "doctor")
}

// The conformance suite of sessions, through a kernel: what cells get at their socket.
func TestCellSocketConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	sessiontest.Conform(t, func(t *testing.T) session.Caller {
		l := newLab(t)
		client, err := session.Dial(t.Context(), l.kernel.cells.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Disconnect)
		return client
	})
}

func TestViewsNeedACell(t *testing.T) {
	l := newLab(t)
	client, err := session.Dial(t.Context(), l.kernel.cells.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Disconnect()
	for params, want := range map[string]string{
		`{"view":"matrix","session":"leukemia"}`: "no cell is running",
		`{"view":"matrix"}`:                      "needs its name",
		`{"session":3}`:                          "needs its name",
	} {
		if err := client.Call(t.Context(), "view", json.RawMessage(params), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", params, err, want)
		}
	}
	if err := client.Call(t.Context(), "vieww", struct{}{}, nil); err == nil || !strings.Contains(err.Error(), `the method "vieww" is not known`) {
		t.Errorf("an unknown method: %v", err)
	}
}

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

// The last of two updates that follow closely is shown soon, also where nothing comes after it.
func TestAnUpdateThatWaitsIsShown(t *testing.T) {
	l := newLab(t)
	asked, err := l.front.Start("kernel_info_request", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &output{kernel: l.kernel, parent: asked.Request}
	for _, text := range []string{"1", "2", "3"} {
		o.Update("a", chart.Picture{Text: text})
	}
	err = asked.Until(l.context(), func(m jupyter.Message) bool {
		var shown jupyter.DisplayData
		return m.Header.Type == "update_display_data" && m.Decode(&shown) == nil && shown.Data["text/plain"] == "3"
	})
	if err != nil {
		t.Error(err)
	}
}

// A console asks whether a line is complete, and then runs it. It is shown progress in one line, and its end as a display.
func TestAConsoleSeesProgressAndItsEnd(t *testing.T) {
	l := newLab(t)
	l.ok(openShort)
	const code = "%fsnet run"
	l.ask("is_complete_request", jupyter.IsCompleteRequest{Code: code})
	r := l.ok(code)
	if n := len(r.Of("update_display_data")); n > 0 {
		t.Errorf("%d updates, which jupyter console does not show", n)
	}
	if shown := r.texts(); len(shown) != 1 || !strings.Contains(shown[0], "step 60 of 60") {
		t.Errorf("the end is shown as %q", shown)
	}
	for line := range strings.SplitSeq(r.stream("stdout"), "\r") {
		if n := len([]rune(line)); n > consoleColumns {
			t.Errorf("%d characters: %q", n, line)
		}
	}
	if s := r.stream("stdout"); s != "" && !strings.HasSuffix(s, "\r") {
		t.Errorf("the line is not cleared: %q", s)
	}
	// A notebook that runs the same code is shown a display that is updated.
	r = l.ok("%fsnet rewind 0\n%fsnet run")
	if r.stream("stdout") != "" {
		t.Errorf("a notebook is shown %q", r.stream("stdout"))
	}
}

func TestWhatAConsoleTypesIsForgotten(t *testing.T) {
	var c consoles
	c.ask("a", "x ")
	if c.typed("b", "x") || c.typed("a", "y") || c.typed("a", "x") {
		t.Error("code is taken for typed that was not asked about last")
	}
	c.ask("a", "x")
	if !c.typed("a", "x\n") || c.typed("a", "x") {
		t.Error("code that was asked about is typed once")
	}
	for i := range 10 * mostConsoles {
		c.ask(itoa(i), "x")
	}
	if len(c.asked) > mostConsoles {
		t.Errorf("%d are remembered", len(c.asked))
	}
}
