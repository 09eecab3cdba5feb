package trials

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
