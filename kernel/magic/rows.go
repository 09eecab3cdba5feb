package magic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
)

// inProcess runs a command of this program in a process of its own, since a device can take its process down with it.
func (r *request) inProcess(ctx context.Context, work func(*request, context.Context, string) error) error {
	program, err := os.Executable()
	if err != nil {
		return fault.Wrap(err, fault.Failed, "use the command fsnet "+r.verb.name, "this program does not know where it is")
	}
	return work(r, ctx, program)
}

// rows runs a command of a program that makes rows and prints a report of them. Interrupting the cell ends it, with the rows that are done in
// a file, so that the same line goes on; what is done is shown in any case. partial, where there is one, draws what is done so far; show draws a report and says how much of it is done.
func (r *request) rows(ctx context.Context, program string, args []string, file string, partial func([]byte) (chart.Picture, error), show func(report []byte, id string) (done, planned int, err error)) error {
	id := r.options.NewID()
	var last string
	report, ended, err := r.child(ctx, program, args, func(messages io.Reader) { last = followRows(messages, id, r.out, partial) })
	if err != nil {
		return fault.Wrap(err, fault.Failed, "", "%s cannot be started", r.verb.name)
	}
	done, planned, err := show(report, id)
	if err != nil {
		return err
	}
	switch {
	case ended == nil:
		return nil
	case ctx.Err() != nil:
		return fault.New(fault.Interrupted, "run the same line again to continue with "+file, "interrupted with %d of %d rows done", done, planned)
	case last == "":
		return fault.Wrap(ended, fault.Failed, "run the same line again to continue with "+file, "%s ended", r.verb.name)
	}
	return fault.New(fault.Failed, "", "%s", strings.TrimPrefix(last, "fsnet: "))
}

// outputOption names the file of rows.
func outputOption(folder string) option {
	return option{name: "output", about: "a CSV file that keeps the rows, for one process at a time; the same line, run again, continues from it",
		standard: "one for each line, below .fsnet/" + folder, complete: func(_ context.Context, i *Interpreter, typed string) []string { return i.files(typed, ".csv") }}
}

// rowsFile is where the rows of a line are kept that names no file: one for each line, so that the same line goes on.
func (i *Interpreter) rowsFile(folder string, args []string) (string, error) {
	sum := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	file := filepath.Join(".fsnet", folder, hex.EncodeToString(sum[:6])+".csv")
	directory := filepath.Join(i.options.Directory, ".fsnet")
	err := os.MkdirAll(filepath.Join(directory, folder), 0o700)
	if err == nil {
		err = createPrivate(filepath.Join(directory, ".gitignore"), "*\n")
	}
	if err == nil {
		err = createPrivate(filepath.Join(i.options.Directory, file), "") // the command leaves its permissions as they are
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Request, "name a file: output=FILE", "the rows cannot be kept beside the notebook")
	}
	return file, nil
}

// createPrivate makes a file for its owner alone where there is none.
func createPrivate(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// followRows draws the progress that the command reports and returns the last line that is none. Once the command reports what is done so
// far, the picture of that takes the place of the line.
func followRows(messages io.Reader, id string, out Output, partial func([]byte) (chart.Picture, error)) (last string) {
	drawn := false
	for line := range process.Lines(messages) {
		var p struct {
			Done, Total int
			What        string
			Left        float64 // seconds; 0: not known
			Note        string
			Report      json.RawMessage
		}
		err := json.Unmarshal([]byte(line), &p)
		if err == nil && p.Note != "" {
			out.Display(note(p.Note))
			continue
		}
		if err != nil || p.Total == 0 {
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
		text := fmt.Sprintf("%d of %d rows · %s", p.Done, p.Total, p.What)
		if p.Left > 0 {
			text += " · " + chart.Duration(p.Left) + " left"
		}
		out.Update(id, note(text))
	}
	return last
}
