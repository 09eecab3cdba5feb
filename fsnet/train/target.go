package train

import (
	"slices"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/method/embedding"
)

// firstAppearance returns a number for each class, in the order in which the
// rows y first have them, so that their names have no influence. Classes
// without rows come last.
func firstAppearance(y []int, classes int) []int {
	slots := slices.Repeat([]int{-1}, classes)
	next := 0
	for _, c := range y {
		if slots[c] < 0 {
			slots[c] = next
			next++
		}
	}
	for c, s := range slots { // A class without rows.
		if s < 0 {
			slots[c] = next
			next++
		}
	}
	return slots
}

// target holds the targets of the training rows, their names and their unit.
type target struct {
	embedding.Target
	names []string     // names of the classes, as Target numbers them, or of the ranges of a quantity
	unit  dataset.Unit // unit of a quantity
}

// targetOf returns the target of only the training rows, and the output of
// the network for each class. For a quantity there is one output, 0.
func targetOf(p *dataset.Prepared) (slots []int, t target) {
	rows := p.Parts.Train
	t.Weights = p.TrainWeights
	if p.Target != nil {
		values := pick(p.Target, rows)
		t.Y, t.names = dataset.Ranges(values)
		t.Classes, t.unit = len(t.names), dataset.UnitOf(values, p.TrainWeights)
		t.Quantity = t.unit.Scaled(values)
		return []int{0}, t
	}

	slots = firstAppearance(p.Y, len(p.Classes))
	t.Classes, t.names = len(p.Classes), make([]string, len(p.Classes))
	t.Y = pick(slots, pick(p.Y, rows))
	for class, slot := range slots {
		t.names[slot] = p.Classes[class]
	}
	return slots, t
}

// predictions holds the predictions of the network for rows: classes, or
// quantities in the units of the file.
type predictions struct {
	classes    []int
	quantities []float64
}

// predictionsOf reads predictions from the scores of the network,
// rows×outputs.
func (t *Training) predictionsOf(scores []float32) predictions {
	if t.target.Quantity == nil {
		return predictions{classes: t.classesOf(scores)}
	}
	var s predictions
	for _, v := range scores {
		s.quantities = append(s.quantities, t.target.unit.Value(float64(v)))
	}
	return s
}

// pick returns the elements of list at the given indices.
func pick[T any](list []T, which []int) []T {
	picked := make([]T, len(which))
	for i, at := range which {
		picked[i] = list[at]
	}
	return picked
}
