package chart

import (
	"fmt"
	"strings"
)

func (d heat) text() string { return d.leaders(40) }

func (d heat) terminal(columns int, _ bool) string { return d.leaders(min(40, max(8, columns-31))) }

// leaders lists the leader of each selector, its name in so many characters.
func (d heat) leaders(length int) string {
	var b strings.Builder
	fmt.Fprintln(&b, d.title)
	for _, line := range d.subtitle {
		fmt.Fprintln(&b, line)
	}
	for _, r := range d.rows {
		fmt.Fprintf(&b, "selector %3d  %s %s  %s\n", r.selector, bar(r.best, 10), chance(r.best), shorten(d.leader(r).name, length))
	}
	return b.String()
}
