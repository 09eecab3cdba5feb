package metric

// Paired compares one series of scores with another over the same splits.
type Paired struct {
	Difference float64 `json:"difference"` // mean of the one − the other
	Better     int     `json:"better"`     // splits on which the one is larger
	Equal      int     `json:"equal"`      // splits on which both are equal
	Worse      int     `json:"worse"`      // splits on which the other is larger
	// p-value of Wilcoxon's signed-rank test; too small, since splits share rows; null for a single
	// split, however many trainings share it
	P *float64 `json:"p"`
}

// Pair compares two series of the same length, of one value at least. It always sets P: a caller
// whose values all come from one split removes it.
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
