package study

import "slices"

// Figures are what a list of K features, the best first, has of the truth.
type Figures struct {
	Power float64 `json:"power"` // share of the causal columns that are on the list
	FDR   float64 `json:"fdr"`   // share of the list that is not causal; 0 of an empty list
	// AUPRC is the area under precision against recall as the mean, over the causal columns, of the precision at the rank of each; one that
	// is not on the list adds 0, so that it is a lower bound of that of a ranking of all columns, and the same for all lists of K.
	AUPRC float64 `json:"auprc"`
	// The same where look-alikes count: a causal column is found with the first of the list that is it or a look-alike of it, and what is
	// either is not false; at its rank it counts once, however many of its look-alikes follow.
	PowerAlike float64 `json:"power_alike"`
	FDRAlike   float64 `json:"fdr_alike"`   // share of the list that is neither causal nor a look-alike of what is
	AUPRCAlike float64 `json:"auprc_alike"` // the same area where look-alikes count
}

// Judge is what a list of columns has of the truth.
func (t Truth) Judge(list []int) Figures {
	var f Figures
	f.Power, f.FDR, f.AUPRC = t.judge(list, func(k, j int) bool { return t.Causal[k] == j })
	f.PowerAlike, f.FDRAlike, f.AUPRCAlike = t.judge(list, func(k, j int) bool { return t.Causal[k] == j || slices.Contains(t.alike[k], j) })
	return f
}

// judge counts with a rule by which column j stands for the causal column at k. Precision at a rank is the causal columns found up to it,
// as a part of these and of what was false.
func (t Truth) judge(list []int, stands func(k, j int) bool) (power, fdr, auprc float64) {
	found := make([]bool, len(t.Causal))
	hits, wrong := 0.0, 0.0
	for _, j := range list {
		is := false
		for k := range t.Causal {
			if !stands(k, j) {
				continue
			}
			is = true
			if !found[k] {
				found[k] = true
				hits++
				auprc += hits / (hits + wrong) / float64(len(t.Causal))
			}
		}
		if !is {
			wrong++
		}
	}
	if len(list) > 0 {
		fdr = wrong / float64(len(list))
	}
	return hits / float64(len(t.Causal)), fdr, auprc
}
