package train

import (
	"slices"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/method/embedding"
)

// firstAppearance numbers the classes in the order in which they first appear
// among the rows y, so that the names of classes have no influence. Classes
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

// target holds the targets of the training rows, with the names of classes or
// the unit of the quantity.
type target struct {
	embedding.Target
	names []string     // names of the classes, as Target numbers them, or of the ranges of a quantity
	unit  dataset.Unit // unit of a quantity
}

// targetOf returns the targets of the training rows, and the output of the
// network for each class. For a quantity there is one output, 0.
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

// predictions holds the predictions for some rows: classes or, for a quantity,
// values in the units of the file.
type predictions struct {
	classes    []int
	quantities []float64
}

// predictionsOf converts scores of the network (rows×outputs) to predictions.
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
