package dataset

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// classify turns the labels of a reading into Y and Classes. Labels that are all numbers are compared as numbers: 1 and 1.0 are one class.
// With missing=drop, rows without a label are left out; otherwise they are refused.
func (d *Dataset) classify(r *reading, path string, s config.Settings) error {
	labels := r.labels
	numbers, numeric := asNumbers(labels)
	if numeric {
		if err := refuseRegression(numbers, path, r.labelName); err != nil {
			return err
		}
	}
	text := map[string]string{} // what is written → the class
	var keep []int
	for i, label := range labels {
		if label == "" {
			if s.Missing != "drop" {
				return fault.New(fault.Request, "give it a class, or use missing=drop to leave such rows out",
					"%s, %s: the class is missing", d.row(i), r.labelName)
			}
			continue
		}
		keep = append(keep, i)
		if numeric {
			text[label] = spell(numbers[i])
		} else {
			text[label] = label
		}
	}
	d.Classes = naturalOrder(text)
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
		return fault.New(fault.Request, "name another column with label=", "%s: %s holds no class at all", path, r.labelName)
	case len(keep) < d.N:
		*d = *d.only(keep)
	}
	return nil
}

// asNumbers reads the labels as numbers if all that are there are numbers; a missing one is NaN.
func asNumbers(labels []string) ([]float64, bool) {
	numbers := make([]float64, len(labels))
	for i, label := range labels {
		if label == "" {
			numbers[i] = math.NaN()
			continue
		}
		x, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, false
		}
		numbers[i] = x
	}
	return numbers, true
}

// spell writes a number as the name of a class: 2, 0.5, 1000000; never -0.
func spell(x float64) string {
	if x == 0 {
		return "0"
	}
	if size := math.Abs(x); size >= 1e-6 && size < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// refuseRegression tells a measured quantity from classes. Numbers of which some are not whole are a quantity where more than 10 differ,
// or more than half of the rows; whole numbers, where more than 20 differ and more than half of the rows.
func refuseRegression(numbers []float64, path, labelName string) error {
	different := map[float64]bool{}
	whole := true
	for _, x := range numbers {
		if x == x {
			different[x] = true
			whole = whole && x == math.Trunc(x)
		}
	}
	many, kind := len(different) > 20 && len(different) > len(numbers)/2, "whole numbers"
	if !whole {
		many, kind = len(different) > 10 || len(different) > len(numbers)/2, "numbers"
	}
	if !many {
		return nil
	}
	return fault.New(fault.Request, "name a column of classes with label=; regression is not there yet",
		"%s: %s holds %d different %s in %d rows: a quantity, not classes",
		path, labelName, len(different), kind, len(numbers))
}

// naturalOrder sorts the classes: by value if all are numbers, else by text.
func naturalOrder(text map[string]string) []string {
	classes := slices.Compact(slices.Sorted(maps.Values(text)))
	if numbers, ok := asNumbers(classes); ok {
		value := make(map[string]float64, len(classes))
		for i, class := range classes {
			value[class] = numbers[i]
		}
		slices.SortStableFunc(classes, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
	}
	return classes
}
