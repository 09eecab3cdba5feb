package dataset

import (
	"fmt"
	"strings"

	"fsnetlab/internal/phrase"
)

// Describe summarises the data for people. Its first line counts rows,
// features, the rows of each class and the missing values. The second line says
// where the data came from and what was noticed while reading.
func (d *Dataset) Describe() []string {
	counts := make([]int, len(d.Classes))
	for _, y := range d.Y {
		counts[y]++
	}
	classes := make([]string, len(counts))
	for i, n := range counts {
		classes[i] = fmt.Sprintf("%s (%d)", d.Classes[i], n)
	}
	kind := "classes"
	if d.Target != nil {
		kind = "a quantity:"
	}

	line := fmt.Sprintf("%s: %s, %s %s", d.Name, d.Size(), kind, strings.Join(classes, ", "))
	missing := 0
	for _, v := range d.X {
		if v != v {
			missing++
		}
	}
	if missing > 0 {
		line += ", " + phrase.Count(missing, "missing value")
	}
	return []string{line, d.Source}
}
