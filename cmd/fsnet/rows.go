package main

import (
	"bytes"
	"cmp"
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
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// rowOptions are the options of commands that make rows.
type rowOptions struct {
	progressFlags
	output string // "" for no file
	// partial summarises the rows so far. --progress json includes the summary,
	// at most once a second. Nil means no summary.
	partial func([]study.Row) any
}

func (o *rowOptions) register(flags *pflag.FlagSet) {
	flags.StringVarP(&o.output, "output", "o", "", "keep the rows as lines of JSON in a `FILE`, and continue from those already in it")
	o.addProgress(flags, "one object per line: done, total, method, k, split, what, left (seconds), or note")
}

// file returns the file of the rows. openRows finds out whether an existing
// file holds rows, and whether they belong to this plan.
func (o rowOptions) file() output.File {
	return output.File{Flag: "--output", Path: o.output, Own: func(string) bool { return true }}
}

// runner makes the rows of a plan that made lacks.
type runner func(ctx context.Context, plan *study.Plan, made []study.Row, report func(study.Progress) error) ([]study.Row, error)

// onDevice returns a runner that makes the rows of a comparison on a device.
func onDevice(on *device.Device) runner {
	return func(ctx context.Context, plan *study.Plan, made []study.Row, report func(study.Progress) error) ([]study.Row, error) {
		return plan.Run(ctx, on, made, report)
	}
}

// progressLine is a line of --progress json.
type progressLine struct {
	Done   int     `json:"done"`
	Total  int     `json:"total"`
	Method string  `json:"method"`
	K      int     `json:"k"`
	Split  int     `json:"split"`
	What   string  `json:"what"` // method, K and split as text
	Left   float64 `json:"left"` // seconds; 0 if unknown
	Report any     `json:"report,omitempty"`
}

// makeRows makes the rows of a plan for a kind of device. It starts from the rows
// in the file and saves each new one immediately. what describes a row. With an
// error, make also returns the rows made so far.
func (o rowOptions) makeRows(ctx context.Context, plan *study.Plan, kind string, run runner, messages io.Writer,
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

	bar := o.bar(messages)
	made, summarized := slices.Clone(file.rows), time.Time{}
	rows, runErr := run(ctx, plan, file.rows, func(p study.Progress) error {
		where := ""
		if p.Cell.Method != "" {
			if where = what(p.Cell); p.Stage != "" {
				where += ", " + p.Stage
			}
		}
		if p.Finished != nil {
			if err := file.add(*p.Finished); err != nil { // before reporting it: a failed report ends this process
				return err
			}
			made = append(made, *p.Finished)
		}
		var report any
		if o.lines != "" && !o.quiet && o.partial != nil && len(made) > 0 && time.Since(summarized) >= time.Second {
			report, summarized = o.partial(made), time.Now()
		}
		if err := o.write(messages, progressLine{p.Done, p.Total, p.Cell.Method, p.Cell.K, p.Cell.Split, where, p.Left.Seconds(), report}); err != nil {
			return err
		}
		bar.showStudy(p, unitOf(plan), where)
		return nil
	})
	bar.end()
	if err := file.finish(rows); err != nil && runErr == nil {
		runErr = err
	}
	if errs.Is(runErr, errs.Interrupted) && o.output != "" {
		runErr = errs.New(errs.Interrupted, "run the same command again to continue with "+o.output, "%s", errs.Of(runErr).What)
	}
	return rows, runErr
}

// deliver prints the rows with show, if there are any without an error. It
// returns the error that ended the study, or says which rows failed.
func deliver(made []study.Row, runErr error, show func() error) error {
	if runErr != nil && !slices.ContainsFunc(made, func(r study.Row) bool { return r.Error == "" }) {
		return runErr
	}
	return cmp.Or(show(), runErr, failedCells(made, ""))
}

// unitOf returns the name of a row of a plan.
func unitOf(plan *study.Plan) string {
	if plan.Fits {
		return "replica"
	}
	return "fit"
}

// failedCells returns an error of kind Failed if rows failed, else nil. remedy
// says what the user can do.
func failedCells(made []study.Row, remedy string) error {
	bad := slices.DeleteFunc(slices.Clone(made), func(r study.Row) bool { return r.Error == "" })
	if len(bad) == 0 {
		return nil
	}
	first := bad[0]
	return errs.New(errs.Failed, remedy, "%d of %s failed, the first one %s, %s, K = %d, split %d: %s",
		len(bad), phrase.Count(len(made), "fit"), first.Dataset, first.Method, first.K, first.Split, first.Error)
}

// rowFile is the file of --output. One process at a time appends whole lines to
// it and sorts it at the end. With the path "" there is no file.
type rowFile struct {
	rows  []study.Row // rows it contained
	notes []string    // warnings for the user

	path string // as given
	at   string // with symbolic links resolved
	lock *system.Lock
	open *os.File
	size int64 // of the whole lines
}

// openRows locks the file, reads its rows and opens it for add. check may
// reject the rows. openRows drops rows with an error, and a last line that is
// incomplete. The caller must close the file.
func openRows(path string, check func([]study.Row) error) (*rowFile, error) {
	f := &rowFile{path: path, at: path}
	if path == "" {
		return f, nil
	}
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return nil, errs.New(errs.Request, "name it "+strings.TrimSuffix(path, filepath.Ext(path))+".jsonl",
			"the output %s: rows are written as lines of JSON, not as CSV", path)
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil { // so that two links to a file share its lock
		f.at = direct
	}
	if err := f.begin(check); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// begin does the work of openRows. If it fails, the caller must close f.
func (f *rowFile) begin(check func([]study.Row) error) error {
	if err := f.acquireLock(); err != nil {
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
		return f.writeError(err)
	}
	info, err := f.open.Stat()
	if err != nil {
		return f.writeError(err)
	}
	f.size = info.Size()
	return nil
}

// acquireLock locks the file without waiting. If the file system has no locks, it adds
// a note and succeeds.
func (f *rowFile) acquireLock() error {
	l, err := takeLock(lockOf(f.at), "the output "+f.path)
	if err != nil {
		return err
	}
	if f.lock = l; l.Unsupported {
		f.notes = append(f.notes, f.path+" is on a file system without locks: take care that no other process writes to it")
	}
	return nil
}

// write replaces the file's content by these rows.
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

// add appends a row. If there is no room, it leaves no part of it.
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
		_ = f.open.Truncate(f.size) //nolint:errcheck // if this fails the next start cuts it off
		return f.writeError(err)
	}
	f.size += int64(n)
	return nil
}

