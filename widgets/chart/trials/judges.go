package trials

import "slices"

// judge is whoever says how good the selected features of methods are.
type judge struct {
	name, title string
	of          func(ComparedMethod) *ComparedSpread
}

// judges are those of a comparison that have figures, the one that it goes by first, also without.
func (c Compared) judges() []judge {
	all := []judge{
		{"svm", "SVM", func(m ComparedMethod) *ComparedSpread { return m.AccuracySVM }},
		{"knn", "kNN", func(m ComparedMethod) *ComparedSpread { return m.AccuracyKNN }},
		{"logistic", "logistic", func(m ComparedMethod) *ComparedSpread { return m.AccuracyLogistic }},
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
