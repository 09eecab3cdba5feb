package dataset

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/count"
)

// Division describes how rows that belong together, or that the user divides, come apart, a line each; "" where neither is so. The errors
// are those of [Split].
func Division(d *Dataset, s config.Settings) (string, error) {
	var b strings.Builder
	if g := d.Groups; g != nil {
		least, most := d.N, 0
		for _, rows := range g.rows() {
			least, most = min(least, len(rows)), max(most, len(rows))
		}
		sizes := fmt.Sprintf("%d to %s", least, count.Of(most, "row"))
		if least == most {
			sizes = fmt.Sprintf("%s each", count.Of(most, "row"))
		}
		fmt.Fprintf(&b, "%s: %s of %s\n", g.Column, count.Of(len(g.Names), "group"), sizes)
	}
	if d.folds != nil {
		for f, rows := range d.folds.rows() {
			fmt.Fprintf(&b, "%s: %s\n", d.folds.called(f), d.counted(rows))
		}
		return b.String(), nil
	}
	if err := checkClasses(d); err != nil {
		return "", err
	}
	p, err := Split(d, s)
	if err != nil {
		return "", err
	}
	for i, rows := range [][]int{p.Train, p.Validation, p.Test} {
		if len(rows) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", partWords()[i], d.counted(rows))
		}
	}
	return b.String(), nil
}

// counted is how many rows these are, of each class and of how many groups.
func (d *Dataset) counted(rows []int) string {
	counts, groups := make([]int, len(d.Classes)), map[int]bool{}
	for _, i := range rows {
		counts[d.Y[i]]++
		if d.Groups != nil {
			groups[d.Groups.Of[i]] = true
		}
	}
	classes := make([]string, len(counts))
	for c, n := range counts {
		classes[c] = fmt.Sprintf("%s (%d)", d.Classes[c], n)
	}
	text := fmt.Sprintf("%s, %s", count.Of(len(rows), "row"), strings.Join(classes, ", "))
	if d.Groups != nil {
		text += fmt.Sprintf(", of %s", count.Of(len(groups), "group"))
	}
	return text
}
