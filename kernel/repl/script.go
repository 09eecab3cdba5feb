package repl

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/cell"
)

// longestLine is how long a line of a script may be, in bytes.
const longestLine = 1 << 20

// script runs lines one by one until the first error.
func (r *repl) script(ctx context.Context, lines io.Reader) error {
	defer r.keepAll(ctx)
	ctx, stop := r.interruptible(ctx)
	defer stop()
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, longestLine)
	for number := 1; scanner.Scan(); number++ {
		text, first := scanner.Text(), number
		for continues(text) && scanner.Scan() {
			number++
			text = cell.Join(text, scanner.Text())
		}
		l, err := parseLine(text)
		if err == nil && l.leave {
			return nil
		}
		if err == nil {
			err = r.execute(ctx, text)
		}
		if err != nil {
			r.screen.settle()
			f := fault.Of(err)
			return fault.New(f.Kind, forTerminal(f.Remedy), "line %d: %s", first, forTerminal(f.What))
		}
		if ctx.Err() != nil {
			return fault.New(fault.Interrupted, "", "interrupted in line %d; what ran is paused", first)
		}
	}
	if err := scanner.Err(); err != nil {
		return fault.Wrap(err, fault.Request, "give lines of text", "the script cannot be read")
	}
	return nil
}

// keepAll closes the sessions and says of those that were running where they stand.
func (r *repl) keepAll(ctx context.Context) {
	for _, line := range r.closeAll(context.WithoutCancel(ctx), true) {
		r.screen.message(fmt.Sprintf("fsnet: %s\n", line))
	}
}
