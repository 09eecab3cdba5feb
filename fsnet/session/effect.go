package session

import (
	"fmt"
	"math"
	"strings"

	"fsnetlab/internal/phrase"
)

// Effect is the association of a feature with the label in the training rows.
// If there are not two groups of values to compare, it is the zero value.
type Effect struct {
	// The class in which the feature stands out most, below the others if
	// Size < 0. It is "" for a quantity.
	Class string `json:"class,omitempty"`
	// Cohen's d, (mean in the class − mean elsewhere) / pooled standard
	// deviation; for a quantity, Pearson's r with the number of its range
	Size float64 `json:"size"`
}

// String returns the effect in words, e.g. "AML +1.9".
func (e Effect) String() string {
	switch {
	case e.Size == 0:
		return "–"
	case e.Class == "":
		return fmt.Sprintf("r %+.2f", e.Size)
	}
	return fmt.Sprintf("%s %+.1f", e.Class, e.Size)
}

// Effects returns the effect of each feature. quantity says that the classes
// are ranges of a quantity.
func (r Rows) Effects(quantity bool) []Effect {
	list := make([]Effect, len(r.Features))
	for i, f := range r.Features {
		if quantity {
			list[i] = Effect{Size: correlation(r.Train.Class, f.Train)}
			continue
		}
		for c, name := range r.Classes {
			// If there are two classes, name the one with the higher mean. If
			// there are more, a class may also stand out below the others, with
			// a minus.
			if d := cohen(r.Train.Class, f.Train, c); math.Abs(d) > math.Abs(list[i].Size) || (len(r.Classes) == 2 && d > list[i].Size) {
				list[i] = Effect{name, d}
			}
		}
	}
	return list
}

// A line of text has room for histograms of this many classes, each with
// this many parts.
const (
	mostStrips = 3
	stripParts = 9
)

// Histograms counts the training rows of each feature (first index) and
// class (second index) in nine equal parts of the feature's range. The entry
// of a feature that does not vary is nil. If there are more than three
// classes, all entries are nil, because a line has no room for them.
func (r Rows) Histograms() [][][]int {
	list := make([][][]int, len(r.Features))
	if len(r.Classes) > mostStrips {
		return list
	}
	for i, f := range r.Features {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range f.Train {
			if x := float64(v); !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
		if !(low < high) {
			continue
		}

		list[i] = make([][]int, len(r.Classes))
		for c := range r.Classes {
			list[i][c] = make([]int, stripParts)
		}
		for row, v := range f.Train {
			if x := float64(v); !math.IsNaN(x) {
				list[i][r.Train.Class[row]][min(int(stripParts*((x-low)/(high-low))), stripParts-1)]++
			}
		}
	}
	return list
}

// cohen returns d of the values in one class against all others. It returns
// 0 if either side has fewer than two values, or if nothing varies.
func cohen(class []int, values []Value, of int) float64 {
	var n, mean, squares [2]float64
	for i, v := range values {
		if x := float64(v); !math.IsNaN(x) {
			g := 0
			if class[i] == of {
				g = 1
			}
			n[g]++
			delta := x - mean[g]
			mean[g] += delta / n[g]
			squares[g] += delta * (x - mean[g])
		}
	}
	if n[0] < 2 || n[1] < 2 || squares[0]+squares[1] <= 0 {
		return 0
	}
	return (mean[1] - mean[0]) / math.Sqrt((squares[0]+squares[1])/(n[0]+n[1]-2))
}

// correlation returns Pearson's r of the values with the number of their
// range. It returns 0 if either does not vary.
func correlation(class []int, values []Value) float64 {
	var n, meanX, meanY, xx, yy, xy float64
	for i, v := range values {
		if x, y := float64(v), float64(class[i]); !math.IsNaN(x) {
			n++
			dx, dy := x-meanX, y-meanY
			meanX += dx / n
			meanY += dy / n
			xx += dx * (x - meanX)
			yy += dy * (y - meanY)
			xy += dx * (y - meanY)
		}
	}
	if xx <= 0 || yy <= 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// Answer describes the evaluation in one sentence: how many rows were right,
// the accuracy with its 95 % interval (over donors or pairs if rows belong
// together), and the accuracy of the best constant guess. It also names classes
// without rows.
func (e Evaluation) Answer() string {
	part := e.Part
	switch part {
	case "test":
		part = "unseen"
	case "train":
		part = "training"
	}
	rows := fmt.Sprintf("%d %s rows", e.Rows, part)
	if e.Units > 0 {
		rows += " of " + phrase.Count(e.Units, e.Unit)
	}

	score := e.Score.Value
	if e.Score.Metric.Quantity() {
		return fmt.Sprintf("R² %.3f on %s, root mean squared error %.4g; always guessing the mean would give R² 0", score, rows, *e.RMSE)
	}

	interval := ""
	if e.Low != nil && e.High != nil {
		interval = fmt.Sprintf(" (95 %% interval %.2f to %.2f)", *e.Low, *e.High)
	}

	text := fmt.Sprintf("%d of %s right: accuracy %.3f%s, balanced %.3f; always guessing the most frequent class would give %.3f",
		int(math.Round(score*float64(e.Rows))), rows, score, interval, *e.BalancedAccuracy, e.Guess)
	if absent := e.Absent(); len(absent) > 0 {
		text += fmt.Sprintf("; none of these rows is of class %s, so the accuracy says nothing about telling it apart", strings.Join(absent, " or "))
	}
	return text
}

// Absent returns the classes without rows in the evaluation.
func (e Evaluation) Absent() (classes []string) {
	for i, counts := range e.Confusion {
		n := 0
		for _, count := range counts {
			n += count
		}
		if n == 0 && i < len(e.Classes) {
			classes = append(classes, e.Classes[i])
		}
	}
	return classes
}
