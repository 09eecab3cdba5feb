package chart

import (
	"fmt"
	"strings"
)

func (f figure) text() string { return f.sparklines(40) }

// sparklines is a line a curve, with its first and last value, and the events.
func (f figure) sparklines(length int) string {
	var b strings.Builder
	fmt.Fprintln(&b, f.title)
	fmt.Fprintln(&b, f.subtitle[0])
	for _, p := range f.panels {
		for _, l := range p.lines {
			fmt.Fprintf(&b, "%-20s %s  %s → %s\n", shorten(plain(l.metric), 20), pad(sparkline(l.values, length), length), number(l.values[0]), number(l.values[len(l.values)-1]))
		}
	}
	for _, r := range f.rules {
		fmt.Fprintf(&b, "%s %s: %s\n", f.axis, number(r.at), r.text)
	}
	return b.String()
}
