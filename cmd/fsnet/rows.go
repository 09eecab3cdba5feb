package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// rowOptions are those of the commands that make rows.
type rowOptions struct {
	output string // "" is no file
	quiet  bool
	lines  string // of progress: "" or json
	// partial is what the rows so far come to: --progress json says it, too, at most once a second. nil says nothing.
	partial func([]study.Row) any
}

func (o *rowOptions) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.output, "output", "o", "", "keep the rows as lines of JSON in a `FILE`, and continue from those already in it")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "no progress bar")
	flags.StringVar(&o.lines, "progress", "", "report progress on standard error as `json`, one object per line: done, total, method, k, "+
		"split, what, left (seconds), or note")
}

// check refuses options that fit neither each other nor the data sets.
func (o rowOptions) check(data ...string) error {
	if o.lines != "" && o.lines != "json" {
		return errs.New(errs.Request, "use --progress json, or leave it out", "progress = %.20s", o.lines)
	}
	for _, name := range data {
		if o.output != "" && sameFile(o.output, name) {
			return errs.New(errs.Request, "name another file", "--output %s is a data set", o.output)
		}
	}
	return nil
}

// runner makes the rows of a plan, but for those that there are.
type runner func(ctx context.Context, plan *study.Plan, made []study.Row, report func(study.Progress) error) ([]study.Row, error)

// onDevice makes the rows of a comparison.
func onDevice(on *device.Device) runner {
	return func(ctx context.Context, plan *study.Plan, made []study.Row, report func(study.Progress) error) ([]study.Row, error) {
		return plan.Run(ctx, on, made, report)
	}
}

// progressLine is where a command is.
type progressLine struct {
	Done   int     `json:"done"`
	Total  int     `json:"total"`
	Method string  `json:"method"`
	K      int     `json:"k"`
	Split  int     `json:"split"`
	What   string  `json:"what"` // the same in words
	Left   float64 `json:"left"` // seconds; 0 where it is not known
	Report any     `json:"report,omitempty"`
}

// make makes the rows of a plan for a kind of device, beginning with those that the file has, and keeps each as soon as it is there. what
// says in words which row is being made. Rows that were made are returned with an error, too.
func (o rowOptions) make(ctx context.Context, plan *study.Plan, kind string, run runner, messages io.Writer,
	what func(study.Row) string) ([]study.Row, error) {
	file, err := openRows(o.output, func(rows []study.Row) error { return plan.Check(kind, rows) })
	if err != nil {
		return nil, err
	}
	defer file.close()
	for _, note := range file.notes {
		if o.lines == "json" {
			err = json.NewEncoder(messages).Encode(map[string]string{"note": note})
		} else {
			_, err = fmt.Fprintln(messages, note)
		}
		if err != nil {
			return nil, err
		}
	}
	bar := newBar(messages, o.quiet || o.lines != "")
	made, said := slices.Clone(file.rows), time.Time{}
	rows, runErr := run(ctx, plan, file.rows, func(p study.Progress) error {
		where := ""
		if p.Cell.Method != "" {
			if where = what(p.Cell); p.Stage != "" {
				where += ", " + p.Stage
			}
		}
		if p.Finished != nil {
			if err := file.add(*p.Finished); err != nil { // before it is said: whoever stops listening ends this process
				return err
			}
			made = append(made, *p.Finished)
		}
		if o.lines == "json" && !o.quiet {
			var report any
			if o.partial != nil && len(made) > 0 && time.Since(said) >= time.Second {
				report, said = o.partial(made), time.Now()
			}
			if err := json.NewEncoder(messages).Encode(progressLine{p.Done, p.Total, p.Cell.Method, p.Cell.K, p.Cell.Split, where,
				p.Left.Seconds(), report}); err != nil {
				return err
			}
		}
		bar.show(p, unitOf(plan), where)
		return nil
	})
	bar.End()
	if err := file.finish(rows); err != nil && runErr == nil {
		runErr = err
	}
	if errs.Is(runErr, errs.Interrupted) && o.output != "" {
		runErr = errs.New(errs.Interrupted, "run the same command again to continue with "+o.output, "%s", errs.Of(runErr).What)
	}
	return rows, runErr
}

// unitOf is what a row of a plan is called.
func unitOf(plan *study.Plan) string {
	if plan.Fits {
		return "replica"
	}
	return "fit"
}

// failedCells is the error of rows that have one; remedy is what its reader can do.
func failedCells(made []study.Row, remedy string) error {
	bad := slices.DeleteFunc(slices.Clone(made), func(r study.Row) bool { return r.Error == "" })
	if len(bad) == 0 {
		return nil
	}
	first := bad[0]
	return errs.New(errs.Failed, remedy, "%d of %s failed, the first one %s, %s, K = %d, split %d: %s",
		len(bad), phrase.Count(len(made), "fit"), first.Dataset, first.Method, first.K, first.Split, first.Error)
}

