package train

import (
	"cmp"
	"context"
	"slices"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/places"
	"fsnetlab/internal/suggest"
)

// Evaluate applies the network to the selected features of the train, validation or test rows, without noise and dropout. Looking at the
// test rows is counted: tuning by them is tuning on the test set. The error is of kind Request where there are no validation rows.
func (t *Training) Evaluate(part string) (session.Evaluation, error) {
	part = cmp.Or(part, session.Test)
	rows, known := map[string][]int{session.Train: t.data.Parts.Train, session.Validation: t.data.Parts.Validation,
		session.Test: t.data.Parts.Test}[part]
	switch {
	case !known:
		return session.Evaluation{}, fault.New(fault.Request, suggest.DidYouMean(part, session.Parts()),
			"part = %q is none of train, validation and test", part)
	case len(rows) == 0:
		return session.Evaluation{}, session.NoValidation()
	}
	p, err := t.predict(rows)
	if err != nil {
		return session.Evaluation{}, err
	}
	e := session.Evaluation{
		Part: part, Step: t.step, Rows: len(rows),
		ReconstructionError: p.reconstruction,
		MutualInformation:   metric.MutualInformation(p.selected, len(rows), t.engine.Layout.K),
	}
	if t.target.Quantity != nil {
		truth := t.quantities(rows)
		e.R2, e.RMSE = new(metric.R2(truth, p.quantities)), new(metric.RMSE(truth, p.quantities))
	} else {
		truth, classes := t.truth(rows), len(t.data.Classes)
		e.Classes = t.data.Classes
		e.Accuracy = metric.Accuracy(truth, p.classes)
		e.BalancedAccuracy = metric.BalancedAccuracy(truth, p.classes, classes)
		e.Majority = metric.Majority(t.truth(t.data.Parts.Train), truth, classes)
		e.Confusion = metric.Confusion(truth, p.classes, classes)
	}
	if part == session.Test {
		t.looks++
	}
	e.TestLooks = t.looks
	return e, nil
}

// truth is the class of each of the rows.
func (t *Training) truth(rows []int) []int {
	y := make([]int, len(rows))
	for i, row := range rows {
		y[i] = t.data.Y[row]
	}
	return y
}

// prediction is the network on the features selected now.
type prediction struct {
	said
	selected       []float32 // x^S, rows×K
	reconstruction float64   // mean squared error
}

func (t *Training) predict(rows []int) (prediction, error) {
	features, err := t.evaluated()
	if err != nil {
		return prediction{}, err
	}
	var all prediction
	most := len(rows)
	if t.data.Sparse() {
		most = min(most, max(1, engine.MostLooked/t.engine.Layout.D))
	}
	for part := range slices.Chunk(rows, most) {
		x, err := t.gather(context.Background(), part, t.engine.Layout.Width())
		if err != nil {
			return prediction{}, err
		}
		selected := selectColumns(x, len(part), features)
		scores, reconstruction, err := t.engine.Infer(selected, x, len(part))
		if err != nil {
			return prediction{}, err
		}
		if len(part) == len(rows) {
			return prediction{t.said(scores), selected, reconstruction}, nil
		}
		said := t.said(scores)
		all.classes, all.quantities = append(all.classes, said.classes...), append(all.quantities, said.quantities...)
		all.selected = append(all.selected, selected...)
		all.reconstruction += reconstruction * float64(len(part)) / float64(len(rows))
	}
	return all, nil
}

// selectColumns is x^S: column k of the result is the feature that selector k got, not the feature of rank k. rows×d to rows×K.
func selectColumns(x []float32, rows int, features []int) []float32 {
	d := len(x) / rows
	out := make([]float32, 0, rows*len(features))
	for i := range rows {
		for _, j := range features {
			out = append(out, x[i*d+j])
		}
	}
	return out
}

// classesOf turns the network's scores, rows×C, into classes.
func (t *Training) classesOf(scores []float32) []int {
	classOf := make([]int, len(t.slots)) // of an output of the network
	for class, slot := range t.slots {
		classOf[slot] = class
	}
	var classes []int
	for row := range slices.Chunk(scores, len(t.slots)) {
		classes = append(classes, classOf[places.Largest(row)])
	}
	return classes
}
