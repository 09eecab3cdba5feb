package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
)

// progressBar shows the progress of a training or a study. On a terminal it
// redraws one line ten times a second. Elsewhere it prints a line for every
// tenth.
type progressBar struct {
	out      io.Writer
	terminal bool
	last     time.Time
	tenth    int
	drawn    bool
}

// progressFlags are the flags of a command that reports progress.
type progressFlags struct {
	quiet bool
	lines string // format of lines instead of a bar: "" or "json"
}

// addProgress adds --quiet. If fields isn't empty, it also adds --progress, and
// fields describes a line of it.
func (p *progressFlags) addProgress(flags *pflag.FlagSet, fields string) {
	flags.BoolVarP(&p.quiet, "quiet", "q", false, "no progress bar")
	if fields != "" {
		flags.StringVar(&p.lines, "progress", "", "report progress on standard error as `json`, "+fields)
	}
}

// check rejects an unknown format.
func (p progressFlags) check() error {
	if p.lines != "" && p.lines != "json" {
		return errs.New(errs.Request, "use --progress json, or leave it out", "progress = %.20s", p.lines)
	}
	return nil
}

// bar returns the command's bar. It shows nothing if the flags ask for lines or
// for silence.
func (p progressFlags) bar(out io.Writer) *progressBar { return newBar(out, p.quiet || p.lines != "") }

// write writes a line of JSON if the flags ask for lines.
func (p progressFlags) write(out io.Writer, line any) error {
	if p.lines == "" || p.quiet {
		return nil
	}
	return json.NewEncoder(out).Encode(line)
}

// newBar returns a bar. If quiet is set, the bar shows nothing.
func newBar(out io.Writer, quiet bool) *progressBar {
	if quiet {
		return &progressBar{out: io.Discard, tenth: -1}
	}
	f, ok := out.(*os.File)
	terminal := false
	if ok {
		info, err := f.Stat()
		terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return &progressBar{out: out, terminal: terminal}
}

// showTraining draws the progress of a training.
func (b *progressBar) showTraining(s session.Status) {
	b.draw(float64(s.Step)/float64(max(s.Steps, 1)), s.Step >= s.Steps, statusLine(s), remainingText(s.SecondsLeft, s.StepsPerSecond > 0))
}

// showStudy draws the progress of a study in units such as "replica". where
// says what is running.
func (b *progressBar) showStudy(p study.Progress, unit, where string) {
	if p.News != "" {
		b.note(p.News)
	}
	text := fmt.Sprintf("%d of %s", p.Done, phrase.Count(p.Total, unit))
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	if p.Steps > 0 {
		text += fmt.Sprintf("  %.0f steps/s", p.StepsPerSecond)
	}
	if where != "" {
		text += "  " + where
	}
	share := p.Share
	if p.Done < p.Total { // the steps are done before the last training is evaluated
		share = min(share, 0.99)
	}
	b.draw(share, share == 1 && p.Running == 0, text, remainingText(p.Left.Seconds(), p.Left > 0 || share == 1))
}

// draw draws the bar at a share, followed by a line and the remaining time. It
// skips draws within 100 ms of another one, except the last.
func (b *progressBar) draw(share float64, last bool, line, left string) {
	if !b.terminal {
		if now := int(share * 10); now > b.tenth && b.tenth >= 0 {
			b.tenth = now
			fmt.Fprintf(b.out, "%3.0f%%  %s%s\n", 100*share, line, left)
		}
		return
	}

	if time.Since(b.last) < 100*time.Millisecond && !last {
		return
	}

	b.last, b.drawn = time.Now(), true

	columns := 0
	if f, ok := b.out.(*os.File); ok {
		columns = terminalColumns(f)
	}

	fmt.Fprint(b.out, "\r\x1b[K"+barDrawing(columns, share, line, left))
}

// barDrawing returns the bar and its line, cut to fit the terminal's columns,
// because a wrapped line can't be redrawn. It shortens the bar first, then the
// line, then the remaining time. With 0 columns it cuts nothing.
func barDrawing(columns int, share float64, line, left string) string {
	const widest, number = 24, 7 // widths of the bar, and of the percentage with its spaces
	text, last := []rune(line), []rune(left)

	width := widest
	if columns > 0 {
		room := max(0, columns-1-number)
		last = last[:min(len(last), room)]
		text = text[:min(len(text), room-len(last))]
		width = min(widest, room-len(last)-len(text))
	}

	full := int(share * float64(width))
	return fmt.Sprintf("%s%s %3.0f%%  %s", strings.Repeat("█", full), strings.Repeat("░", width-full), 100*share, string(text)+string(last))
}

// terminalColumns returns the width of a terminal, or 0 if it is unknown.
func terminalColumns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// note prints a line above the bar.
func (b *progressBar) note(text string) {
	if b.drawn {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
	fmt.Fprintln(b.out, text)
	b.last = time.Time{}
}

// end ends the bar's line.
func (b *progressBar) end() {
	if b.drawn {
		fmt.Fprintln(b.out)
	}
}

// remainingText returns the end of a line, such as " 3s left". It returns "" if the
// remaining time is unknown.
func remainingText(seconds float64, known bool) string {
	if !known {
		return ""
	}
	return fmt.Sprintf("  %s left", time.Duration(seconds*float64(time.Second)).Round(time.Second))
}

// statusLine describes a training's progress in one short line.
func statusLine(s session.Status) string {
	p := "–" // unknown before the first look
	if s.MaxProbability != nil {
		p = fmt.Sprintf("%.2f", *s.MaxProbability)
	}
	return fmt.Sprintf("epoch %.0f/%d  τ %.3g  loss %.3f  %s %.3f  recon %.3f  P %s", s.Epoch, s.Config.Epochs, s.Tau, s.Loss, s.Learned(),
		s.LossClass, s.LossReconstruction, p)
}
