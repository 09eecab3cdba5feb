package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// The kills, drawn from a seed: FSNET_TEST_KILLS=24 has more of them than a test run has time for, FSNET_TEST_SEED=… others.
const (
	killsAlways = 6
	killSeed    = 1
)

// TestBenchKernel_Kills kills one process of a notebook with SIGKILL, at a moment drawn from the seed, again and again: afterwards nothing
// of it runs, no directory is left by the next start, the session stands at its last checkpoint, with the bits of a training that nobody
// killed, and the notebook has a line that says what happened.
func TestBenchKernel_Kills(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	skipWithoutProc(t)
	kills := fromEnvironment(t, "FSNET_TEST_KILLS", killsAlways)
	notebook := newKilledNotebook(t, int64(fromEnvironment(t, "FSNET_TEST_SEED", killSeed)))
	for range kills {
		crash, err := notebook.next(t.Context())
		t.Logf("%s; the notebook says: %s", crash, strings.Join(strings.Fields(crash.Said), " "))
		if err != nil {
			t.Fatal(err)
		}
	}
	wrong := notebook.end(t.Context())
	t.Logf("%d kills with SIGKILL, victims %v", kills, notebook.killed)
	for _, line := range wrong {
		t.Error(line)
	}
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

// killedNotebook is a notebook with all its processes, in directories of its own, which are killed one after another.
type killedNotebook struct {
	directory string // of the notebook
	temporary string // for sockets and Go cells
	mark      string // in the environment of all its processes
	golang    bool   // there are Go cells
	kernel    *kernelProcess
	draw      *rand.Rand
	victims   []string
	killed    map[string]int // how many of each kind
	wrong     []string       // of all kills, in words
	notTested func(args ...any)
}

// newKilledNotebook starts a notebook: its kernel, a session of a table of its own that has made its first steps, and, where there is GoNB,
// a handle for Go cells. It is closed at the end of the test.
func newKilledNotebook(t *testing.T, seed int64) *killedNotebook {
	t.Helper()
	l := &killedNotebook{
		directory: t.TempDir(), temporary: shortDirectory(t), mark: "FSNET_LABORATORY=" + jupyter.NewID(), draw: drawOf(seed), victims: anywhere(),
		killed: map[string]int{}, notTested: func(args ...any) { t.Log(append([]any{"NOT TESTED: "}, args...)...) },
	}
	t.Cleanup(l.close)
	tools, err := gonb.FindTools(system.Home())
	switch l.golang = err == nil; {
	case !l.golang:
		l.notTested("Go cells: ", err)
	case tools.Gopls == "":
		l.victims = append(l.victims, "gonb", cellProgram)
		l.notTested("gopls: there is none")
	default:
		l.victims = append(l.victims, "gonb", cellProgram, "gopls")
	}
	if err := l.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *killedNotebook) open(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(l.directory, "cohort.csv"), []byte(crashTable()), 0o600); err != nil {
		return err
	}
	if err := l.start(ctx); err != nil {
		return err
	}
	for _, line := range []string{openLine(crashSession), fmt.Sprintf("step %d", crashBegin), "set lambda=0.5"} {
		if _, err := l.magic(ctx, "%s", line); err != nil {
			return fmt.Errorf("the notebook does not begin: %w", err)
		}
	}
	return nil
}

// start starts a kernel, the first one or the next, whose cells get their handle.
func (l *killedNotebook) start(ctx context.Context) error {
	command, err := programCommand(ctx, "kernel", "--connection-file")
	if err != nil {
		return err
	}
	command.Dir, command.Stderr = l.directory, os.Stderr
	command.Env = append(command.Env, l.mark, "XDG_RUNTIME_DIR="+l.temporary, "TMPDIR="+l.temporary)
	k, err := startKernel(ctx, command, l.temporary)
	if err != nil {
		return err
	}
	l.kernel = k
	err = l.declare(ctx)
	if err != nil && ctx.Err() == nil && len(l.killed) == 0 { // Go cells that do not compile here are not tried
		l.notTested("Go cells: ", err)
		l.golang, l.victims, err = false, anywhere(), nil
	}
	return err
}

