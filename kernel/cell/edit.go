package cell

import (
	"cmp"
	"slices"
	"strings"
)

// edit puts text into the place of a part of a line; line and bytes count from 0.
type edit struct {
	line, from, to int
	text           string
}

// edited is a cell with edits that do not overlap. Of those at the same place the first one comes first.
func edited(code string, list []edit) string {
	lines := strings.Split(code, "\n")
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Or(a.line-b.line, a.from-b.from) })
	for _, e := range slices.Backward(list) { // from the end, so that what is before it stays where it is
		lines[e.line] = lines[e.line][:e.from] + e.text + lines[e.line][e.to:]
	}
	return strings.Join(lines, "\n")
}
