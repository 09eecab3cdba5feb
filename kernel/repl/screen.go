package repl

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/ipywidgets"
)

// screen writes the output. On a terminal it draws updates in place. Elsewhere
// it writes their last state at the end of the line, without escape sequences.
type screen struct {
	out, err io.Writer
	live     io.Writer  // a terminal to draw progress on, or nil
	columns  func() int // width of the terminal; 0 if out isn't one
	onScreen bool       // out is a terminal
	colour   bool
	links    bool

	mu      sync.Mutex
	id      string        // id of the display drawn in place, or ""
	region  string        // text of that display
	last    chart.Picture // latest state of that display
	picture bool          // a picture with a PNG was shown since takePicture
}

var _ magic.Output = (*screen)(nil)

// newScreen returns a screen for two files. It draws progress in place on the
// first of them that is a terminal, unless TERM is dumb.
func newScreen(out, err *os.File) *screen {
	s := &screen{out: out, err: err, columns: func() int { return 0 }}
	plain := os.Getenv("TERM") == "dumb"
	switch {
	case isTerminal(out):
		s.onScreen = true
		s.columns = func() int { return columnsOf(out) }
		if !plain {
			s.live = out
			s.colour, s.links = os.Getenv("NO_COLOR") == "", true
		}
	case isTerminal(err) && !plain:
		s.live = err
	}
	return s
}

// text returns a picture as text that fits the terminal.
func (s *screen) text(p chart.Picture) string {
	text := p.Text
	if columns := s.columns(); columns > 0 {
		text = p.Terminal(columns)
	}
	return endLine(forTerminal(text))
}

// forTerminal removes the prefix, because lines don't need it here.
func forTerminal(text string) string { return strings.ReplaceAll(text, prefix+" ", "") }

// endLine returns text with a line feed at its end. An empty text stays empty.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Display implements magic.Output. It ends the display drawn in place and
// writes the picture's text to out.
func (s *screen) Display(p chart.Picture) {
	s.settle()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.picture = s.picture || p.Drawn()
	fmt.Fprint(s.out, s.text(p))
}

func (s *screen) Result(p chart.Picture) { s.Display(p) }
func (s *screen) Page(p chart.Picture)   { s.Display(p) }

// Live implements magic.Output. It is never called, because there are no live
// views here.
func (s *screen) Live(ipywidgets.View) {}
func (s *screen) Silent() bool         { return false }

// Update implements magic.Output. It draws the picture over the last one of
// that id, and ends a display with another id first. Without a terminal it only
// records the state, for settle.
func (s *screen) Update(id string, p chart.Picture) {
	s.mu.Lock()
	same := id == s.id
	s.mu.Unlock()
	if !same {
		s.settle()
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.last = id, p
	if s.live == nil {
		return
	}

	text := endLine(forTerminal(p.Text))
	if columns := s.liveColumns(); columns > 0 {
		text = endLine(forTerminal(p.Terminal(columns)))
	}

	fmt.Fprint(s.live, s.eraseSequence()+text)
	s.region = text
}

// liveColumns returns the width of the terminal on which progress is drawn, or
// 0 if it is unknown.
func (s *screen) liveColumns() int {
	if f, ok := s.live.(*os.File); ok {
		return columnsOf(f)
	}
	return s.columns()
}

// eraseSequence returns the sequence that removes the display drawn in place. It also
// counts lines that the terminal has broken.
func (s *screen) eraseSequence() string {
	if s.region == "" {
		return ""
	}

	rows, columns := 0, s.liveColumns()

	for line := range strings.Lines(s.region) {
		rows++
		if n := len([]rune(strings.TrimRight(line, "\n"))); columns > 0 && n > columns {
			rows += (n - 1) / columns
		}
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", rows)
}

// settle ends the display drawn in place. Its last state stays on the terminal,
// or is written to out if it was drawn elsewhere. If only a notice was drawn,
// it disappears.
func (s *screen) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id == "" {
		return
	}

	if s.live != nil && (s.live != s.out || s.id == noticeOnly) {
		fmt.Fprint(s.live, s.eraseSequence())
	}

	if s.live != s.out && s.id != noticeOnly {
		fmt.Fprint(s.out, s.text(s.last))
	}

	s.id, s.region, s.last = "", "", chart.Picture{}
}

// noticeOnly is the id of a line that disappears with the next output.
const noticeOnly = "notice"

// notice adds a line to the display that is drawn in place. The next update of
// the display removes it. Without a terminal it does nothing.
func (s *screen) notice(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return
	}
	if s.id == "" {
		s.id = noticeOnly
	}
	fmt.Fprint(s.live, s.paint("2", text+"\n"))
	s.region += text + "\n"
}

