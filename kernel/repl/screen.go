package repl

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/ipywidgets"
)

// screen is where output goes. On a terminal what is updated is drawn in place; elsewhere its last state is written when its line has
// ended, and there are no escape sequences.
type screen struct {
	out, err io.Writer
	live     io.Writer  // a terminal on which progress is drawn in place, or nil
	columns  func() int // of the terminal; 0 where there is none
	onScreen bool       // out is that terminal
	colour   bool
	links    bool

	mu      sync.Mutex
	id      string        // of the display that is drawn in place, or ""
	region  string        // its text
	last    chart.Picture // its state
	picture bool          // one with a PNG was shown since takePicture
}

var _ magic.Output = (*screen)(nil)

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

func (s *screen) terminal() bool { return s.onScreen }

// text is a picture as it fits here.
func (s *screen) text(p chart.Picture) string {
	text := p.Text
	if columns := s.columns(); columns > 0 {
		text = p.Terminal(columns)
	}
	return ended(forTerminal(text))
}

// forTerminal leaves out the prefix, which is not needed here.
func forTerminal(text string) string { return strings.ReplaceAll(text, prefix+" ", "") }

func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func (s *screen) Display(p chart.Picture) {
	s.settle()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.picture = s.picture || p.Drawn()
	fmt.Fprint(s.out, s.text(p))
}

func (s *screen) Result(p chart.Picture) { s.Display(p) }
func (s *screen) Page(p chart.Picture)   { s.Display(p) }

// Live implements magic.Output. There are no live views here: this is never called.
func (s *screen) Live(ipywidgets.View) {}
func (s *screen) Silent() bool         { return false }

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
	text := ended(forTerminal(p.Text))
	if columns := s.liveColumns(); columns > 0 {
		text = ended(forTerminal(p.Terminal(columns)))
	}
	fmt.Fprint(s.live, s.erase()+text)
	s.region = text
}

func (s *screen) liveColumns() int {
	if f, ok := s.live.(*os.File); ok {
		return columnsOf(f)
	}
	return s.columns()
}

// erase is what removes the display that is drawn in place, as the terminal has broken its lines by now.
func (s *screen) erase() string {
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

// settle ends what is drawn in place: its last state stays.
func (s *screen) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id == "" {
		return
	}
	if s.live != nil && (s.live != s.out || s.id == noticeOnly) {
		fmt.Fprint(s.live, s.erase())
	}
	if s.live != s.out && s.id != noticeOnly {
		fmt.Fprint(s.out, s.text(s.last))
	}
	s.id, s.region, s.last = "", "", chart.Picture{}
}

// noticeOnly is the id of a line that goes when anything else comes.
const noticeOnly = "notice"

// notice adds a line to what is drawn in place, until the next state of it.
func (s *screen) notice(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return
	}
	if s.id == "" {
		s.id = noticeOnly
	}
	fmt.Fprint(s.live, s.coloured("2", text+"\n"))
	s.region += text + "\n"
}

func (s *screen) Clear(bool) {
	s.settle()
	if s.onScreen && s.live != nil {
		fmt.Fprint(s.out, "\x1b[H\x1b[2J")
	}
}

// takePicture reports whether something was shown that has a picture, and forgets it.
func (s *screen) takePicture() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.picture
	s.picture = false
	return shown
}

// say writes a line for people.
func (s *screen) say(text string) { fmt.Fprint(s.out, s.wrapped(text)) }

// hint writes a line that matters less.
func (s *screen) hint(text string) { fmt.Fprint(s.out, s.coloured("2", s.wrapped(text))) }

// message writes a line beside the output of the verbs.
func (s *screen) message(text string) { fmt.Fprint(s.err, s.wrapped(text)) }

func (s *screen) wrapped(text string) string {
	if columns := s.columns(); columns > 0 {
		text = words.Wrap(text, columns)
	}
	return ended(text)
}

// fail shows an error: what was wrong, and below it what to do.
func (s *screen) fail(err error) {
	s.settle()
	f := errs.Of(err)
	fmt.Fprint(s.err, s.coloured("31", s.wrapped(forTerminal(f.What))))
	if f.Remedy != "" {
		fmt.Fprint(s.err, s.wrapped("  "+forTerminal(f.Remedy)))
	}
}

// coloured sets lines in a colour, each by itself.
func (s *screen) coloured(colour, text string) string {
	if !s.colour || text == "" {
		return text
	}
	body := strings.TrimRight(text, "\n")
	return "\x1b[" + colour + "m" + strings.ReplaceAll(body, "\n", "\x1b[0m\n\x1b["+colour+"m") + "\x1b[0m" + text[len(body):]
}

// link is a text that opens an address where the terminal can (OSC 8).
func (s *screen) link(text, address string) string {
	if !s.links {
		return text
	}
	return "\x1b]8;;" + address + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// saved is the output of a line whose picture goes to a file: progress is shown, the last picture kept.
type saved struct {
	*screen
	last chart.Picture
}

func (s *saved) Display(p chart.Picture) { s.last = p }
func (s *saved) Result(p chart.Picture)  { s.last = p }
func (s *saved) Page(p chart.Picture)    { s.last = p }

func (s *saved) Update(id string, p chart.Picture) {
	s.last = p
	s.screen.Update(id, p)
}

// write saves a picture in the form that the file's name asks for.
func (r *repl) write(s *saved, file string) error {
	picture := s.last
	picture.Text = forTerminal(picture.Text)
	content, err := picture.As(file)
	if err != nil {
		return err
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.directory, path)
	}
	if err := system.WriteFile(path, content); err != nil {
		return errs.NotWritten(err)
	}
	r.screen.settle()
	r.screen.say(fmt.Sprintf("wrote %s (%s)", r.screen.link(file, fileURL(path)), size(len(content))))
	return nil
}

func fileURL(path string) string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return (&url.URL{Scheme: "file", Host: host, Path: path}).String()
}

func size(n int) string {
	if n < 10_000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d kB", (n+500)/1000)
}

// hintAtSaving says once how a picture that was shown as text is had as one.
func (r *repl) hintAtSaving() {
	if verb := r.screen.takePicture(); verb && !r.hinted && r.screen.terminal() {
		r.hinted = true
		r.screen.hint("VERB > FILE.png saves it as a picture")
	}
}

func isTerminal(f *os.File) bool {
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}

// columnsOf is the width of a terminal; 0 where it is not known.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// withoutEcho keeps what is typed while a verb runs from being shown amid its progress; it is there at the next prompt. Ctrl-C still
// interrupts.
func withoutEcho(f *os.File) (restore func()) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	unix.IoctlSetTermios(fd, setTermios, &silent)                  //nolint:errcheck // typing is shown, then
	return func() { unix.IoctlSetTermios(fd, setTermios, before) } //nolint:errcheck // nothing else can be done
}
