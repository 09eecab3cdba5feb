package widgets

import (
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/words"
)

const (
	notebookInterval = 100 * time.Millisecond // between two updates of a bar
	terminalInterval = 500 * time.Millisecond
	barLetters       = 30
)

// Progress counts from 0 to n−1 and shows the progress of the loop in a bar
// after the labels, at most ten times a second. Outside a notebook the bar is
// on standard error.
//
//	for i := range widgets.Progress(1000, "halves") {
//		…
//	}
//
// If you leave the loop early, the bar stays as it is.
func Progress(n int, label ...string) iter.Seq[int] {
	return func(yield func(int) bool) {
		b := &bar{total: max(n, 0), label: strings.Join(label, " "), began: time.Now(), terminal: os.Stderr,
			notebook: os.Getenv(session.SocketVariable) != ""}
		b.id = fmt.Sprintf("progress-%d-%d", os.Getpid(), b.began.UnixNano())
		defer func() { b.draw(time.Now(), true) }()
		for i := range n {
			b.done = i
			b.draw(time.Now(), false)
			if !yield(i) {
				return
			}
		}
		b.done = b.total
	}
}

// bar shows the progress of one loop.
type bar struct {
	id, label   string
	done, total int
	began       time.Time
	drawn       time.Time
	terminal    io.Writer
	notebook    bool
}

// draw shows the bar. Unless this is the last time, it does nothing if it did
// so a moment ago. It ignores errors, so that the loop continues without a
// kernel.
func (b *bar) draw(now time.Time, last bool) {
	interval := terminalInterval
	if b.notebook {
		interval = notebookInterval
	}

	if !last && !b.drawn.IsZero() && now.Sub(b.drawn) < interval {
		return
	}

	b.drawn = now
	if b.notebook {
		display(io.Discard, b.id, b) //nolint:errcheck // as said above
		return
	}

	end := ""
	if last {
		end = "\n"
	}

	fmt.Fprintf(b.terminal, "\r%s%s", b.line(now), end)
}

// line returns the bar as text.
func (b *bar) line(now time.Time) string {
	share := 1.0
	if b.total > 0 {
		share = float64(b.done) / float64(b.total)
	}
	full := int(share * barLetters)
	return strings.TrimSpace(b.label + " " + strings.Repeat("█", full) + strings.Repeat("░", barLetters-full) + " " + b.facts(now))
}

// facts returns how many are done and how many there are. After the first
// second it adds the rate and the remaining time.
func (b *bar) facts(now time.Time) string {
	text := fmt.Sprintf("%d of %d", b.done, b.total)
	if spent := now.Sub(b.began); b.done > 0 && spent > time.Second {
		text += fmt.Sprintf(" · %.3g/s", float64(b.done)/spent.Seconds())
		if left := time.Duration(float64(spent) / float64(b.done) * float64(b.total-b.done)); left > 0 {
			text += " · " + left.Round(time.Second).String() + " left"
		}
	}
	return text
}

// MimeBundle implements Bundler.
func (b *bar) MimeBundle() map[string]any {
	when := "" // for a page that is reloaded and receives no later update
	if b.done < b.total {
		when = " · as of " + b.drawn.Format(time.DateTime)
	}
	return map[string]any{
		mimeText: b.line(b.drawn) + when,
		mimeHTML: words.Untypeset(fmt.Sprintf(`%s <progress value="%d" max="%d"></progress> %s`, words.Escape(b.label), b.done, max(b.total, 1),
			words.Escape(b.facts(b.drawn)+when))),
	}
}
