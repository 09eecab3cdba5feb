package train

import (
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// The floor is what the best constant guess reaches on the rows that are
// tested, not what the training's most frequent class does. A class without a
// row among them is named.
func TestTraining_Floor(t *testing.T) {
	on := must(device.Open(t.Context(), "go"))
	defer on.Close()
	for name, c := range map[string]struct {
		testOf func(i int) bool // case is the class of even rows
		guess  float64
		absent []string
	}{
		"shift":     {func(i int) bool { return i < 36 && i%2 == 0 || i == 1 || i == 3 }, 0.9, nil}, // 18 of 20 are case, most of the training is ctl
		"one class": {func(i int) bool { return i < 20 && i%2 == 0 }, 1, []string{"ctl"}},
		"balanced":  {func(i int) bool { return i < 20 }, 0.5, nil},
	} {
		const n = 80
		r := num.RNG(1, "floor")
		x, labels := make([]float32, n*4), make([]string, n)
		var parts dataset.Parts
		for i := range n {
			labels[i] = []string{"case", "ctl"}[i%2]
			for j := range 4 {
				x[i*4+j] = float32(r.NormFloat64())
			}
			if c.testOf(i) {
				parts.Test = append(parts.Test, i)
			} else {
				parts.Train = append(parts.Train, i)
			}
		}
		data := must(must(dataset.New("floor", x, nil, labels)).WithSplit(parts))
		training := open(t, on, data, config.Config{K: 2, Epochs: 1, Backend: "go"})
		e := must(training.Evaluate(session.Test))
		if math.Abs(e.Guess-c.guess) > 1e-12 || !slices.Equal(e.Absent(), c.absent) {
			t.Errorf("%s: always guessing gives %g, absent %q", name, e.Guess, e.Absent())
		}
		if said := strings.Contains(e.Answer(), "none of these rows is of class ctl"); said != (c.absent != nil) {
			t.Errorf("%s: %s", name, e.Answer())
		}
	}
}
