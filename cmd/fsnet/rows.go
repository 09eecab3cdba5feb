package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// rowOptions are those of the commands that make the rows of a comparison.
type rowOptions struct {
	Output string // "" is no file
	Quiet  bool
	Lines  string // of progress: "" or json
	// Partial is what the rows so far come to: --progress json says it, too, at most once a second. nil says nothing.
	Partial func([]compare.Row) any
}

// Add gives a command these options.
func (o *rowOptions) Add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.Output, "output", "o", "", "keep the rows as CSV in a `FILE`, and continue from those already in it")
	flags.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress bar")
	flags.StringVar(&o.Lines, "progress", "", "report progress on standard error as `json`, one object per line: done, total, method, k, "+
		"split, what, left (seconds), or note")
}

// Check refuses options that fit neither each other nor the data sets.
func (o rowOptions) Check(data ...string) error {
	if o.Lines != "" && o.Lines != "json" {
		return fault.New(fault.Request, "use --progress json, or leave it out", "progress = %.20s", o.Lines)
	}
	for _, name := range data {
		if o.Output != "" && sameFile(o.Output, name) {
			return fault.New(fault.Request, "name another file", "--output %s is a data set", o.Output)
		}
	}
	return nil
}

// Make makes the rows of a plan, beginning with those that the file has, and keeps each as soon as it is there. what says in words which
// row is being made. Rows that were made are returned with an error, too.
func (o rowOptions) Make(ctx context.Context, plan *compare.Plan, device *device.Device, messages io.Writer,
	what func(compare.Row) string) ([]compare.Row, error) {
	file, err := openRows(o.Output, comparisonFormat(plan, device))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for _, note := range file.Notes {
		if err := o.note(messages, note); err != nil {
			return nil, err
		}
	}
	bar := newBar(messages, o.Quiet || o.Lines != "")
	made, said := slices.Clone(file.Rows), time.Time{}
	rows, runErr := plan.Run(ctx, device, file.Rows, func(p compare.Progress) error {
		where := what(p.Cell)
		if p.Stage != "" {
			where += ", " + p.Stage
		}
		if p.Finished != nil {
			if err := file.Add(*p.Finished); err != nil { // before it is said: whoever stops listening ends this process
				return err
			}
			made = append(made, *p.Finished)
		}
		if o.Lines == "json" && !o.Quiet {
			var report any
			if o.Partial != nil && len(made) > 0 && time.Since(said) >= time.Second {
				report, said = o.Partial(made), time.Now()
			}
			if err := json.NewEncoder(messages).Encode(progressLine{p.Done, p.Total, p.Cell.Method, p.Cell.K, p.Cell.Split, where,
				p.Left.Seconds(), report}); err != nil {
				return err
			}
		}
		bar.Draw(float64(p.Done)/float64(p.Total), p.Done == p.Total, fmt.Sprintf("%d of %s  %s", p.Done, count.Of(p.Total, "fit"), where),
			leftText(p.Left.Seconds(), p.Left > 0 || p.Done == p.Total))
		return nil
	})
	bar.End()
	if err := file.Finish(rows); err != nil && runErr == nil {
		runErr = err
	}
	if fault.Is(runErr, fault.Interrupted) && o.Output != "" {
		runErr = fault.New(fault.Interrupted, "run the same command again to continue with "+o.Output, "%s", fault.Of(runErr).What)
	}
	return rows, runErr
}

// comparisonFormat is that of the rows of a comparison.
func comparisonFormat(plan *compare.Plan, device *device.Device) rowFormat[compare.Row] {
	return rowFormat[compare.Row]{
		Read: compare.Read,
		Write: func(rows []compare.Row) ([]byte, error) {
			var text bytes.Buffer
			err := compare.Write(&text, rows)
			return text.Bytes(), err
		},
		Line:   func(row compare.Row) ([]byte, error) { return row.Line(), nil },
		Check:  func(rows []compare.Row) error { return plan.Check(device.Name, rows) },
		Failed: func(row compare.Row) bool { return row.Error != "" },
	}
}

// note says something about the file of rows that is no error.
func (o rowOptions) note(messages io.Writer, text string) error {
	if o.Lines == "json" {
		return json.NewEncoder(messages).Encode(map[string]string{"note": text})
	}
	_, err := fmt.Fprintln(messages, text)
	return err
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

// failedCells is the error of rows that have one; remedy is what its reader can do.
func failedCells(made []compare.Row, remedy string) error {
	bad := slices.DeleteFunc(slices.Clone(made), func(r compare.Row) bool { return r.Error == "" })
	if len(bad) == 0 {
		return nil
	}
	first := bad[0]
	return fault.New(fault.Failed, remedy, "%d of %s failed, the first one %s, %s, K = %d, split %d: %s",
		len(bad), count.Of(len(made), "fit"), first.Dataset, first.Method, first.K, first.Split, first.Error)
}
