package kernel

import (
	"fmt"
	"strings"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/cell"
)

// timing describes the line magics of a part of a cell.
type timing struct {
	cell       bool         // print how long the Go code took
	statements []statement  // to be timed
	body       *cell.Timing // time the Go code instead of running it; or nil
}

// statement is a %timeit line with a statement.
type statement struct {
	line cell.LineMagic
	cell.Timing
}

// timing reads the line magics of a part. The error is of kind Request.
func (p part) timing() (list timing, err error) {
	for _, line := range p.magics {
		switch line.Words[0] {
		case "%time":
			if list.cell = true; !p.hasGo() || len(line.Words) > 1 {
				return list, errs.New(errs.Request, "write it above Go code, on a line of its own", "%%time: there is nothing to time")
			}
		case "%timeit":
			t, err := cell.ReadTiming(line)
			if err == nil && t.Statement == "" && !p.hasGo() {
				err = errs.New(errs.Request, "write a statement after it, or a body below", "%%timeit: there is nothing to time")
			}
			switch {
			case err != nil:
				return list, err
			case t.Statement == "":
				list.body = &t
			default:
				list.statements = append(list.statements, statement{line, t})
			}
		}
	}
	return list, nil
}

// runPart runs the line magics of a part of a cell, and then its Go code. The first error ends it.
func (k *Kernel) runPart(e *execution, p part) error {
	times, err := p.timing()
	if err != nil {
		return err
	}
	for _, s := range times.statements {
		if err := k.runGo(e, strings.Repeat("\n", s.line.Line)+s.line.Text, &s.Timing); err != nil {
			return err
		}
	}
	if !p.hasGo() {
		return nil
	}

	began := time.Now()
	err = k.runGo(e, p.rest.String(), times.body)
	if times.cell {
		e.print("stdout", fmt.Sprintf("%s, compiled and run\n", time.Since(began).Round(time.Millisecond)))
	}
	return err
}