// finish replaces the content by all rows, in order. The file stays locked
// until close.
func (f *rowFile) finish(rows []study.Row) error {
	if f.open == nil {
		return nil
	}
	return f.write(rows)
}

func (f *rowFile) writeError(err error) error {
	return errs.Wrap(system.Reason(err), errs.Failed, "free some space or choose another place", "%s cannot be written", f.path)
}

// close closes and unlocks the file.
func (f *rowFile) close() {
	if f.open != nil {
		f.open.Close()
	}
	if f.lock != nil {
		releaseLock(f.lock)
	}
}

// wholeRows parses the rows in a file's text. If the text ends in the middle of
// a row, the error is of kind Busy while another process writes to the file,
// and of kind Request otherwise.
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
	return nil, errs.New(errs.Request, "run the command that wrote it again: it continues after the last complete row",
		"%s ends in the middle of a row: %.60q", path, half)
}

// takeLock locks a path for this process without waiting. If another process
// has it, the error is of kind Busy. what names it in errors.
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

// releaseLock removes a lock and its file.
func releaseLock(l *system.Lock) {
	l.Remove()  //nolint:errcheck // the file stays, unlocked
	l.Release() //nolint:errcheck // the process ends
}

// lockOf returns the lock file of a file. It is next to the file rather than
// the file itself, because writing replaces the file.
func lockOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}
