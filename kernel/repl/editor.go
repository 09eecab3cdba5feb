package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/ergochat/readline"

	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/internal/process"
)

// editor reads lines from a terminal.
type editor struct {
	readline *readline.Instance // nil for a terminal without sequences, which edits its lines itself
	history  *history
	in       *bufio.Reader
	out      io.Writer
	closed   chan struct{}
	closing  sync.Once

	interrupts <-chan os.Signal // of a terminal that sends one for a Ctrl-C at the prompt
	coming     chan typed       // a line that was asked for and is still to come, or nil
}

// typed is a line of a terminal that edits its lines itself.
type typed struct {
	text string
	err  error
}

// errInterrupted is a Ctrl-C at the prompt.
var errInterrupted = errors.New("interrupted")

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
		FuncIsTerminal: func() bool { return true }, // it is not made otherwise
	})
	if err != nil {
		return nil, err
	}
	for _, text := range h.lines {
		instance.SaveToHistory(text) //nolint:errcheck // it is not offered, then
	}
	return &editor{readline: instance, history: h}, nil
}

// read asks for a line, and as long as one ends in a backslash for the next. io.EOF is Ctrl-D or a terminal that went away.
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
		e.readline.SaveToHistory(text) //nolint:errcheck // it is not offered again, then
	}
	return text, nil
}

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

// plainLine reads a line as the terminal gives it.
func (e *editor) plainLine(prompt string) (string, error) {
	fmt.Fprint(e.out, prompt)
	if e.coming == nil {
		read := make(chan typed, 1)
		go func() {
			text, err := e.in.ReadString('\n')
			if text != "" { // the end comes again
				err = nil
			}
			read <- typed{strings.TrimRight(text, "\r\n"), err}
		}()
		e.coming = read
	}
	select {
	case line := <-e.coming:
		e.coming = nil
		return line.text, line.err
	case <-e.interrupts: // the terminal has forgotten what was typed; the next line is still read
		fmt.Fprintln(e.out)
		return "", errInterrupted
	case <-e.closed: // the read ends with the process
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

// streams are the terminal as the library sees it. Before each prompt it asks the terminal where the cursor is, and waits for the answer:
// for ever where none comes, as from a recorder or over a slow line. The cursor is in the first column, where everything written here
// leaves it, so the answer is given on the spot.
type streams struct {
	in     io.Reader
	out    io.Writer
	answer []byte
}

const (
	whereIsTheCursor = "\x1b[6n"
	inTheFirstColumn = "\x1b[1;1R"
)

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

// Read implements io.Reader. It is called after the question was written, by the one who waits for the answer.
func (w *streams) Read(p []byte) (int, error) {
	if len(w.answer) > 0 {
		n := copy(p, w.answer)
		w.answer = w.answer[n:]
		return n, nil
	}
	return w.in.Read(p)
}
