package forward

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
)

// tie is how far errors lie apart, as a part of them, that are the same but for rounding.
const tie = 1e-9

// choice is the columns chosen so far.
type choice struct {
	columns [][]float64 // of mean 0, all that there are
	taken   []baseline.Feature
	basis   [][]float64 // orthonormal, of what the chosen ones span
	barred  []bool      // by column: chosen, or like what was chosen
	error   float64     // E with those that were chosen
}

func newChoice(columns [][]float64) *choice {
	return &choice{columns: columns, barred: make([]bool, len(columns)), error: 1}
}

// next takes the column of the least error, the first of several, of those that say something that the chosen ones do not, and whose
// error is finite. It is false where there is none.
func (c *choice) next(errors []float64) bool {
	for {
		best := -1
		for j, e := range errors {
			if !c.barred[j] && !math.IsInf(e, 1) && (best < 0 || e < errors[best]*(1-tie)) {
				best = j
			}
		}
		if best < 0 {
			return false
		}
		c.barred[best] = true
		if !c.span(best) {
			continue
		}
		score := c.error - errors[best]
		if len(c.taken) > 0 {
			score = min(score, c.taken[len(c.taken)-1].Score)
		}
		c.taken = append(c.taken, baseline.Feature{Index: best, Score: score})
		c.error = errors[best]
		return true
	}
}

// span adds to the basis what a column has of its own, unless that is next to nothing.
func (c *choice) span(j int) bool {
	own := append([]float64(nil), c.columns[j]...)
	for _, q := range c.basis {
		floats.AddScaled(own, -floats.Dot(q, own), q)
	}
	length, whole := floats.Norm(own, 2), floats.Norm(c.columns[j], 2)
	if length == 0 || length < math.Sqrt(leastOwn)*whole {
		return false
	}
	floats.Scale(1/length, own)
	c.basis = append(c.basis, own)
	return true
}
