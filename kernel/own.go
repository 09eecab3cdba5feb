package kernel

import (
	"fmt"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/own"
	"fsnetlab/kernel/wire"
)

// runOwn does the kernel's own lines of a part of a cell, and then its Go code.
func (k *Kernel) runOwn(e *execution, p part) outcome {
	lines := own.Cell{
		Code: e.request.Code, Count: e.count, HasGo: e.text.hasGo(), History: &k.history, Output: e.output, Directory: k.gonb.workingDirectory(),
		Declared: func() (list []gonb.Declared) {
			if child := k.gonb.keeper.Current(); child != nil {
				list = child.Declared()
			}
			return list
		},
	}
	timed := false // how long the Go code took is said
	var body *cell.Timing
	for _, line := range p.own {
		switch line.Words[0] {
		case "%time":
			if timed = true; !p.hasGo() || len(line.Words) > 1 {
				return outcome{fault: fault.New(fault.Request, "write it above Go code, on a line of its own", "%%time: there is nothing to time")}
			}
		case "%timeit":
			t, err := cell.ReadTiming(line)
			if err == nil && t.Statement == "" && !p.hasGo() {
				err = fault.New(fault.Request, "write a statement after it, or a body below", "%%timeit: there is nothing to time")
			}
			if err != nil {
				return outcome{fault: err}
			}
			if t.Statement == "" {
				body = &t
				continue
			}
			if end := k.runGo(e, strings.Repeat("\n", line.Line)+line.Text, &t); end.failed() {
				return end
			}
		default:
			if err := lines.Run(line); err != nil {
				return outcome{fault: err}
			}
		}
	}
	if !p.hasGo() {
		return outcome{}
	}
	began := time.Now()
	end := k.runGo(e, p.rest.String(), body)
	if timed {
		e.publish("stream", wire.Stream{Name: "stdout", Text: fmt.Sprintf("%s, compiled and run\n", time.Since(began).Round(time.Millisecond))})
	}
	return end
}
