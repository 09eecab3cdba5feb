// Package axis is scales with round ticks, for drawings.
//
//	y := axis.Linear(0, 1, 5) // about five ticks
//	top := height * (1 - y.At(0.8))
//
// # Basics
//
// An [Axis] places a value between 0, its lower end, and 1, its upper one: At as it is, Within kept on the axis. [Linear] makes one with
// round ticks; [LogTicks] are those of a logarithmic one. [Label] writes a tick.
//
// # Caveats
//
// A logarithmic axis needs positive ends. "About" so many ticks are as many as round steps of 1, 2, 2.5 or 5 give.
package axis

import (
	"math"
	"strconv"
	"strings"
)

// Axis is a scale with its ticks.
type Axis struct {
	Low, High float64
	Log       bool
	Ticks     []float64
}

// Linear has about so many ticks.
func Linear(low, high float64, about int) Axis {
	return Axis{Low: low, High: high, Ticks: linearTicks(low, high, about)}
}

// At is where a value stands: 0 at the lower end, 1 at the upper.
func (a Axis) At(v float64) float64 {
	if a.Log {
		return math.Log(v/a.Low) / math.Log(a.High/a.Low)
	}
	return (v - a.Low) / (a.High - a.Low)
}

// Within keeps a value on the axis.
func (a Axis) Within(v float64) float64 { return a.At(min(max(v, a.Low), a.High)) }

// linearTicks are round values inside an interval, about so many: steps of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64, about int) []float64 {
	if !(high > low) {
		return []float64{low}
	}
	raw := (high - low) / float64(max(about, 1))
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= raw*0.99 {
			step = m * power
			break
		}
	}
	var ticks []float64
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		ticks = append(ticks, tidy(i*step))
	}
	return ticks
}

// LogTicks are powers of ten inside a positive interval, at most so many; where there are fewer than two, also their double and fivefold.
func LogTicks(low, high float64, most int) []float64 {
	first, last := int(math.Ceil(math.Log10(low)-1e-9)), int(math.Floor(math.Log10(high)+1e-9))
	stride := 1
	for (last-first)/stride+1 > max(most, 2) {
		stride++
	}
	var ticks []float64
	if last-first >= 1 {
		for e := first; e <= last; e += stride {
			ticks = append(ticks, Power(1, e))
		}
		return ticks
	}
	for e := first - 1; e <= last+1; e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := Power(m, e); v >= low && v <= high {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// Power is m·10ᵉ without what arithmetic adds after the tenth digit.
func Power(m float64, e int) float64 { return tidy(m * math.Pow(10, float64(e))) }

// tidy takes away what arithmetic adds after the tenth digit.
func tidy(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil {
		return v
	}
	return r + 0 // -0 becomes 0
}

// Label writes a tick as Vega's format ~g does: at most six digits, without zeros at the end.
func Label(v float64) string {
	s := strconv.FormatFloat(v, 'g', 6, 64)
	return strings.NewReplacer("e-0", "e-", "e+0", "e+").Replace(s)
}
