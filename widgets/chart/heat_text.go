package chart

import (
	"fmt"
	"strings"
)

// text lists the leader of each selector.
func (d heat) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, d.title)
	for _, line := range d.subtitle {
		fmt.Fprintln(&b, line)
	}
	for _, r := range d.rows {
		fmt.Fprintf(&b, "selector %3d  %s %s  %s\n", r.selector, bar(r.best, 10), chance(r.best), shorten(d.leader(r).name, 40))
	}
	return b.String()
}