// end shuts the kernel down, looks whether anything is left, and gives what was wrong altogether.
func (l *killedNotebook) end(ctx context.Context) []string {
	for _, c := range []struct {
		what  string
		names []string
	}{{"runs on", l.afterwards(ctx)}, {"is left", l.leftovers(ctx, 0)}, {"is left in the making", l.unfinished()}} {
		for _, name := range c.names {
			l.wrong = append(l.wrong, "after the shutdown "+name+" "+c.what)
		}
	}
	return l.wrong
}

// afterwards shuts the kernel down and names the processes that do not end with it.
func (l *killedNotebook) afterwards(ctx context.Context) (list []string) {
	l.kernel.stop()
	for _, p := range l.processes() {
		if gone(ctx, p.name, p.id) != nil {
			list = append(list, p.name)
		}
	}
	return list
}

// unfinished are checkpoints that were being written.
func (l *killedNotebook) unfinished() []string {
	left, err := filepath.Glob(filepath.Join(l.directory, ".fsnet", "runs", "*", ".fsnet-*"))
	if err != nil {
		return []string{err.Error()}
	}
	return left
}

// close ends every process that has the mark.
func (l *killedNotebook) close() {
	for _, p := range l.processes() {
		syscall.Kill(p.id, syscall.SIGKILL) //nolint:errcheck // it has ended
	}
	if l.kernel != nil {
		l.kernel.kill()
		l.kernel.front.Close()
	}
}

// client speaks to the kernel as a Go cell does.
func (l *killedNotebook) client(ctx context.Context) (*session.Client, error) {
	found, err := filepath.Glob(filepath.Join(l.temporary, fmt.Sprintf("fsnet-kernel-%d-*", l.kernel.id()), "cells"))
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("the kernel has %d sockets for cells, not 1", len(found))
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return session.Dial(limited, found[0])
}

func openLine(name string) string {
	return "open " + name + " data=cohort.csv label=diagnosis samples=sample k=3 epochs=1000000 stop=never seed=4 backend=go"
}

// crashTable is a small table.
func crashTable() string {
	var text strings.Builder
	text.WriteString("sample,g1,g2,g3,g4,g5,diagnosis\n")
	r := drawOf(0)
	for i := range 12 {
		fmt.Fprintf(&text, "s%d", i)
		for range 5 {
			fmt.Fprintf(&text, ",%.3f", 10*r.Float64())
		}
		text.WriteString("," + []string{"sick", "well"}[i%2] + "\n")
	}
	return text.String()
}

// crash is one process that was killed, and what was seen afterwards.
type crash struct {
	Number   int           // from 1
	Victim   string        // kernel · host · browser · gonb · a program of a cell · gopls
	Activity string        // what went on: rest · run · background · cell · compile
	After    time.Duration // from its beginning to the kill
	Said     string        // what the notebook says about it
	Wrong    []string      // whatever is not as it should be, in words
}

func (c crash) String() string {
	return fmt.Sprintf("%d: %s, %s, %s", c.Number, c.Victim, c.Activity, c.After)
}

func (c *crash) wrong(format string, args ...any) {
	c.Wrong = append(c.Wrong, fmt.Sprintf(format, args...))
}

const (
	crashSession = "leukemia"
	crashBegin   = 20 // steps made before anything is killed
)

// next lets the notebook do something, kills one of its processes at a moment that the seed draws, and looks at what is left. Each kind
// of process is killed as often. An error ends the experiment: something hangs, or the context ended.
func (l *killedNotebook) next(ctx context.Context) (crash, error) {
	i := 0
	for _, n := range l.killed {
		i += n
	}
	if i%len(l.victims) == 0 {
		l.draw.Shuffle(len(l.victims), func(a, b int) { l.victims[a], l.victims[b] = l.victims[b], l.victims[a] })
	}
	c := crash{Number: i + 1, Victim: l.victims[i%len(l.victims)], Activity: l.activity()}
	switch {
	case c.Victim == cellProgram:
		c.Activity = "cell"
	case c.Victim == "browser" && c.Activity == "rest":
		c.Activity = "run"
	}
	c.After = time.Duration(l.draw.IntN(600)) * time.Millisecond
	err := l.crash(ctx, &c)
	if err != nil {
		c.wrong("%s", err)
		err = fmt.Errorf("kill %s: %w", c, err)
	}
	l.killed[c.Victim]++
	for _, text := range c.Wrong {
		l.wrong = append(l.wrong, c.String()+": "+text)
	}
	return c, err
}

