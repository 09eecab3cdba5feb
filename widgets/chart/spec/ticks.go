package spec

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks returns the ticks of an axis that is length points long. It returns no
// ticks if the axis is hidden. If not all bands fit, only every nth one has a
// tick.
func (a Axis) ticks(length float64, upright bool) (list []plot.Tick) {
	if a.Hidden {
		return []plot.Tick{}
	}

	if a.Bands != nil {
		list = []plot.Tick{}
		each := length / float64(max(len(a.Bands), 1))
		room := smallText // for rotated names below an axis
		if upright {
			room = smallText - 2
		}

		stride := 1
		for stride < len(a.Bands) && each*float64(stride) < room {
			stride++
		}

		for i, name := range a.Bands {
			if i%stride == 0 {
				list = append(list, plot.Tick{Value: float64(i), Label: name})
			}
		}
		return list
	}

	about := max(2, int(length/50))
	if upright {
		about = min(8, max(2, int(length/25)))
	}

	values := linearTicks(a.Low, a.High, about)
	if a.Log {
		values = logTicks(a.Low, a.High, about)
	}

	for _, v := range values {
		if !a.Whole || v == math.Trunc(v) {
			text := label(v)
			if a.Silent {
				text = " " // with an empty label it would be a minor tick
			}
			list = append(list, plot.Tick{Value: v, Label: text})
		}
	}
	return list
}

// linearTicks returns about about round values from low to high, in steps of 1,
// 2, 2.5 or 5 times a power of ten.
func linearTicks(low, high float64, about int) (ticks []float64) {
	raw := (high - low) / float64(about)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= raw*0.99 {
			step = m * power
			break
		}
	}

	first := math.Ceil(low/step - 1e-9)
	for i := range 3 * about { // counting from first, which may be too large to grow by 1
		if v := (first + float64(i)) * step; v <= high+1e-9*step && (len(ticks) == 0 || v > ticks[len(ticks)-1]) {
			ticks = append(ticks, v)
		}
	}
	return ticks
}

// logTicks returns at most most powers of ten in a positive interval. If there
// are fewer than two, it also returns their multiples by 2 and 5.
func logTicks(low, high float64, most int) (ticks []float64) {
	first, last := int(math.Ceil(math.Log10(low)-1e-9)), int(math.Floor(math.Log10(high)+1e-9))

	stride := 1
	for (last-first)/stride+1 > most {
		stride++
	}

	multiples := []float64{1}
	if last-first < 1 {
		multiples, first, last = []float64{1, 2, 5}, first-1, last+1
	}

	for e := first; e <= last; e += stride {
		for _, m := range multiples {
			if v := m * math.Pow(10, float64(e)); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// label formats a tick as Vega's format ~g does: at most six digits, without
// trailing zeros.
func label(v float64) string {
	if math.Abs(v) < 1e-12 {
		return "0"
	}
	return strings.NewReplacer("e-0", "e-", "e+0", "e+").Replace(strconv.FormatFloat(v, 'g', 6, 64))
}