// rowFile is the file of --output, which one process at a time writes to: rows are added to it as they are made, whole lines, and in the
// end it is in order. With the path "" it is no file.
type rowFile struct {
	rows  []study.Row // that it had
	notes []string    // what a person should know about it

	path string // as it was given
	at   string // where that leads to
	lock *system.Lock
	open *os.File
	size int64 // of the whole lines
}

// openRows locks the file and reads the rows that are there already, which check may refuse. Those with an error, and a row whose writer
// was stopped in the middle, leave it.
func openRows(path string, check func([]study.Row) error) (*rowFile, error) {
	f := &rowFile{path: path, at: path}
	if path == "" {
		return f, nil
	}
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return nil, errs.New(errs.Request, "name it "+strings.TrimSuffix(path, filepath.Ext(path))+".jsonl",
			"the output %s: rows are written as lines of JSON, not as CSV", path)
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil { // two links to one file are one file
		f.at = direct
	}
	if err := f.begin(check); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *rowFile) begin(check func([]study.Row) error) error {
	if err := checkOutput(f.at); err != nil {
		return err
	}
	if err := f.take(); err != nil {
		return err
	}
	text, err := os.ReadFile(f.at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errs.Wrap(system.Reason(err), errs.Request, "name another file", "the output %s cannot be read", f.path)
	}
	rows, half, err := study.ReadRows(text)
	if err == nil {
		err = check(rows)
	}
	if err != nil {
		return errs.At(err, "the output %s", f.path)
	}
	if len(half) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s ended in the middle of a row, which is cut away: %.60q", f.path, half))
	}
	f.rows = slices.DeleteFunc(rows, func(r study.Row) bool { return r.Error != "" })
	if err := f.write(f.rows); err != nil {
		return err
	}
	if f.open, err = os.OpenFile(f.at, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return f.failed(err)
	}
	info, err := f.open.Stat()
	if err != nil {
		return f.failed(err)
	}
	f.size = info.Size()
	return nil
}

// take locks the file.
func (f *rowFile) take() error {
	l, err := takeLock(lockOf(f.at), "the output "+f.path)
	if err != nil {
		return err
	}
	if f.lock = l; l.Unsupported {
		f.notes = append(f.notes, f.path+" is on a file system without locks: take care that no other process writes to it")
	}
	return nil
}

// write replaces the file.
func (f *rowFile) write(rows []study.Row) error {
	var text bytes.Buffer
	for _, row := range rows {
		line, err := row.Line()
		if err != nil {
			return err
		}
		text.Write(line)
	}
	return errs.NotWritten(system.WriteFile(f.at, text.Bytes()))
}

// add adds a row. One that finds no room leaves no part of it.
func (f *rowFile) add(row study.Row) error {
	if f.open == nil {
		return nil
	}
	line, err := row.Line()
	if err != nil {
		return err
	}
	n, err := f.open.Write(line)
	if err != nil {
		_ = f.open.Truncate(f.size) //nolint:errcheck // then the next start cuts it away
		return f.failed(err)
	}
	f.size += int64(n)
	return nil
}

// finish replaces the rows by these, which are all, in order.
func (f *rowFile) finish(rows []study.Row) error {
	if f.open == nil {
		return nil
	}
	return f.write(rows)
}

func (f *rowFile) failed(err error) error {
	return errs.Wrap(system.Reason(err), errs.Failed, "free some space or choose another place", "%s cannot be written", f.path)
}

// close lets the file go.
func (f *rowFile) close() {
	if f.open != nil {
		f.open.Close()
	}
	if f.lock != nil {
		f.lock.Remove()  //nolint:errcheck // then it stays, locked by nobody
		f.lock.Release() //nolint:errcheck // the process ends
	}
}

// wholeRows reads the rows of a file that is whole.
func wholeRows(path string, text []byte) ([]study.Row, error) {
	rows, half, err := study.ReadRows(text)
	switch {
	case err != nil:
		return nil, errs.At(err, "%s", path)
	case len(half) == 0:
		return rows, nil
	}
	if beside := lockOf(path); system.IsHeld(beside) {
		return nil, errs.New(errs.Busy, "wait until it is done", "%s is in use by %s", path, system.HolderOf(beside))
	}
	return nil, errs.New(errs.Request, "make its rows again with the same command as before, which continues after the last complete one",
		"%s ends in the middle of a row: %.60q", path, half)
}

// takeLock keeps what is called so to this process.
func takeLock(path, what string) (*system.Lock, error) {
	l, err := system.TakeLock(path, 0o666)
	if held := (*system.Held)(nil); errors.As(err, &held) {
		return nil, errs.New(errs.Busy, "wait until it is done, or name another place", "%s is in use by %s", what, held.Holder)
	}
	if err != nil {
		return nil, errs.Wrap(system.Reason(err), errs.Request, "name a place that you may write to", "%s cannot be locked", what)
	}
	return l, nil
}

// lockOf is the lock of a file, beside it since the file itself is replaced.
func lockOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}
