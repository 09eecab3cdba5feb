package record

import "math"

// The line that SettlesAt lays through the latest looks at P.
const (
	fewestLooks = 4
	mostLooks   = 20
	// farthestEstimate is in lengths of the annealing: what lies beyond is no estimate.
	farthestEstimate = 10
)

// SettlesAt estimates the step at which a selector settles: the logit of its leader's probability, as far as that leader has led, is
// extrapolated to settledProbability by least squares. settle is how many steps a leader must have led, of the steps of the annealing. It
// is nil where the line does not rise by more than twice its standard error.
func (r *Record) SettlesAt(selector, settle, steps int) *int {
	if len(r.looks) == 0 {
		return nil
	}
	last := r.looks[len(r.looks)-1]
	first := len(r.looks) - 1
	for first > 0 && len(r.looks)-first < mostLooks && r.looks[first-1].leaders[selector] == last.leaders[selector] {
		first--
	}
	earliest, at := float64(r.Since(selector)+settle), 0.0
	if !(last.leading[selector] >= settledProbability) {
		var line leastSquares
		for _, l := range r.looks[first:] {
			line.add(float64(l.Step), logit(l.leading[selector]))
		}
		height, slope, spread := line.fit(float64(last.Step))
		if line.n < fewestLooks || !(slope > 2*spread) {
			return nil
		}
		at = float64(last.Step) + max(0, (logit(settledProbability)-height)/slope)
	}
	at = math.Ceil(max(at, earliest))
	if !(at <= farthestEstimate*float64(steps)) {
		return nil
	}
	step := int(at)
	return &step
}

func logit(p float64) float64 {
	p = min(max(p, 1e-9), 1-1e-9)
	return math.Log(p / (1 - p))
}

// leastSquares is a line through points.
type leastSquares struct {
	n    float64
	x, y []float64
}

func (l *leastSquares) add(x, y float64) {
	l.n++
	l.x, l.y = append(l.x, x), append(l.y, y)
}

// fit is the line's height at x, its slope, and the standard error of the slope.
func (l *leastSquares) fit(x float64) (height, slope, spread float64) {
	var meanX, meanY, xx, xy, rest float64
	for i := range l.x {
		meanX += l.x[i] / l.n
		meanY += l.y[i] / l.n
	}
	for i := range l.x {
		xx += (l.x[i] - meanX) * (l.x[i] - meanX)
		xy += (l.x[i] - meanX) * (l.y[i] - meanY)
	}
	slope = xy / xx
	for i := range l.x {
		off := l.y[i] - meanY - slope*(l.x[i]-meanX)
		rest += off * off
	}
	return meanY + slope*(x-meanX), slope, math.Sqrt(rest / (l.n - 2) / xx)
}
