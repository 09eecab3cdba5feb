package dataset

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/fault"
)

// classify turns the labels of a reading into Y and Classes. With missing=drop, rows without a label are left out; otherwise they are refused.
func (d *Dataset) classify(r *read.Frame, path string, s config.Settings) error {
	if s.Regression() {
		return d.measure(r, path, s)
	}
	if numbers, numeric := parse.AsNumbers(r.Labels); numeric {
		if err := refuseRegression(numbers, path, r.LabelName); err != nil {
			return err
		}
	}
	keep, err := d.labelled(r, path, s, "class", "a class")
	if err != nil {
		return err
	}
	d.Y, d.Classes = parse.Classes(r.Labels)
	if len(keep) < d.N {
		*d = *d.only(keep)
	}
	return nil
}

// labelled are the rows with a label. It refuses others, but with missing=drop.
func (d *Dataset) labelled(r *read.Frame, path string, s config.Settings, label, one string) ([]int, error) {
	var keep []int
	for i, text := range r.Labels {
		if text != "" {
			keep = append(keep, i)
		} else if s.Missing != "drop" {
			return nil, fault.New(fault.Request, "give it "+one+", or use missing=drop to leave such rows out",
				"%s, %s: the %s is missing", d.row(i), r.LabelName, label)
		}
	}
	if len(keep) == 0 {
		return nil, fault.New(fault.Request, "name another column with label=", "%s: %s holds no %s at all", path, r.LabelName, label)
	}
	return keep, nil
}

// refuseRegression tells a measured quantity from classes.
func refuseRegression(numbers []float64, path, labelName string) error {
	different, kind, quantity := parse.Quantity(numbers)
	if !quantity {
		return nil
	}
	return fault.New(fault.Request, "use task=regression, or name a column of classes with label=",
		"%s: %s holds %d different %s in %d rows: a quantity, not classes", path, labelName, different, kind, len(numbers))
}
