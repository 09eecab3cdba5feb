package trials

import (
	"fmt"
	"unicode/utf8"

	"fsnetlab/widgets/chart/words"
)

// judge is one whose accuracies a comparison has.
type judge struct {
	name, title string
	of          func(m ComparedMethod) *ComparedSpread
}

// judges are the SVM, and those beside it of which any method has figures.
func (c Compared) judges() []judge {
	list := []judge{{"svm", "SVM", func(m ComparedMethod) *ComparedSpread { return m.AccuracySVM }}}
	for _, j := range []judge{
		{"knn", "kNN", func(m ComparedMethod) *ComparedSpread { return m.AccuracyKNN }},
		{"logistic", "logistic", func(m ComparedMethod) *ComparedSpread { return m.AccuracyLogistic }},
	} {
		for _, m := range c.Entries {
			if j.of(m) != nil {
				list = append(list, j)
				break
			}
		}
	}
	return list
}

// ranker is the title of the judge by whom methods are ranked and tested.
func (c Compared) ranker() string {
	for _, j := range c.judges() {
		if j.name == c.Judge {
			return j.title
		}
	}
	return "SVM"
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
