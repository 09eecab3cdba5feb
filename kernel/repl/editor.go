package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ergochat/readline"

	"fsnetlab/fsnet/runs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/magic"
)

// editor reads lines from a terminal.
type editor struct {
	// Readline is nil for a terminal without escape sequences. Such a terminal
	// edits its lines itself.
	readline *readline.Instance
	history  *history
	in       *bufio.Reader
	out      io.Writer
	closed   chan struct{}
	closing  sync.Once

	interrupts <-chan os.Signal // from a terminal that signals a Ctrl-C at the prompt
	coming     chan input       // delivers the line that is being read, or nil
}

// input is a line from a terminal that edits its lines itself.
type input struct {
	text string
	err  error
}

// errInterrupted reports a Ctrl-C at the prompt.
var errInterrupted = errors.New("interrupted")

// newEditor returns an editor for the terminal of the options, and loads its
// history. Where the terminal edits its lines itself, as with TERM=dumb,
// interrupts delivers Ctrl-C.
func newEditor(o Options, completer readline.AutoCompleter, interrupts <-chan os.Signal) (*editor, error) {
	h := openHistory(o.History)
	if os.Getenv("TERM") == "dumb" {
		return &editor{history: h, in: bufio.NewReader(o.In), out: o.Out, closed: make(chan struct{}), interrupts: interrupts}, nil
	}

	streams := &streams{in: o.In, out: o.Out}
	instance, err := readline.NewFromConfig(&readline.Config{
		Stdin: streams, Stdout: streams, Stderr: o.Out,
		AutoComplete: completer, Undo: true,
		HistoryLimit: historyLines, DisableAutoSaveHistory: true, HistorySearchFold: true,
		EOFPrompt:      "\n",
		FuncIsTerminal: func() bool { return true }, // otherwise the library offers no editor
	})
	if err != nil {
		return nil, err
	}

	for _, text := range h.lines {
		instance.SaveToHistory(text) //nolint:errcheck // then it is not offered
	}

	return &editor{readline: instance, history: h}, nil
}

// read asks for a line, and for another one as long as the text ends in a
// backslash. It returns io.EOF after Ctrl-D or if the terminal is gone.
func (e *editor) read(prompt string) (string, error) {
	text, err := e.line(prompt)
	for err == nil && continues(text) {
		var next string
		if next, err = e.line(strings.Repeat(" ", max(0, len([]rune(process.Plain(prompt)))-2)) + "… "); err == nil {
			text = cell.Join(text, next)
		}
	}
	if err != nil {
		return text, err
	}

	if e.history.add(text) && e.readline != nil {

		e.readline.SaveToHistory(text) //nolint:errcheck // then it is not offered again
	}
	return text, nil
}

// line asks for one line. It returns errInterrupted after a Ctrl-C, and io.EOF
// at the end.
func (e *editor) line(prompt string) (string, error) {
	if e.readline == nil {
		return e.plainLine(prompt)
	}

	e.readline.SetPrompt(prompt)
	text, err := e.readline.ReadLine()
	if errors.Is(err, readline.ErrInterrupt) {
		return text, errInterrupted
	}
	return text, err
}

// plainLine is line for a terminal that edits its lines itself. If a Ctrl-C
// comes during the wait, the next call returns the line that was awaited.
func (e *editor) plainLine(prompt string) (string, error) {
	fmt.Fprint(e.out, prompt)
	if e.coming == nil {
		read := make(chan input, 1)
		go func() {
			text, err := e.in.ReadString('\n')
			if text != "" { // the next read returns the end again
				err = nil
			}
			read <- input{strings.TrimRight(text, "\r\n"), err}
		}()
		e.coming = read
	}

	select {
	case line := <-e.coming:
		e.coming = nil
		return line.text, line.err
	case <-e.interrupts: // the terminal has dropped what was typed, but the next line is still read
		fmt.Fprintln(e.out)
		return "", errInterrupted
	case <-e.closed: // the pending read ends with the process
		return "", io.EOF
	}
}

// close ends the wait for a line.
func (e *editor) close() {
	if e.readline != nil {
		e.readline.Close()
		return
	}
	e.closing.Do(func() { close(e.closed) })
}

// streams is the terminal as the library sees it. Before each prompt, the
// library asks the terminal for the cursor's position. It would wait forever if
// no answer came, as from a recorder or over a slow line. All output here
// leaves the cursor in the first column, so streams gives that answer at once.
type streams struct {
	in     io.Reader
	out    io.Writer
	answer []byte
}

const (
	whereIsTheCursor = "\x1b[6n"
	inTheFirstColumn = "\x1b[1;1R"
)

