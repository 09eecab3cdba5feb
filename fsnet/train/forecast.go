package train

import "math"

// The line that settlesAt lays through the latest looks at P.
const (
	fewestLooks = 4
	mostLooks   = 20
	// farthestEstimate is in lengths of the annealing: what lies beyond is no estimate.
	farthestEstimate = 10
)

// changes counts how often the leader of a row of P was another one than at the look before.
func (r *history) changes(selector int) int {
	count := 0
	for i := 1; i < len(r.observations); i++ {
		if r.observations[i].leaders[selector] != r.observations[i-1].leaders[selector] {
			count++
		}
	}
	return count
}

// forecast estimates the step at which a selector settles: the logit of its leader's probability, as far as that leader has led, is
// extrapolated to settledProbability by least squares. It is nil where the line does not rise by more than twice its standard error.
func (t *Training) forecast(selector int) *int {
	looks := t.history.observations
	if len(looks) == 0 {
		return nil
	}
	last := looks[len(looks)-1]
	first := len(looks) - 1
	for first > 0 && len(looks)-first < mostLooks && looks[first-1].leaders[selector] == last.leaders[selector] {
		first--
	}
	earliest, at := float64(t.convergence.since[selector]+t.settleTime()), 0.0
	if !(last.leading[selector] >= settledProbability) {
		var line leastSquares
		for _, o := range looks[first:] {
			line.add(float64(o.step), logit(o.leading[selector]))
		}
		height, slope, spread := line.fit(float64(last.step))
		if line.n < fewestLooks || !(slope > 2*spread) {
			return nil
		}
		at = float64(last.step) + max(0, (logit(settledProbability)-height)/slope)
	}
	at = math.Ceil(max(at, earliest))
	if !(at <= farthestEstimate*float64(t.Steps())) {
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
