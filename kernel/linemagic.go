package kernel

import (
	"fmt"
	"strings"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/cell"
)

// runPart runs the line magics of a part of a cell, and then its Go code. It
// stops at the first error.
func (k *Kernel) runPart(e *execution, p part) error {
	timed := false // print how long the Go code took
	var body *cell.Timing
	for _, line := range p.magics {
		switch line.Words[0] {
		case "%time":
			if timed = true; !p.hasGo() || len(line.Words) > 1 {
				return errs.New(errs.Request, "write it above Go code, on a line of its own", "%%time: there is nothing to time")
			}
		case "%timeit":
			t, err := cell.ReadTiming(line)
			if err == nil && t.Statement == "" && !p.hasGo() {
				err = errs.New(errs.Request, "write a statement after it, or a body below", "%%timeit: there is nothing to time")
			}
			if err != nil {
				return err
			}
			if t.Statement == "" {
				body = &t
				continue
			}
			if err := k.runGo(e, strings.Repeat("\n", line.Line)+line.Text, &t); err != nil {
				return err
			}
		}
	}

	if !p.hasGo() {
		return nil
	}

	began := time.Now()
	err := k.runGo(e, p.rest.String(), body)
	if timed {
		e.print("stdout", fmt.Sprintf("%s, compiled and run\n", time.Since(began).Round(time.Millisecond)))
	}
	return err
}
