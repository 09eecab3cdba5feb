package train

import (
	"slices"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/method/embedding"
)

// firstAppearance returns a number for each class, in the order in which the rows y first have
// them, so that their names have no influence. Classes without rows come last.
func firstAppearance(y []int, classes int) []int {
	slots := slices.Repeat([]int{-1}, classes)
	next := 0
	for _, c := range y {
		if slots[c] < 0 {
			slots[c] = next
			next++
		}
	}
	for c, s := range slots { // a class without rows
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
	names []string     // of the classes, as Target numbers them, or of the ranges of a quantity
	unit  dataset.Unit // of a quantity
}

// targetOf returns the target of the training rows alone, and the network's output for each class;
// for a quantity one output, 0.
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

// predictions holds the network's predictions for rows: classes, or quantities in the file's units.
type predictions struct {
	classes    []int
	quantities []float64
}

// predictionsOf reads predictions from the network's scores, rows×outputs.
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