// Clear implements magic.Output. It clears the terminal. If out isn't a
// terminal, its output stays.
func (s *screen) Clear(bool) {
	s.settle()
	if s.onScreen && s.live != nil {
		fmt.Fprint(s.out, "\x1b[H\x1b[2J")
	}
}

// takePicture reports whether a picture with a PNG was shown since the last
// call.
func (s *screen) takePicture() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.picture
	s.picture = false
	return shown
}

// say writes a line for the user.
func (s *screen) say(text string) { fmt.Fprint(s.out, s.wrap(text)) }

// hint writes a less important line.
func (s *screen) hint(text string) { fmt.Fprint(s.out, s.paint("2", s.wrap(text))) }

// message writes a line to stderr, apart from the verbs' output.
func (s *screen) message(text string) { fmt.Fprint(s.err, s.wrap(text)) }

// wrap breaks text at the width of the terminal and ends its last line.
func (s *screen) wrap(text string) string {
	if columns := s.columns(); columns > 0 {
		text = words.Wrap(text, columns)
	}
	return endLine(text)
}

// fail shows an error on stderr, with its remedy below.
func (s *screen) fail(err error) {
	s.settle()
	f := errs.Of(err)
	fmt.Fprint(s.err, s.paint("31", s.wrap(forTerminal(f.What))))
	if f.Remedy != "" {
		fmt.Fprint(s.err, s.wrap("  "+forTerminal(f.Remedy)))
	}
}

// paint colours each line of text separately.
func (s *screen) paint(colour, text string) string {
	if !s.colour || text == "" {
		return text
	}
	body := strings.TrimRight(text, "\n")
	return "\x1b[" + colour + "m" + strings.ReplaceAll(body, "\n", "\x1b[0m\n\x1b["+colour+"m") + "\x1b[0m" + text[len(body):]
}

// link returns text that opens an address if the terminal supports links (OSC
// 8).
func (s *screen) link(text, address string) string {
	if !s.links {
		return text
	}
	return "\x1b]8;;" + address + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// capture is the output for a line if its picture goes to a file. It shows
// progress and keeps the last picture.
type capture struct {
	*screen
	last chart.Picture
}

func (s *capture) Display(p chart.Picture) { s.last = p }
func (s *capture) Result(p chart.Picture)  { s.last = p }
func (s *capture) Page(p chart.Picture)    { s.last = p }

func (s *capture) Update(id string, p chart.Picture) {
	s.last = p
	s.screen.Update(id, p)
}

// target returns the file that a line names after >, for the picture of verb. A
// relative path is relative to the terminal's working directory.
func (r *repl) target(verb, file string) output.File {
	return output.File{Flag: "> ", Path: dataset.Locate(file, r.directory), Verb: verb}
}

// write saves a picture in the format that the file's extension names, and
// reports it.
func (r *repl) write(ctx context.Context, s *capture, file string, target output.File) error {
	picture := s.last
	picture.Text = forTerminal(picture.Text)
	content, err := picture.As(file)
	if err != nil {
		return err
	}

	if err := target.Write(r.inputs(ctx), content); err != nil {
		return err
	}

	r.screen.settle()
	r.screen.say(fmt.Sprintf("wrote %s (%s)", r.screen.link(file, fileURL(target.Path)), size(len(content))))
	return nil
}

// inputs returns the files that the open sessions read.
func (r *repl) inputs(ctx context.Context) []string {
	return r.magics.Inputs(magic.WithoutStart(ctx))
}

func fileURL(path string) string {
	host, _ := os.Hostname() // without a name it means this machine
	return (&url.URL{Scheme: "file", Host: host, Path: path}).String()
}

// size returns a number of bytes for the user to read.
func size(n int) string {
	if n < 10_000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d kB", (n+500)/1000)
}

// hintAtSaving tells a user at a terminal, once, how to save a picture that was
// shown as text.
func (r *repl) hintAtSaving() {
	if shown := r.screen.takePicture(); shown && !r.hinted && r.screen.onScreen {
		r.hinted = true
		r.screen.hint("VERB > FILE.png saves it as a picture")
	}
}

// isTerminal reports whether a file is a terminal. It returns false for nil.
func isTerminal(f *os.File) bool {
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}

// columnsOf returns the width of a terminal, or 0 if it is unknown.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// withoutEcho keeps a terminal from showing what is typed while a verb runs,
// because it would mix with progress. The text appears at the next prompt.
// Ctrl-C still interrupts.
func withoutEcho(f *os.File) (restore func()) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}

	silent := *before
	silent.Lflag &^= unix.ECHO
	unix.IoctlSetTermios(fd, setTermios, &silent)                  //nolint:errcheck // then typing is shown
	return func() { unix.IoctlSetTermios(fd, setTermios, before) } //nolint:errcheck // nothing else can be done
}
