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
	progressPause = 100 * time.Millisecond // between two pictures of a bar
	terminalPause = 500 * time.Millisecond // between two lines of it
	barLetters    = 30
)

// Progress counts from 0 to n-1 and shows how far a loop has come, at most ten times a second; outside a notebook on standard error.
//
//	for i := range widgets.Progress(1000, "halves") {
//		…
//	}
//
// A loop that is left early leaves the bar where it stood. Labels go before the bar.
func Progress(n int, label ...string) iter.Seq[int] {
	return func(yield func(int) bool) {
		b := &bar{total: max(n, 0), label: strings.Join(label, " "), began: time.Now(), to: os.Stderr,
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

// bar is the progress of one loop.
type bar struct {
	id, label   string
	done, total int
	began       time.Time
	drawn       time.Time
	to          io.Writer // outside a notebook
	notebook    bool
}

// draw shows the bar, unless that was done a moment ago. A kernel that does not answer does not keep the loop from going on.
func (b *bar) draw(now time.Time, last bool) {
	pause := terminalPause
	if b.notebook {
		pause = progressPause
	}
	if !last && !b.drawn.IsZero() && now.Sub(b.drawn) < pause {
		return
	}
	b.drawn = now
	if b.notebook {
		show(io.Discard, b.id, b) //nolint:errcheck // see above
		return
	}
	end := ""
	if last {
		end = "\n"
	}
	fmt.Fprintf(b.to, "\r%s%s", b.line(now), end)
}

// line is the bar in words.
func (b *bar) line(now time.Time) string {
	share := 1.0
	if b.total > 0 {
		share = float64(b.done) / float64(b.total)
	}
	full := int(share * barLetters)
	return strings.TrimSpace(b.label + " " + strings.Repeat("█", full) + strings.Repeat("░", barLetters-full) + " " + b.facts(now))
}

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
	when := "" // for a page that is reloaded, and hears of no later bar
	if b.done < b.total {
		when = " · as of " + b.drawn.Format(time.DateTime)
	}
	return map[string]any{
		mimeText: b.line(b.drawn) + when,
		mimeHTML: words.Untypeset(fmt.Sprintf(`%s <progress value="%d" max="%d"></progress> %s`, words.Escape(b.label), b.done, max(b.total, 1),
			words.Escape(b.facts(b.drawn)+when))),
	}
}
