package metric

// Paired compares one series of scores with another one over the same
// splits.
type Paired struct {
	Difference float64 `json:"difference"` // mean of one − other
	Better     int     `json:"better"`     // splits on which one is larger
	Equal      int     `json:"equal"`      // splits on which both are equal
	Worse      int     `json:"worse"`      // splits on which other is larger
	// p-value of Wilcoxon's signed-rank test. It is too small, because
	// splits share rows. It is null for a single split, however many
	// trainings share it.
	P *float64 `json:"p"`
}

// Pair compares two series of the same length, with at least one value. It
// always sets P. If all values come from one split, the caller should remove
// it.
func Pair(one, other []float64) Paired {
	var p Paired
	for i, x := range one {
		p.Difference += x - other[i]
		switch {
		case x > other[i]:
			p.Better++
		case x < other[i]:
			p.Worse++
		default:
			p.Equal++
		}
	}
	p.Difference /= float64(len(one))
	p.P = new(Wilcoxon(one, other))
	return p
}