func (l *killedNotebook) activity() string {
	list := []string{"rest", "run", "background", "cell", "compile"}
	if !l.golang {
		list = list[:3]
	}
	return list[l.draw.IntN(len(list))]
}

func (l *killedNotebook) crash(ctx context.Context, c *crash) error {
	if err := l.prepare(ctx); err != nil {
		return err
	}
	under, err := l.begin(ctx, c.Activity)
	if err != nil {
		return err
	}
	select { // the moment is drawn, not waited for
	case <-time.After(c.After):
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.Victim == "browser" {
		return l.reload(ctx, c, under)
	}
	if c.Victim == "gopls" {
		if err := l.complete(ctx); err != nil {
			return err
		}
		if !l.runs("gopls") { // one that was killed is not always replaced
			c.Victim = "gonb"
		}
	}
	id, err := l.find(ctx, c.Victim)
	if err != nil {
		return err
	}
	before := l.processes()
	if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
		return fmt.Errorf("%s (%d) cannot be killed: %w", c.Victim, id, err)
	}
	if err := gone(ctx, c.Victim, id); err != nil {
		return err
	}
	if c.Victim != "kernel" {
		if err := l.explained(ctx, c, under); err != nil {
			return err
		}
		return l.reopen(ctx, c)
	}
	l.kernel.front.Close()
	if err := l.start(ctx); err != nil { // at once, while what the killed one has started ends
		return err
	}
	if err := l.reopen(ctx, c); err != nil {
		return err
	}
	for _, p := range before {
		if err := gone(ctx, p.name+" of the killed kernel", p.id); err != nil {
			c.wrong("%s", err)
		}
	}
	for _, name := range l.leftovers(ctx, l.kernel.id()) {
		c.wrong("the killed kernel left %s, with %s", name, l.inside(name))
	}
	return nil
}

// prepare brings the session to where every crash begins: at rest, at its first steps, with a live key changed and all of it kept.
func (l *killedNotebook) prepare(ctx context.Context) error {
	if _, err := l.magic(ctx, "rewind %s %d", crashSession, crashBegin); err != nil {
		return err
	}
	return l.kept(ctx, crashBegin)
}

// begin starts an activity and returns the cell that does it, nil for none.
func (l *killedNotebook) begin(ctx context.Context, activity string) (*cell, error) {
	switch activity {
	case "run":
		c, err := l.send("%fsnet run " + crashSession)
		if err != nil {
			return nil, err
		}
		return c, c.until(ctx, "display_data")
	case "background":
		_, err := l.magic(ctx, "run %s wait=false", crashSession)
		return nil, err
	case "cell":
		c, err := l.send("%%\nfmt.Println(\"begun\")\nfor { s.Must().Step(10) }")
		if err != nil {
			return nil, err
		}
		return c, c.until(ctx, "stream")
	case "compile":
		return l.send(fmt.Sprintf("%%%%\nfmt.Println(%q, s.Must().Status().Step)", time.Now()))
	}
	return nil, nil
}

// anywhere lists what can be killed also where there are no Go cells.
func anywhere() []string { return []string{"kernel", "host", "browser"} }

func drawOf(seed int64) *rand.Rand { return num.RNG(seed, "crash") }

// process is one that has the test's mark.
type process struct {
	id   int
	name string
}

// cellProgram is what a Go cell has become.
const cellProgram = "a program of a cell"

// pause is how often something that has no event is looked at.
const pause = 2 * time.Millisecond

// processes are all that live and have the mark.
func (l *killedNotebook) processes() []process {
	found, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var list []process
	for _, dir := range found {
		environment, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), l.mark) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && system.Alive(id) {
			list = append(list, process{id, l.nameOf(dir)})
		}
	}
	return list
}

