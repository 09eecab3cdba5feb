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

func TestLinesRunInOrderAndCount(t *testing.T) {
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

func TestEachErrorOnce(t *testing.T) {
	l := newLab(t)
	l.OK(openShort)
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
		l.Fails(code, want)
	}
	if r := l.Fails("%fsnet stauts"); len(r.Traceback) != 1 || strings.Contains(r.Traceback[0], "goroutine") {
		t.Errorf("the traceback is %q", r.Traceback)
	}
}

func TestProgressIsOneDisplayThatEndsAsStatus(t *testing.T) {
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

func TestARunThatWouldEndInThePast(t *testing.T) {
	l := newLab(t)
	l.OK(openLong)
	l.OK("%fsnet step 8")
	for line, back := range map[string]string{"run step=5": "step=5", "run step=7 wait=false": "step=7", "run epoch=1": "epoch=1"} {
		asked := strings.Replace(back, "=", " ", 1)
		texts := l.OK("%fsnet " + line).Texts()
		if len(texts) != 2 || !strings.Contains(texts[0], "step 8 ") || !strings.Contains(texts[1], "leukemia is past "+asked) ||
			!strings.Contains(texts[1], "%fsnet rewind leukemia "+back+" ") ||
			!strings.Contains(texts[1], "%fsnet fork leukemia NEWNAME "+back+" ") {
			t.Errorf("%s: %q", line, texts)
		}
	}
	for _, line := range []string{"run step=8", "run step=9", "run epoch=5"} {
		if texts := l.OK("%fsnet " + line).Texts(); len(texts) != 1 {
			t.Errorf("%s: %q", line, texts)
		}
	}
	l.OK("%fsnet fork leukemia branch step=5")
	l.OK("%fsnet rewind leukemia step=7")
}

func TestAnInterruptPausesARun(t *testing.T) {
	l := newLab(t)
	l.OK(openLong)
	running := l.Begin("%fsnet run")
	queued := []*fronttest.Exchange{l.Begin("%fsnet step 5"), l.Begin("%fsnet version")}
	l.Until(running, fronttest.Of("display_data"))
	l.Ask("kernel_info_request", nil) // it came behind the cells, so they are there
	l.Interrupt()
	r := l.Finish(running)
	if texts := r.Texts(); r.Status != "ok" || !strings.Contains(strings.Join(texts, ""), "paused") {
		t.Errorf("%s: %q", r.Status, texts)
	}
	for _, e := range queued {
		if r := l.Finish(e); r.Status != "aborted" {
			t.Errorf("a queued cell is %s", r.Status)
		}
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

// A silent cell says nothing but busy and idle, is not counted and not remembered; its reply is whole.
func TestSilentCells(t *testing.T) {
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
	// What a front end asks silently stops no cell of the user's.
	running := l.Begin("%fsnet step 1")
	failing, err := l.Start("execute_request", map[string]any{"code": "%fsnet nonsense", "silent": true})
	if err != nil {
		t.Fatal(err)
	}
	behind := l.Begin("%fsnet version")
	l.Finish(running)
	if r := l.Finish(failing); r.Status != "error" {
		t.Errorf("%s", r.Reply.Content)
	}
	if r := l.Finish(behind); r.Status != "ok" {
		t.Errorf("the cell behind it is %s", r.Status)
	}
	if r := l.OK("%fsnet status"); r.Count != 4 || !strings.Contains(r.Texts()[0], "step 4 ") {
		t.Errorf("afterwards: %d, %q", r.Count, r.Texts())
	}
}

func TestADeadHostIsReportedAndReplaced(t *testing.T) {
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
	l.OK("%fsnet step 3")
	// One that dies while nobody waits.
	if err := syscall.Kill(l.hostID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r := l.Run("%fsnet status leukemia") // noticed by this verb, or its new host has no session
	l.HasFailed("status", r, "leukemia")
	l.OK(openShort)
}

func TestAHostThatDoesNotStart(t *testing.T) {
	l := startLab(t, Options{NoGo: true, Host: []string{"/nonexistent/fsnet", "host"}})
	l.Fails(openShort, "does not start", "install.sh")
	l = startLab(t, Options{NoGo: true, Host: []string{testBinary(), "broken"}})
	l.Fails(openShort, "exit status 1", "no device", "doctor")
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
		`{"session":3}`:                          "session is number",
		`{"view":"matrix","sesion":"leukemia"}`:  "did you mean session",
		`{"view":"matrix","live":"yes"}`:         "give true or false",
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
	l.OK(openLong)
	if shown := l.OK("%fsnet run wait=false").Texts(); len(shown) != 1 || !strings.Contains(shown[0], "running") {
		t.Errorf("begun it shows %q", shown)
	}
	if shown := l.OK("%fsnet status").Texts(); !strings.Contains(shown[0], "running") {
		t.Errorf("it is %q", shown)
	}
	l.Fails("%fsnet step", "running since", "pause it first")
	l.Fails("%fsnet rewind 0", "running since", "pause it first")
	l.OK("%fsnet matrix\n%fsnet set lambda=0.5\n%fsnet history\n%fsnet version")
	l.kernel.Interrupt() // no cell waits for it
	l.OK("%fsnet fork branch\n%fsnet step 5")
	if shown := l.OK("%fsnet sessions").Texts(); len(shown) != 1 ||
		!strings.Contains(shown[0], "paused") || !strings.Contains(shown[0], "running") {
		t.Errorf("the sessions are %q", shown)
	}
	if shown := l.OK("%fsnet pause leukemia").Texts(); !strings.Contains(shown[0], "paused") {
		t.Errorf("paused it is %q", shown)
	}
	l.OK("%fsnet step 3")
}

func TestRewindAndFork(t *testing.T) {
	l := newLab(t)
	l.OK(openShort + "\n%fsnet step 9")
	at := l.OK("%fsnet status").Texts()[0]
	l.OK("%fsnet fork branch step=6\n%fsnet step 3") // of the fork
	l.OK("%fsnet step leukemia 4")
	if got := l.OK("%fsnet rewind 9").Texts()[0]; clockless(got) != clockless(at) {
		t.Errorf("rewound:\n%s\nwant\n%s", got, at)
	}
	if got := l.OK("%fsnet status branch").Texts()[0]; clockless(got) != clockless(strings.ReplaceAll(at, "leukemia", "branch")) {
		t.Errorf("the fork:\n%s\nwant\n%s", got, at)
	}
	if events := l.OK("%fsnet history leukemia").Texts()[0]; !strings.Contains(events, "rewound from step 13") {
		t.Errorf("the events are %q", events)
	}
	if got := l.OK("%fsnet rewind leukemia epoch=2").Texts()[0]; !strings.Contains(got, "step 6 ") {
		t.Errorf("rewound to an epoch: %s", got)
	}
	l.Fails("%fsnet rewind 7", "from 0 to 6")
	l.Fails("%fsnet fork leukemia branch", "another name")
}

func testGoCellsForkRewindAndRunInTheBackground(t *testing.T, l *lab) {
	l.OK("import \"fsnetlab/fsnet/session\"\n\n" +
		"var s = session.Use(\"leukemia\", session.Config{Data: \"planted\", K: 3, Epochs: 1000000000, Stop: \"never\"})")
	r := l.OK("%%\ns.Must().Step(9)\nbranch := s.Must().Fork(\"branch\", 6)\n" +
		"fmt.Println(branch.Must().Step(1).Step, s.Must().Rewind(4).Step)\nfmt.Println(s.Must().Run(session.Until{Wait: new(false)}).State)")
	if got := r.Stream("stdout"); got != "7 4\nrunning\n" {
		t.Errorf("it prints %q", got)
	}
	if shown := l.OK("%fsnet status").Texts(); !strings.Contains(shown[0], "branch") { // the one used last
		t.Errorf("%q", shown)
	}
	l.Fails("%%\ns.Must().Step(1)", "running since", "pause it first")
	if got := l.OK("%%\nfmt.Println(s.Must().Pause().State)").Stream("stdout"); got != "paused\n" {
		t.Errorf("it prints %q", got)
	}
	l.Fails("%%\ns.Must().Fork(\"branch\", -1)", "another name")
	l.OK("%fsnet close branch\n%fsnet close leukemia")
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
	l.OK(openLong)
	quiet(t, l, "there are signs of life before anything ran")
	l.OK("%fsnet run wait=false")
	for end := time.Now().Add(fronttest.Limit); len(pulses(t, l)) < 3; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no sign of life")
		}
	}
	l.OK("%fsnet pause")
	quiet(t, l, "paused, it shows activity")
}

// quiet waits until a kernel that looks at its host every 5 ms shows no activity for a while. The news that a run paused may be on its
// way, and a host that a busy machine keeps from answering is taken for one that works.
func quiet(t *testing.T, l *lab, otherwise string) {
	t.Helper()
	for end := time.Now().Add(fronttest.Limit); ; {
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
	l.OK(openShort)
	host := l.hostID()
	if err := testhost.Halt(host); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(host, syscall.SIGCONT) //nolint:errcheck // it may have ended
	for end := time.Now().Add(fronttest.Limit); len(pulses(t, l)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no sign of life")
		}
	}
}

// A host that is stopped, or hangs, is no activity for ever: its kernel may be culled. Should it go on, it is again.
func TestNoActivityWhenTheHostHangs(t *testing.T) {
	const look = 20 * time.Millisecond // which is also how long one may take
	l := startLab(t, Options{NoGo: true, Activity: look})
	l.OK(openLong + "\n%fsnet run wait=false")
	host := l.hostID()
	if err := testhost.Halt(host); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(host, syscall.SIGCONT) //nolint:errcheck // it may have ended
	waitFor := func(what string, fits func(before, now int) bool) {
		t.Helper()
		for end := time.Now().Add(fronttest.Limit); ; {
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
	if err := syscall.Kill(host, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(fronttest.Limit); ; { // the step of the cell that failed may begin only now, behind the pause
		r := l.Run("%fsnet pause\n%fsnet step 2")
		if r.Status == "ok" {
			break
		}
		if !strings.Contains(r.Value, "is running") || time.Now().After(end) {
			t.Fatalf("%s: %s", r.Name, r.Value)
		}
	}
}

// pulses are the pairs of busy and idle that answer no request of the front end.
func pulses(t *testing.T, l *lab) []jupyter.Message {
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
	return states[:len(states)/2]
}

// A console asks whether a line is complete, and then runs it. It is shown progress in one line, and its end as a display.
func TestAConsoleSeesProgressAndItsEnd(t *testing.T) {
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
