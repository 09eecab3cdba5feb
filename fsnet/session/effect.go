package session

import (
	"fmt"
	"math"
)

// Effect is how a feature goes with the label in the training rows. The zero value is of a feature without two groups of values to compare.
type Effect struct {
	Class string `json:"class,omitempty"` // in which it stands out most, below the others with Size < 0; "" for a quantity
	// Size is Cohen's d, (mean in the class − mean elsewhere) / pooled standard deviation; of a quantity Pearson's r with its range.
	Size float64 `json:"size"`
}

// String is the effect in words, such as "AML +1.9".
func (e Effect) String() string {
	switch {
	case e.Size == 0:
		return "–"
	case e.Class == "":
		return fmt.Sprintf("r %+.2f", e.Size)
	}
	return fmt.Sprintf("%s %+.1f", e.Class, e.Size)
}

// Effects are those of the features, in their order; quantity says that the classes are the ranges of one.
func (r Rows) Effects(quantity bool) []Effect {
	list := make([]Effect, len(r.Features))
	for i, f := range r.Features {
		if quantity {
			list[i] = Effect{Size: correlation(r.Train.Class, f.Train)}
			continue
		}
		for c, name := range r.Classes {
			// Of two classes the higher one is named; of more, one that stands out below the others is named with its sign.
			if d := cohen(r.Train.Class, f.Train, c); math.Abs(d) > math.Abs(list[i].Size) || (len(r.Classes) == 2 && d > list[i].Size) {
				list[i] = Effect{name, d}
			}
		}
	}
	return list
}

const (
	// StripParts is into how many parts a line of text divides a feature's range for each class.
	StripParts = 9
	// mostStrips is how many classes stand beside each other on a line.
	mostStrips = 3
)

// Histograms are the training rows of each feature (first index) in each class (second): how many lie in each of so many equal parts of the
// feature's range. Nil of more than three classes, which would not fit on a line, and of features that do not vary.
func (r Rows) Histograms(parts int) [][][]int {
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
			list[i][c] = make([]int, parts)
		}
		for row, v := range f.Train {
			if x := float64(v); !math.IsNaN(x) {
				list[i][r.Train.Class[row]][min(int(float64(parts)*((x-low)/(high-low))), parts-1)]++
			}
		}
	}
	return list
}

// cohen is d of the values in one class against those elsewhere; 0 where either has fewer than two or nothing varies.
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

// correlation is Pearson's r of the values with the number of their range; 0 where either does not vary.
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

// Answer is the evaluation in one sentence: how many rows were right, the accuracy with its 95 % interval (Wilson's), and what always
// guessing reaches.
func (e Evaluation) Answer() string {
	part := e.Part
	switch part {
	case "test":
		part = "unseen"
	case "train":
		part = "training"
	}
	score := e.Score.Value
	if e.Score.Metric.Quantity() {
		return fmt.Sprintf("R² %.3f on %d %s rows, root mean squared error %.4g; always guessing the mean would give R² 0",
			score, e.Rows, part, *e.RMSE)
	}
	right := int(math.Round(score * float64(e.Rows)))
	low, high := wilson(right, e.Rows)
	return fmt.Sprintf("%d of %d %s rows right: accuracy %.3f (95 %% interval %.2f to %.2f), balanced %.3f; always guessing the most frequent "+
		"class would give %.3f", right, e.Rows, part, score, low, high, *e.BalancedAccuracy, e.Guess)
}

// wilson is the 95 % interval of a share k of n.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	centre, half := (p+z*z/(2*m))/(1+z*z/m), z/(1+z*z/m)*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, centre-half), min(1, centre+half)
}
