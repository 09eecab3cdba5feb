package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"fsnetlab/fsnet/runs"
)

// window is this program in a terminal of 60 columns.
type window struct {
	*testing.T
	cmd      *exec.Cmd
	terminal *os.File

	mu      sync.Mutex
	text    string // all that was shown
	seen    int    // as far as it was looked at, escape sequences aside
	changed chan struct{}
	closed  bool
}

func openWindow(t *testing.T, environment ...string) *window {
	t.Helper()
	w := &window{T: t, changed: make(chan struct{}, 1)}
	w.cmd = exec.Command(os.Args[0], "repl")
	w.cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "NO_COLOR="), environment...)
	var err error
	if w.terminal, err = pty.StartWithSize(w.cmd, &pty.Winsize{Rows: 24, Cols: 60}); err != nil {
		t.Skip("NOT TESTED: no terminal: ", err)
	}
	t.Cleanup(func() {
		w.cmd.Process.Kill() //nolint:errcheck // it has ended
		w.cmd.Wait()         //nolint:errcheck // killed
		w.terminal.Close()
	})
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := w.terminal.Read(buffer)
			w.mu.Lock()
			w.text += string(buffer[:n])
			w.closed = err != nil
			w.mu.Unlock()
			select {
			case w.changed <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	w.shows("fsnet›")
	return w
}

// keys types, a character at a time.
func (w *window) keys(text string) {
	w.Helper()
	for _, c := range text {
		if _, err := w.terminal.WriteString(string(c)); err != nil {
			w.Fatalf("%v; so far:\n%s", err, w.all())
		}
	}
}

func (w *window) all() string { return sequences.ReplaceAllString(w.raw(), "") }

// raw is all that was shown, with its escape sequences.
func (w *window) raw() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

