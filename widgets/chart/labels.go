package chart

import (
	"fmt"
	"unicode/utf8"

	"fsnetlab/fsnet/session"
)

// heatColumns gives each feature a label that fits and that no other has: where two are called the same, or begin the same for as long
// as there is room, the column of the file is added.
func heatColumns(m session.Matrix) []heatColumn {
	columns, count := make([]heatColumn, len(m.Names)), map[string]int{}
	for j, name := range m.Names {
		name = plain(name)
		columns[j] = heatColumn{name: name, label: shorten(name, labelLength), index: m.Index[j]}
		count[columns[j].label]++
	}
	used := map[string]bool{}
	for j := range columns {
		c := &columns[j]
		if c.label == "" || count[c.label] > 1 {
			c.label = withEnding(c.name, fmt.Sprintf("#%d", c.index))
		}
		for n := 2; used[c.label]; n++ { // the same column twice
			c.label = withEnding(c.name, fmt.Sprintf("#%d/%d", c.index, n))
		}
		used[c.label] = true
	}
	return columns
}

// withEnding shortens a name so that the ending has room after it.
func withEnding(name, ending string) string {
	return shorten(name, max(2, labelLength-utf8.RuneCountInString(ending))) + ending
}
