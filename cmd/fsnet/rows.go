package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
)

// rowsOptions are those of the commands that make the rows of a comparison.
type rowsOptions struct {
	output string
	quiet  bool
	lines  string // of progress: "" or json
}

func (o *rowsOptions) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.output, "output", "o", "", "keep the rows as CSV in a `FILE`, and go on with those that it has")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "no progress bar")
	flags.StringVar(&o.lines, "progress", "", "progress to standard error as `json`, an object a line: done, total, method, k, split, what, left (seconds), or note")
}

// check refuses options that fit neither each other nor the data sets.
func (o rowsOptions) check(data ...string) error {
	if o.lines != "" && o.lines != "json" {
		return fault.New(fault.Request, "use --progress json, or leave it out", "progress = %.20s", o.lines)
	}
	for _, name := range data {
		if o.output != "" && same(o.output, name) {
			return fault.New(fault.Request, "name another file", "--output %s is a data set", o.output)
		}
	}
	return nil
}

// make makes the rows of a plan, beginning with those that the file has, and keeps each as soon as it is there. what says in words which row
// is being made. Rows that were made are returned with an error, too.
func (o rowsOptions) make(ctx context.Context, plan *compare.Plan, device *device.Device, messages io.Writer, what func(compare.Row) string) ([]compare.Row, error) {
	file, err := openRows(o.output, plan, device)
	if err != nil {
		return nil, err
	}
	defer file.close()
	for _, note := range file.notes {
		if err := o.note(messages, note); err != nil {
			return nil, err
		}
	}
	bar := newProgressBar(messages, o.quiet || o.lines != "")
	rows, runErr := plan.Run(ctx, device, file.rows, func(p compare.Progress) error {
		if o.lines == "json" && !o.quiet {
			if err := json.NewEncoder(messages).Encode(rowsProgress{p.Done, p.Total, p.Cell.Method, p.Cell.K, p.Cell.Split, what(p.Cell), p.Left.Seconds()}); err != nil {
				return err
			}
		}
		bar.draw(float64(p.Done)/float64(p.Total), p.Done == p.Total, fmt.Sprintf("%d of %d rows  %s", p.Done, p.Total, what(p.Cell)), leftText(p.Left.Seconds(), p.Left > 0 || p.Done == p.Total))
		if p.Finished == nil {
			return nil
		}
		return file.add(*p.Finished)
	})
	bar.end()
	if err := file.finish(rows); err != nil && runErr == nil {
		runErr = err
	}
	if fault.Is(runErr, fault.Interrupted) && o.output != "" {
		runErr = fault.New(fault.Interrupted, "run the same command again to continue with "+o.output, "%s", fault.Of(runErr).What)
	}
	return rows, runErr
}

// note says something about the file of rows that is no error.
func (o rowsOptions) note(messages io.Writer, text string) error {
	if o.lines == "json" {
		return json.NewEncoder(messages).Encode(map[string]string{"note": text})
	}
	_, err := fmt.Fprintln(messages, text)
	return err
}

// rowsProgress is where a command is.
type rowsProgress struct {
	Done   int     `json:"done"`
	Total  int     `json:"total"`
	Method string  `json:"method"`
	K      int     `json:"k"`
	Split  int     `json:"split"`
	What   string  `json:"what"` // the same in words
	Left   float64 `json:"left"` // seconds; 0 where it is not known
}
