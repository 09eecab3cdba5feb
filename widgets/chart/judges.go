package chart

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"fsnetlab/widgets/chart/words"
)

// judge says how good the features are that methods selected.
type judge struct {
	figure, figures string  // what it says of one method, and of all
	least           float64 // that it can say
	of              func(ComparedMethod) *ComparedSpread
}

// judge is the support vector machine, or of a quantity the kernel ridge regression.
func (c Compared) judge() judge {
	if c.quantity() {
		return judge{"R²", "kernel ridge's R²", math.Inf(-1), func(m ComparedMethod) *ComparedSpread { return m.R2 }}
	}
	return judge{"SVM accuracy", "SVM accuracies", 0, func(m ComparedMethod) *ComparedSpread { return m.AccuracySVM }}
}

// quantity is whether the label is one.
func (c Compared) quantity() bool {
	return slices.ContainsFunc(c.Entries, func(m ComparedMethod) bool { return m.R2 != nil })
}

// methodLabels are the names that a picture has room for, by method. One that is cut is followed by its number in the table, so that two
// that begin alike, as FsNet's do with settings of their own, are told apart.
func methodLabels(c Compared) map[string]string {
	const most = 48
	labels := map[string]string{}
	for i, m := range c.Entries {
		label := words.Plain(m.Method)
		if number := fmt.Sprintf(" (%d.)", i+1); utf8.RuneCountInString(label) > most {
			label = words.Shorten(label, most-len(number)) + number
		}
		labels[m.Method] = label
	}
	return labels
}
