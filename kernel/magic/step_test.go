package magic

import (
	"context"
	"testing"

	"fsnetlab/fsnet/session"
)

// BenchmarkStep is a line of one step, from the line to what the cell shows, with a host in a process of its own.
func BenchmarkStep(b *testing.B) {
	l, ctx := newLink(b, silence)
	i := New(Options{Host: func(context.Context) (session.Caller, error) { return l, nil }, Directory: in("."), NewID: func() string { return "id" }})
	out := &recorder{}
	run := func(line string) {
		parts, err := Split(line)
		if err == nil {
			err = i.Run(ctx, parts[0].Commands[0], out)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	run("%fsnet open leukemia data=planted k=3 epochs=1000000 stop=never")
	for b.Loop() {
		run("%fsnet step leukemia 1")
	}
}
