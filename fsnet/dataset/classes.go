package dataset

import (
	"maps"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/reading"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
)

// classify turns the labels of a reading into Y and Classes. Labels that are all numbers are compared as numbers: 1 and 1.0 are one class.
// With missing=drop, rows without a label are left out; otherwise they are refused.
func (d *Dataset) classify(r *reading.Reading, path string, s config.Settings) error {
	labels := r.Labels
	numbers, numeric := word.AsNumbers(labels)
	if numeric {
		if err := refuseRegression(numbers, path, r.LabelName); err != nil {
			return err
		}
	}
	text := map[string]string{} // what is written → the class
	var keep []int
	for i, label := range labels {
		if label == "" {
			if s.Missing != "drop" {
				return fault.New(fault.Request, "give it a class, or use missing=drop to leave such rows out",
					"%s, %s: the class is missing", d.row(i), r.LabelName)
			}
			continue
		}
		keep = append(keep, i)
		if numeric {
			text[label] = word.Spell(numbers[i])
		} else {
			text[label] = label
		}
	}
	d.Classes = word.NaturalOrder(maps.Values(text))
	number := make(map[string]int, len(d.Classes))
	for c, name := range d.Classes {
		number[name] = c
	}
	d.Y = make([]int, d.N)
	for _, i := range keep {
		d.Y[i] = number[text[labels[i]]]
	}
	switch {
	case len(keep) == 0:
		return fault.New(fault.Request, "name another column with label=", "%s: %s holds no class at all", path, r.LabelName)
	case len(keep) < d.N:
		*d = *d.only(keep)
	}
	return nil
}

// refuseRegression tells a measured quantity from classes.
func refuseRegression(numbers []float64, path, labelName string) error {
	different, kind, quantity := word.Quantity(numbers)
	if !quantity {
		return nil
	}
	return fault.New(fault.Request, "name a column of classes with label=; regression is not there yet",
		"%s: %s holds %d different %s in %d rows: a quantity, not classes", path, labelName, different, kind, len(numbers))
}
