package main

import (
	"context"
	"fmt"
	"io"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
)

// looked counts the looks at test rows that a command makes, and those made before it in the
// directory, by sessions and commands. A look that cannot be recorded is no reason to keep a result
// back.
type looked struct {
	here map[string]int     // by hash of the test rows: looks of this command
	seen map[[2]string]bool // hashes and settings of the looks of this command
}

// record records a look at test rows with settings, as [runs.RecordLook] does. A
// command that reads the same rows with the same settings again, such as that
// of replicas on one split, looks once.
func (l *looked) record(rows, settings string) {
	if l.here == nil {
		l.here, l.seen = map[string]int{}, map[[2]string]bool{}
	}
	look := [2]string{rows, settings}
	if l.seen[look] {
		return
	}
	l.seen[look] = true
	if runs.RecordLook("", rows, settings) == nil {
		l.here[rows]++
	}
}

// text says how often the test rows were looked at, if that was not for the
// first time. Of several splits, it names the largest number.
func (l *looked) text() string {
	before, most := 0, runs.Looks{}
	for rows, times := range l.here {
		all, err := runs.CountLooks("", rows)
		if err != nil || all.Times <= times {
			continue
		}
		if before++; all.Times > most.Times || all.Times == most.Times && all.Settings > most.Settings {
			most = all
		}
	}
	if before == 0 {
		return ""
	}
	text := session.Evaluation{TestLooks: most.Times, TestSettings: most.Settings}.Looks()
	if splits := len(l.here); splits > 1 {
		text = fmt.Sprintf("the test rows of %d of %d splits were looked at before; of one of them %s", before, splits, text)
	}
	return text
}

// print prints the text unless it is empty.
func (l *looked) print(messages io.Writer, quiet bool) {
	if text := l.text(); text != "" && !quiet {
		fmt.Fprintln(messages, text)
	}
}

// counting returns a runner that counts a look for each row that it makes.
func (l *looked) counting(run runner) runner {
	return func(ctx context.Context, plan *study.Plan, made []study.Row, report func(study.Progress) error) ([]study.Row, error) {
		return run(ctx, plan, made, func(p study.Progress) error {
			if p.Finished != nil && p.Finished.Error == "" {
				if rows, settings, err := plan.LookOf(*p.Finished); err == nil {
					l.record(rows, settings)
				}
			}
			return report(p)
		})
	}
}

// recordSplit records a look at the test rows that these settings divide off. It does nothing without
// test rows.
func (l *looked) recordSplit(data *dataset.Dataset, settings config.Settings) {
	parts, err := dataset.Split(data, settings)
	if err != nil || len(parts.Test) == 0 {
		return
	}
	settings = settings.ForData(len(parts.Train)).Paced(len(parts.Train), len(parts.Test))
	l.record(data.RowsHash(parts.Test), settings.LookID())
}
