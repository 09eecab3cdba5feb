package trials

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"fsnetlab/widgets/chart/words"
)

// judge is whoever says how good the features are that methods selected.
type judge struct {
	name, title     string
	figure, figures string  // what it says of one method, and of all
	least           float64 // that it can say
	of              func(ComparedMethod) *ComparedSpread
}

func accuracyBy(name, title string, of func(ComparedMethod) *ComparedSpread) judge {
	return judge{name, title, title + " accuracy", title + " accuracies", 0, of}
}

// judges are those of a comparison that have figures; the one by whom methods are ranked and tested is the first, also without. A quantity
// has one, which says R².
func (c Compared) judges() []judge {
	if c.quantity() {
		return []judge{{"kernel-ridge", "kernel ridge", "R²", "kernel ridge's R²", math.Inf(-1),
			func(m ComparedMethod) *ComparedSpread { return m.R2 }}}
	}
	all := []judge{
		accuracyBy("svm", "SVM", func(m ComparedMethod) *ComparedSpread { return m.AccuracySVM }),
		accuracyBy("knn", "kNN", func(m ComparedMethod) *ComparedSpread { return m.AccuracyKNN }),
		accuracyBy("logistic", "logistic", func(m ComparedMethod) *ComparedSpread { return m.AccuracyLogistic }),
	}
	first := max(0, slices.IndexFunc(all, func(j judge) bool { return j.name == c.Judge }))
	list := []judge{all[first]}
	for i, j := range all {
		if i != first && slices.ContainsFunc(c.Entries, func(m ComparedMethod) bool { return j.of(m) != nil }) {
			list = append(list, j)
		}
	}
	return list
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
