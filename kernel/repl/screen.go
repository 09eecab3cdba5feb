package repl

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"fsnetlab/fsnet/fault"
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
	s.picture = s.picture || len(p.PNG) > 0
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
	f := fault.Of(err)
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