var sequences = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\x1b\]8;;[^\x1b]*\x1b\\`)

// shows waits until a text that fits was shown since the last one, escape sequences aside.
func (w *window) shows(pattern string) {
	w.Helper()
	fits := regexp.MustCompile(pattern)
	deadline := time.After(limit)
	for {
		w.mu.Lock()
		text := sequences.ReplaceAllString(w.text, "")[w.seen:]
		closed := w.closed
		found := fits.FindStringIndex(text)
		if found != nil {
			w.seen += found[1]
		}
		w.mu.Unlock()
		if found != nil {
			return
		}
		if closed {
			w.Fatalf("it ended and did not show %q; at last:\n%s", pattern, text)
		}
		select {
		case <-w.changed:
		case <-deadline:
			w.Fatalf("it does not show %q; at last:\n%s", pattern, text)
		}
	}
}

func (w *window) ends() {
	w.Helper()
	ended := make(chan error, 1)
	go func() { ended <- w.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			w.Errorf("it ended with %v", err)
		}
	case <-time.After(limit):
		w.Fatalf("it does not end; so far:\n%s", w.all())
	}
}

// runs opens a session and runs it in the background.
func (w *window) runs() {
	w.Helper()
	w.keys(openLong + enter)
	w.shows("leukemia›")
	w.keys("run wait=false" + enter)
	w.shows(`leukemia \d+%›`)
}

const (
	enter = "\r"
	tab   = "\t"
	up    = "\x1b[A"
	ctrlC = "\x03"
	ctrlD = "\x04"
)

// A whole conversation works in a terminal: completion, a run, questions and
// the end.
func TestTerminal_Conversation(t *testing.T) {
	workIn(t)
	w := openWindow(t)
	// Completion: a verb, a key and a value, and typing on.
	w.keys("op" + tab)
	w.shows("open ")
	w.keys("leukemia dat" + tab + "planted k=3 batch=8 epo" + tab + "1000000000 sto" + tab + "nev" + tab + enter)
	w.shows(`leukemia idle · step 0`)
	w.shows("leukemia›")
	// Several candidates make a menu.
	w.keys("s" + tab)
	w.shows("step +set +status +selection +summary")
	w.keys("tatus" + enter)
	w.shows("leukemia idle")
	w.keys("lambda?" + enter)
	w.shows(`lambda \(λ\)`)
	// A line that goes on, and its return from the history as one.
	w.keys(`step \` + enter)
	w.shows("…")
	w.keys("5" + enter)
	w.shows("step 5 of")
	w.shows("leukemia›")
	w.keys(up)
	w.shows("step 5")
	w.keys(enter)
	w.shows("step 10 of")
	// An error is two lines: what was wrong, and what to do.
	w.keys("stepp" + enter)
	w.shows(`unknown verb "stepp"\r\n  did you mean step\?`)
	w.shows("leukemia›")
	w.keys(ctrlD)
	w.shows("leukemia: step 10 of 3000000000, kept in")
	w.ends()

	// The next one knows the session and the lines.
	w = openWindow(t)
	if !strings.Contains(w.all(), "kept here: leukemia") {
		t.Errorf("the run is not named:\n%s", w.all())
	}
	w.keys(up + up)
	w.shows("step 5")
	w.keys(ctrlC)
	w.shows("fsnet›")
	w.keys("open leuk" + tab + enter)
	w.shows("continued at step 10 from")
	w.keys("quit" + enter)
	w.ends()
}

// Ctrl-C pauses a run and keeps it. Its progress was drawn in place, within the
// window's width.
func TestTerminal_CtrlCPausesRun(t *testing.T) {
	workIn(t)
	w := openWindow(t)
	w.keys(openLong + enter)
	w.shows("leukemia›")
	w.keys("run" + enter)
	w.shows(`(?s)▕.*▏.* steps/s`)
	w.shows(`(?s)▕.*▏.* steps/s`)
	w.keys(ctrlC)
	w.shows(`leukemia paused · step \d+`)
	w.shows("leukemia›")
	if !regexp.MustCompile(`\x1b\[\dA\r\x1b\[J`).MatchString(w.raw()) {
		t.Error("progress is not drawn in place")
	}
	for line := range strings.SplitSeq(w.all(), "\n") {
		last := line[strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r')+1:]
		last = strings.TrimPrefix(last, " \b") // the editor may leave its cursor's blank on the line: it takes no column
		if n := len([]rune(strings.Trim(last, "\r "))); strings.Contains(line, "▏") && n > 60 {
			t.Errorf("progress is wider than the window: %q", line)
		}
	}
	w.keys("status" + enter)
	w.shows("leukemia paused")
	w.shows("leukemia›")
	w.keys(ctrlC)
	w.shows(`\^C`)
	w.shows("leukemia›")
	w.keys(ctrlC)
	w.shows("Ctrl-D or quit leaves")
	w.shows("leukemia›")
	w.keys(ctrlD)
	w.shows(`kept in\s+.fsnet/runs/leukemia`)
	w.ends()
}

// Leaving while a training runs asks first.
func TestTerminal_LeavingARunAsks(t *testing.T) {
	workIn(t)
	w := openWindow(t)
	w.runs()
	w.keys(ctrlD)
	w.shows(`leave\? \[Y/n\]`)
	w.keys("n" + enter)
	w.shows(`leukemia \d+%›`)
	w.keys("quit" + enter)
	w.shows(`leave\? \[Y/n\]`)
	w.keys(enter)
	w.shows(`leukemia: step \d+ of 3000000000, kept in`)
	w.ends()
}

// SIGTERM at the prompt, as at the end of a day, keeps the sessions.
func TestTerminal_SIGTERMLeaves(t *testing.T) {
	for _, environment := range []string{"TERM=xterm", "TERM=dumb"} {
		workIn(t)
		w := openWindow(t, environment)
		w.runs()
		if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		w.shows(`leukemia: step \d+ of 3000000000, kept in`)
		w.ends()
	}
}

// If the terminal is killed, its host ends too, and the next start removes its
// directory.
func TestTerminal_KilledTerminal(t *testing.T) {
	workIn(t)
	w := openWindow(t)
	w.keys(openLong + enter)
	w.shows("leukemia›")
	w.keys("run" + enter)
	w.shows(`(?s)▕.*▏.* steps/s`)
	left := filepath.Join(os.TempDir(), socketPrefix+strconv.Itoa(w.cmd.Process.Pid)+"-*", "host")
	sockets, err := filepath.Glob(left)
	if err != nil || len(sockets) != 1 {
		t.Fatalf("the host's socket: %v, %v", sockets, err)
	}
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	w.cmd.Wait() //nolint:errcheck // killed
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if list, err := runs.List("."); err == nil && len(list) == 1 && list[0].Holder == nil {
			break // the host has ended, and kept where it stood
		}
		if time.Now().After(end) {
			t.Fatal("the host goes on without its terminal")
		}
	}
	w = openWindow(t)
	if sockets, err = filepath.Glob(filepath.Dir(left)); err != nil || len(sockets) > 0 {
		t.Errorf("%v is left: %v", sockets, err)
	}
	w.keys("open leukemia" + enter)
	w.shows("continued at step")
	w.shows("leukemia›")
	w.keys(ctrlD)
	w.ends()
}

// The end of a background run is told at the next prompt.
func TestTerminal_BackgroundRunEnds(t *testing.T) {
	workIn(t)
	w := openWindow(t)
	w.keys("open leukemia data=planted k=3 epochs=20000 stop=never" + enter)
	w.shows("leukemia›")
	w.keys("run wait=false" + enter)
	w.shows(`leukemia \d+%›`)
	for end := time.Now().Add(limit); !strings.Contains(w.all(), "leukemia settled"); {
		if time.Now().After(end) {
			t.Fatalf("its end is not told:\n%s", w.all())
		}
		w.keys(enter)
		w.shows(`leukemia( \d+%)?›`)
	}
	w.keys(ctrlD)
	w.ends()
}

// Colours and links follow NO_COLOR and TERM.
func TestTerminal_ColoursAndLinks(t *testing.T) {
	for _, c := range []struct {
		environment string
		colour      bool
		link        bool
	}{{"NO_COLOR=", true, true}, {"NO_COLOR=1", false, true}, {"TERM=dumb", false, false}} {
		workIn(t)
		w := openWindow(t, c.environment)
		w.keys(openShort + enter)
		w.shows("leukemia›")
		w.keys("run" + enter)
		w.shows("leukemia settled")
		w.keys("curves" + enter)
		w.shows("VERB > FILE.png")
		w.keys("curves > c.png" + enter)
		w.shows("wrote c.png")
		w.keys("nonsense" + enter)
		w.shows("unknown verb")
		w.shows("leukemia›")
		w.keys(ctrlD)
		w.shows("kept in")
		w.ends()
		if got := regexp.MustCompile(`\x1b\[[0-9;]*[1-9]m`).MatchString(w.raw()); got != c.colour {
			t.Errorf("%s: colours %v, want %v", c.environment, got, c.colour)
		}
		if c.environment == "TERM=dumb" && strings.Contains(w.raw(), "\x1b") {
			t.Errorf("%s: escape sequences in %q", c.environment, w.raw())
		}
		if got := strings.Contains(w.raw(), "\x1b]8;;file://"); got != c.link {
			t.Errorf("%s: links %v, want %v", c.environment, got, c.link)
		}
	}
}

// A Ctrl-C just after the end of a line, or just before the next one, ends only
// what it was meant for.
func TestTerminal_CtrlCBetweenLines(t *testing.T) {
	workIn(t)
	for _, environment := range []string{"TERM=xterm", "TERM=dumb"} {
		w := openWindow(t, environment)
		if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		w.keys("status?" + enter)
		w.shows("where the training is")
		w.shows("fsnet›")
		w.keys("quit" + enter)
		w.ends()
	}
}

// A second Ctrl-C ends a command that hangs.
func TestTerminal_SecondCtrlC(t *testing.T) {
	workIn(t)
	w := openWindow(t)
	w.keys("compare planted methods=svm k=2 splits=1" + enter)
	w.shows("1 of 4 fits")
	w.keys(ctrlC)
	w.shows("interrupt again to end it at once")
	w.keys(ctrlC)
	w.shows("interrupted with 0 of 0 fits done")
	w.shows("fsnet›")
	w.keys("quit" + enter)
	w.ends()
}
