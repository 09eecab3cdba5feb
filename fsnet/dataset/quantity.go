package dataset

import (
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/fault"
)

// measure takes the labels of a reading as quantities: Target, and for Y and Classes the ranges that they lie in.
func (d *Dataset) measure(r *read.Frame, path string, s config.Settings) error {
	keep, err := d.labelled(r, path, s, "quantity", "a value")
	if err != nil {
		return err
	}
	d.Target, d.Y = make([]float64, d.N), make([]int, d.N)
	d.Classes = []string{""}
	for _, i := range keep {
		numbers, numeric := parse.AsNumbers(r.Labels[i : i+1])
		if !numeric {
			return fault.New(fault.Request, "correct it, or leave task=regression out where the label is classes",
				"%s, %s: %q is not a number", d.row(i), r.LabelName, parse.Shorten(r.Labels[i]))
		}
		d.Target[i] = numbers[0]
	}
	if len(keep) < d.N {
		*d = *d.only(keep)
	}
	d.Y, d.Classes = Ranges(d.Target)
	return nil
}

// NewRegression is [New] with a quantity for each row instead of a label.
func NewRegression(name string, x []float32, features []string, target []float64) (*Dataset, error) {
	return newInMemory(name, &read.Frame{X: x, Features: features, Labels: numbersAsLabels(target)}, config.Regression)
}

func numbersAsLabels(target []float64) []string {
	labels := make([]string, len(target))
	for i, v := range target {
		labels[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return labels
}