// nameOf says what a process is by its command line.
func (l *killedNotebook) nameOf(dir string) string {
	words := commandOf(dir)
	if len(words) == 0 {
		return "?"
	}
	program := filepath.Base(words[0])
	switch {
	case len(words) > 1 && (words[1] == "kernel" || words[1] == "host") && program == filepath.Base(os.Args[0]):
		return words[1]
	case regexp.MustCompile(`^gonb_[0-9a-f]+$`).MatchString(program):
		return cellProgram
	default:
		return program
	}
}

// find waits for a process of that name. The newest one is meant: an older one may be ending.
func (l *killedNotebook) find(ctx context.Context, name string) (int, error) {
	best := 0
	err := patiently(ctx, func() bool {
		for _, p := range l.processes() {
			if p.name == name {
				best = max(best, p.id)
			}
		}
		return best > 0
	})
	if err != nil {
		return 0, fmt.Errorf("no %s is running, but %v: %w", name, l.processes(), err)
	}
	return best, nil
}

func (l *killedNotebook) runs(name string) bool {
	return slices.ContainsFunc(l.processes(), func(p process) bool { return p.name == name })
}

// gone waits until a process has ended.
func gone(ctx context.Context, what string, id int) error {
	if err := patiently(ctx, func() bool { return !system.Alive(id) }); err != nil {
		return fmt.Errorf("%s (%d) lives on: %w", what, id, err)
	}
	return nil
}

// leftovers are the directories for sockets and cells that are no running kernel's, and sockets outside them, after the next start has had
// its time to remove what a killed kernel left. Kernel 0 is none.
func (l *killedNotebook) leftovers(ctx context.Context, kernel int) (left []string) {
	patiently(ctx, func() bool { //nolint:errcheck // what is left then is the answer
		left = nil
		entries, err := os.ReadDir(l.temporary)
		if err != nil {
			return true
		}
		for _, entry := range entries {
			name := entry.Name()
			own := kernel > 0 && (strings.HasPrefix(name, fmt.Sprintf("fsnet-kernel-%d-", kernel)) ||
				strings.HasPrefix(name, fmt.Sprintf("fsnet-cells-%d-", kernel)))
			if !own && name != filepath.Base(l.kernel.file) {
				left = append(left, name)
			}
		}
		return len(left) == 0
	})
	return left
}

// inside names some of what is in a directory that was left.
func (l *killedNotebook) inside(name string) string {
	var found []string
	root := filepath.Join(l.temporary, name)
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error { //nolint:errcheck // what can be seen
		if err == nil && len(found) < 10 {
			found = append(found, strings.TrimPrefix(path, root))
		}
		return nil
	})
	return fmt.Sprintf("%q", found)
}

// patiently waits until something is so.
func patiently(ctx context.Context, so func() bool) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	for !so() {
		select {
		case <-limited.Done():
			return limited.Err()
		case <-time.After(pause):
		}
	}
	return nil
}

// cell is one that was sent.
type cell struct{ *fronttest.Exchange }

func (l *killedNotebook) send(code string) (*cell, error) {
	e, err := l.kernel.front.Start("execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true})
	return &cell{e}, err
}

// until waits for the first message of a type under a cell.
func (c *cell) until(ctx context.Context, messageType string) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return c.Until(limited, func(m jupyter.Message) bool { return m.Header.Type == messageType || m.Header.Type == "error" })
}

// finish waits for the end of a cell and gives all that it shows.
func (c *cell) finish(ctx context.Context) (string, error) {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	answer, err := c.Wait(limited)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, m := range answer.Published {
		var content struct {
			Text  string         `json:"text"`
			Data  map[string]any `json:"data"`
			Value string         `json:"evalue"`
		}
		if m.Decode(&content) == nil {
			plain, _ := content.Data["text/plain"].(string)
			text.WriteString(content.Text + plain + content.Value + "\n")
		}
	}
	return text.String(), nil
}

// cell runs a cell and gives all that it shows, an error included.
func (l *killedNotebook) cell(ctx context.Context, code string) (string, error) {
	c, err := l.send(code)
	if err != nil {
		return "", err
	}
	return c.finish(ctx)
}

