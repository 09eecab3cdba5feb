package magic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
)

// A computation is a command of this program that works for a while, called as the verb, and prints a report at its end.
type computation struct {
	args []string
	of   string // what it makes, one of it: fit, half-sample
	more string // the remedy where it did not come to its end; "" where the same line begins anew
	// partial draws a report of what is done so far, which then stands in the place of the progress; nil where there is none.
	partial func(report []byte) (chart.Picture, error)
	// show draws a report, with the display of the progress, and says how much is done. What cannot be read is a report of nothing.
	show func(report []byte, id string) (done, planned int, err error)
}

// compute runs a command in a process of its own, since a device can take its process down with it. Interrupting the cell ends it; what is
// done is shown in any case.
func (r *request) compute(ctx context.Context, c computation) error {
	program, name := r.program, "fsnet "+r.verb.name
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return fault.Wrap(err, fault.Failed, "use the command "+name, "the path of this program is not known")
		}
	}
	id := r.options.NewID()
	var last string
	report, ended, err := r.child(ctx, program, c.args, func(messages io.Reader) { last = follow(messages, id, r.out, c.partial) }, func() {
		r.out.Display(note("interrupted: " + name + " finishes what it has begun; interrupt again to end it at once"))
	})
	if err != nil {
		return fault.Wrap(err, fault.Failed, "", "%s cannot be started", name)
	}
	done, planned, err := c.show(report, id)
	switch {
	case err != nil:
		return err
	case ended == nil:
		return nil
	case ctx.Err() != nil:
		return fault.New(fault.Interrupted, c.more, "interrupted with %d of %s done", done, count.Of(planned, c.of))
	case last == "":
		return fault.Wrap(ended, fault.Failed, cmp.Or(c.more, "fsnet doctor looks at this machine"), "%s ended", name)
	}
	return fault.New(fault.Failed, "", "%s", strings.TrimPrefix(last, "fsnet: "))
}

// keyFlags are the keys of a configuration as options of a command, but for data and those that are left out.
func keyFlags(c config.Config, leftOut func(key string) bool) (flags []string) {
	for _, key := range c.Given() {
		if key.Name != "data" && !leftOut(key.Name) {
			flags = append(flags, "--"+strings.ReplaceAll(key.Name, "_", "-")+"="+c.Text(key.Name))
		}
	}
	return flags
}

func nothing(string) bool { return false }

// optionFlags are the options of the line, but for output.
func (r *request) optionFlags() (flags []string) {
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if name != "output" {
			flags = append(flags, "--"+name+"="+r.given[name])
		}
	}
	return flags
}

// command is that of the verb, which reports to a program.
func (r *request) command(flags ...[]string) []string {
	return slices.Concat([]string{r.verb.name, "--json", "--progress=json"}, slices.Concat(flags...))
}

// follow draws the progress that a command reports, or once there is one the picture of what is done so far, and returns the last line that
// is neither.
func follow(messages io.Reader, id string, out Output, partial func([]byte) (chart.Picture, error)) (last string) {
	drawn := false
	for line := range process.Lines(messages) {
		var p struct {
			Done, Total, Planned int
			What, Note           string
			Share, Left          float64 // Left is seconds; 0: not known
			Report               json.RawMessage
		}
		text := ""
		switch err := json.Unmarshal([]byte(line), &p); {
		case err == nil && p.Note != "":
			out.Display(note(p.Note))
			continue
		case err == nil && p.Total > 0:
			text = fmt.Sprintf("%d of %s · %s", p.Done, count.Of(p.Total, "fit"), p.What)
		case err == nil && p.Planned > 0:
			text = fmt.Sprintf("%d of %s · %.0f%%", p.Done, count.Of(p.Planned, "half-sample"), 100*p.Share)
		default:
			last = line
			continue
		}
		if partial != nil && len(p.Report) > 0 {
			if picture, err := partial(p.Report); err == nil {
				out.Update(id, picture)
				drawn = true
			}
		}
		if drawn {
			continue
		}
		if p.Left > 0 {
			text += " · " + chart.Duration(p.Left) + " left"
		}
		out.Update(id, note(text+" · as of "+time.Now().Format(time.DateTime)).WithTerminal(text))
	}
	return last
}

// remindAfter is how long a command may take to end once it was interrupted, before it is said how to end it.
const remindAfter = 2 * time.Second

// child runs a command of a program. follow reads what it says to standard error, until it has ended; what it printed is returned, and how
// it ended. A context that ends interrupts it: it then prints what is done, and slow is called where that takes its time.
func (i *Interpreter) child(ctx context.Context, program string, args []string, follow func(messages io.Reader), slow func()) (
	printed []byte, ended, err error) {
	cmd := exec.Command(program, args...) //nolint:gosec // it is this program, and the words are no shell's
	cmd.Dir = i.options.Directory()
	var out bytes.Buffer
	cmd.Stdout = &out
	messages, writer := io.Pipe() // exec's own pipe is closed when the command ends, read or not
	cmd.Stderr = writer
	p, err := process.Start(cmd)
	if err != nil {
		return nil, nil, err
	}
	go func() {
		defer writer.Close()
		select {
		case <-ctx.Done():
			p.Signal(syscall.SIGINT)
			end(p, process.Insisted(ctx), slow)
		case <-p.Done():
		}
	}()
	defer func() { // it has ended, but for where follow panics
		messages.Close()
		p.Stop(remindAfter)
	}()
	follow(messages)
	return out.Bytes(), p.Err(), nil
}

// end waits for a command that was interrupted: in a long call of its device, or stopped, it ends late or never.
func end(p *process.Process, insisted <-chan struct{}, slow func()) {
	remind := time.NewTimer(remindAfter)
	defer remind.Stop()
	for {
		select {
		case <-p.Done():
			return
		case <-remind.C:
			if insisted != nil {
				slow()
			}
		case <-insisted:
			p.Signal(syscall.SIGKILL)
			<-p.Done()
			return
		}
	}
}