// Write implements io.Writer. It answers requests for the cursor's position and
// passes on the rest.
func (w *streams) Write(p []byte) (int, error) {
	text := string(p)
	if strings.Contains(text, whereIsTheCursor) {
		w.answer = []byte(inTheFirstColumn)
		text = strings.ReplaceAll(text, whereIsTheCursor, "")
	}

	if _, err := io.WriteString(w.out, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read implements io.Reader. The library calls it for the answer after it has
// written the question.
func (w *streams) Read(p []byte) (int, error) {
	if len(w.answer) > 0 {
		n := copy(p, w.answer)
		w.answer = w.answer[n:]
		return n, nil
	}
	return w.in.Read(p)
}

const (
	historyName  = "repl_history"
	historyLines = 1000 // lines to remember; the file is shortened at twice as many
)

// history holds the lines that were typed, in a file that only its owner can
// read because names in data may be confidential. If the file can't be read or
// written, there is no history, and that is no error.
type history struct {
	path  string
	lines []string // lines at the start
	last  string
}

// openHistory reads a history file. "" means the user's file.
func openHistory(path string) *history {
	if path == "" {
		state := runs.StateHome()
		if state == "" {
			return &history{}
		}
		path = filepath.Join(state, "fsnet", historyName)
	}

	h := &history{path: path}
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()

	for text := range process.Lines(f) {
		if strings.TrimSpace(text) != "" {
			h.lines = append(h.lines, text)
		}
	}

	if len(h.lines) > 0 {
		h.last = h.lines[len(h.lines)-1]
	}

	long := len(h.lines) > 2*historyLines
	h.lines = h.lines[max(0, len(h.lines)-historyLines):]
	if long {
		system.WritePrivate(path, []byte(strings.Join(h.lines, "\n")+"\n")) //nolint:errcheck // then it stays long
	}
	return h
}

// add remembers a line. It returns false if the line is blank or repeats the
// one before, and true otherwise, even if the file couldn't be written.
func (h *history) add(text string) bool {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
	if text == "" || text == h.last {
		return false
	}

	h.last = text
	if h.path == "" {
		return true
	}
	if os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return true
	}

	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return true
	}
	defer f.Close()
	f.Chmod(0o600)             //nolint:errcheck // then it stays as created
	f.WriteString(text + "\n") //nolint:errcheck // then it is remembered until the end
	return true
}

// completeLimit bounds how long a Tab may take. A computing session doesn't
// answer before the end of its chunk.
const completeLimit = time.Second

// completer completes lines in the editor.
type completer struct{ *repl }

// Do implements readline.AutoCompleter. It returns what each candidate adds at
// the cursor, and how many characters of the candidates are already there.
func (c completer) Do(text []rune, cursor int) (rest [][]rune, shared int) {
	ctx, cancel := context.WithTimeout(magic.WithoutStart(context.Background()), completeLimit)
	defer cancel()
	matches, shared := c.candidates(ctx, text[:cursor])

	for _, m := range matches {
		added := []rune(m)[shared:]
		if len(matches) == 1 && !strings.ContainsAny(m[len(m)-1:], "=:/") {
			added = append(added, ' ')
		}
		rest = append(rest, added)
	}
	return rest, shared
}

// candidates returns completions for the last word, and the word's length.
func (r *repl) candidates(ctx context.Context, text []rune) (matches []string, length int) {
	code := text
	if !strings.HasPrefix(strings.TrimSpace(string(text)), prefix) {
		code = append([]rune(prefix+" "), text...)
	}

	found, start, _, ok := r.magics.Complete(ctx, string(code), len(code))
	if !ok {
		return nil, 0
	}

	word := string(code[start:])
	switch words := strings.Fields(string(code[:start])); {
	case len(words) == 1:
		found = append(slices.Clone(found), "quit")
	case len(words) == 2 && words[1] == "open":
		found = append(r.savedRuns(), found...)
	}

	for _, m := range found {
		if m, ok := extend(word, m); ok && m != "" && !slices.Contains(matches, m) {
			matches = append(matches, m)
		}
	}
	return matches, len([]rune(word))
}

// extend returns a match that starts with the word as typed, because the editor
// can only add to it. If the match has quotes and the word has none, extend
// puts the quotes around the added part, which means the same. If the match
// doesn't continue the word, it returns false.
func extend(word, match string) (string, bool) {
	if strings.HasPrefix(match, word) {
		return match, true
	}

	rest, ok := strings.CutPrefix(unquote(match), unquote(word))
	if !ok {
		return "", false
	}

	quote := `"`
	if strings.Contains(rest, quote) {
		quote = "'"
	}

	if strings.Count(word, `"`)%2 == 1 || strings.Count(word, "'")%2 == 1 { // the quote is open
		return word + rest + word[strings.LastIndexAny(word, `"'`):][:1], true
	}
	return word + quote + rest + quote, true
}

// unquote returns a text without its quotes.
func unquote(text string) string { return strings.NewReplacer(`"`, "", "'", "").Replace(text) }

// savedRuns returns the names of the sessions with checkpoints in the working
// directory.
func (r *repl) savedRuns() []string {
	list, err := runs.List(r.directory)
	if err != nil {
		return nil
	}

	var names []string
	for _, run := range list {
		names = append(names, run.Name)
	}
	return names
}