// magic runs a %fsnet line that must not fail.
func (l *killedNotebook) magic(ctx context.Context, format string, args ...any) (string, error) {
	line := fmt.Sprintf(format, args...)
	c, err := l.send("%fsnet " + line)
	if err != nil {
		return "", err
	}
	text, err := c.finish(ctx)
	if err != nil {
		return "", err
	}
	var reply jupyter.ErrorReply
	if err := c.Now().Reply.Decode(&reply); err != nil {
		return "", err
	}
	if reply.Status != "ok" {
		return "", fmt.Errorf("%s: %s", line, reply.Value)
	}
	return text, nil
}

func (l *killedNotebook) interrupt(ctx context.Context) error {
	e, err := l.kernel.front.StartControl("interrupt_request", nil)
	if err != nil {
		return err
	}
	_, err = (&cell{e}).finish(ctx)
	return err
}

// complete asks for a completion of Go code, which needs gopls.
func (l *killedNotebook) complete(ctx context.Context) error {
	const code = "%%\nfmt.Prin"
	return ask(ctx, l.kernel.front, "complete_request", jupyter.CompleteRequest{Code: code, CursorPos: len(code)})
}

// declare gives the cells their handle, as the first cell of a notebook does.
func (l *killedNotebook) declare(ctx context.Context) error {
	if !l.golang {
		return nil
	}
	return ask(ctx, l.kernel.front, "execute_request",
		jupyter.ExecuteRequest{Code: "var s = session.Use(\"" + crashSession + "\", session.Config{})\n%%\n"})
}

// explained waits for what the cell that was running says, or the next one: there must be a line about the death.
func (l *killedNotebook) explained(ctx context.Context, c *crash, under *cell) (err error) {
	if (c.Activity == "run" && c.Victim != "host") || (c.Activity == "cell" && c.Victim == "gopls") { // it goes on
		if err := l.interrupt(ctx); err != nil {
			return err
		}
	}
	text := ""
	if under != nil {
		if text, err = under.finish(ctx); err != nil {
			return err
		}
	}
	want, next := "", ""
	switch c.Victim {
	case "host":
		want, next = "the training process ended (signal: killed)", "%fsnet status "+crashSession
	case "gonb":
		want, next = "gonb, which runs Go cells, ended (signal: killed)", "%%\nfmt.Println(1)"
	case cellProgram:
		want = "signal: killed"
	}
	if next != "" && !strings.Contains(text, want) {
		more, err := l.cell(ctx, next)
		if err != nil {
			return err
		}
		text += more
	}
	c.Said += text
	if !strings.Contains(text, want) {
		c.wrong("no line says %q: %q", want, text)
	}
	if c.Victim == "gonb" {
		return l.declare(ctx)
	}
	return nil
}

// reopen opens the session again where its process was killed, and compares it with one that nobody killed.
func (l *killedNotebook) reopen(ctx context.Context, c *crash) error {
	text, err := l.cell(ctx, "%fsnet pause "+crashSession)
	if err != nil {
		return err
	}
	c.Said += text
	if strings.Contains(text, "not open, but its checkpoints are there") {
		list, err := runs.List(l.directory)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(r runs.Run) bool { return r.Name == crashSession })
		if at < 0 || len(list[at].Files) == 0 {
			return fmt.Errorf("no checkpoint is left")
		}
		saved := list[at].Files[0].Step
		opened, err := l.magic(ctx, "open %s", crashSession)
		if err != nil {
			return err
		}
		c.Said += opened
		// The host that lost its kernel may have written one more since.
		at = strings.Index(opened, "continued at step ")
		var from int
		if _, err := fmt.Sscanf(opened[max(at, 0):], "continued at step %d from", &from); err != nil || from < saved {
			c.wrong("opened it says %q, and there is a checkpoint of step %d", opened, saved)
		}
		if err := l.atLeast(ctx, c, max(saved, crashBegin)); err != nil { // what was known to be kept before is so still
			return err
		}
	}
	return l.compare(ctx, c)
}

// atLeast counts the steps that are missing up to a checkpoint.
func (l *killedNotebook) atLeast(ctx context.Context, c *crash, step int) error {
	now, err := l.status(ctx)
	if err != nil {
		return err
	}
	if now.Step < step {
		c.wrong("it was kept at step %d and stands at %d", step, now.Step)
	}
	return nil
}

