package train

import (
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/method/embedding"
)

// target is what is known of the training rows, and how it is named and measured.
type target struct {
	embedding.Target
	names []string     // of the classes, as the target numbers them, or of the ranges of a quantity over the training rows
	unit  dataset.Unit // of a quantity
}

// targetOf is that of the training rows alone, and the network's output of each class.
func targetOf(p *dataset.Prepared) (slots []int, t target) {
	rows := p.Parts.Train
	if p.Target != nil {
		values := pick(p.Target, rows)
		t.Y, t.names = dataset.Ranges(values)
		t.Classes, t.unit = len(t.names), dataset.UnitOf(values, p.TrainWeights)
		t.Quantity = t.unit.Scaled(values)
		return []int{0}, t
	}
	slots = firstAppearance(p.Y, len(p.Classes))
	t.Classes, t.names = len(p.Classes), make([]string, len(p.Classes))
	for _, row := range rows {
		t.Y = append(t.Y, slots[p.Y[row]])
	}
	for class, slot := range slots {
		t.names[slot] = p.Classes[class]
	}
	return slots, t
}

// quantities are those of rows.
func (t *Training) quantities(rows []int) []float64 { return pick(t.data.Target, rows) }

// said is what the network says of rows: their classes, or quantities as the file has them.
type said struct {
	classes    []int
	quantities []float64
}

// said makes that of the network's scores, rows×outputs.
func (t *Training) said(scores []float32) said {
	if t.target.Quantity == nil {
		return said{classes: t.classesOf(scores)}
	}
	var s said
	for _, v := range scores {
		s.quantities = append(s.quantities, t.target.unit.Value(float64(v)))
	}
	return s
}

// pick takes some of a list.
func pick[T any](list []T, which []int) []T {
	picked := make([]T, len(which))
	for i, at := range which {
		picked[i] = list[at]
	}
	return picked
}