// compare holds the session against one that makes the same steps without a break: every probability, curve and figure.
func (l *killedNotebook) compare(ctx context.Context, c *crash) error {
	return l.ask(ctx, func(limited context.Context, client *session.Client) error {
		now, err := session.On(client, crashSession).Status(limited)
		if err != nil {
			return err
		}
		lines := []string{openLine("reference") + " replace=true", fmt.Sprintf("step reference %d", crashBegin), "set reference lambda=0.5"}
		if n := now.Step - crashBegin; n > 0 {
			lines = append(lines, fmt.Sprintf("step reference %d", n))
		}
		for _, line := range lines {
			if _, err := l.magic(ctx, "%s", line); err != nil {
				return err
			}
		}
		killed, err := allOf(limited, client, crashSession)
		if err != nil {
			return err
		}
		reference, err := allOf(limited, client, "reference")
		if err != nil {
			return err
		}
		if killed != reference {
			c.wrong("at step %d it differs from a training that nobody killed", now.Step)
		}
		_, err = l.magic(ctx, "close reference")
		return err
	})
}

// allOf is all that can be asked about a session, but for its name.
func allOf(ctx context.Context, client *session.Client, name string) (string, error) {
	m, err := session.On(client, name).Matrix(ctx, session.MatrixRequest{Top: 1000})
	if err != nil {
		return "", err
	}
	h, err := session.On(client, name).History(ctx, session.HistoryRequest{Points: 100_000})
	if err != nil {
		return "", err
	}
	e, err := session.On(client, name).Evaluate(ctx, "train")
	if err != nil {
		return "", err
	}
	m.Session, e.Session = "", ""
	text, err := json.Marshal([]any{m, h.Curves, e})
	return string(text), err
}

// reload closes the page during an activity: what runs goes on, and the next page sees it.
func (l *killedNotebook) reload(ctx context.Context, c *crash, under *cell) error {
	return l.ask(ctx, func(limited context.Context, client *session.Client) error {
		l.kernel.front.Close()
		before, err := session.On(client, crashSession).Status(limited)
		if err != nil {
			return err
		}
		after := before
		for under != nil && after.Step <= before.Step && before.State == session.Running {
			if after, err = session.On(client, crashSession).Status(limited); err != nil {
				return fmt.Errorf("the run does not go on without its page: %w", err)
			}
		}
		if err := l.kernel.meet(ctx); err != nil {
			return err
		}
		for strings.TrimSpace(c.Said) == "" { // a cell that comes before the interrupted one has ended is aborted with it
			if err := l.interrupt(ctx); err != nil {
				return err
			}
			if c.Said, err = l.cell(ctx, "%fsnet status "+crashSession); err != nil {
				return err
			}
		}
		if !strings.Contains(c.Said, crashSession+" ") || strings.Contains(c.Said, "continued at step") {
			c.wrong("the next page sees %q", c.Said)
		}
		if !l.runs("kernel") {
			c.wrong("the kernel has gone with its page: %v", l.processes())
		}
		return l.reopen(ctx, c)
	})
}

// ask talks to the session's process, for as long as answers may take.
func (l *killedNotebook) ask(ctx context.Context, about func(ctx context.Context, client *session.Client) error) error {
	client, err := l.client(ctx)
	if err != nil {
		return err
	}
	defer client.Disconnect()
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return about(limited, client)
}

func (l *killedNotebook) status(ctx context.Context) (now session.Status, err error) {
	err = l.ask(ctx, func(ctx context.Context, client *session.Client) error {
		now, err = session.On(client, crashSession).Status(ctx)
		return err
	})
	return now, err
}

// kept waits until a step is on the disk.
func (l *killedNotebook) kept(ctx context.Context, step int) error {
	return l.ask(ctx, func(ctx context.Context, client *session.Client) error {
		for {
			now, err := session.On(client, crashSession).Status(ctx)
			if err != nil {
				return fmt.Errorf("step %d is not kept: %w", step, err)
			}
			if now.SavedStep != nil && *now.SavedStep == step {
				return nil
			}
			time.Sleep(2 * time.Millisecond)
		}
	})
}
