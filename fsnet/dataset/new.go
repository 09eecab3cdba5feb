package dataset

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// New makes a data set of numbers in memory: x is row-major, a row for each label and a column for each feature; a missing value is NaN.
// Nil features are named feature_0, feature_1, …. Missing values are Prepare's business; other errors are those of [Open].
func New(name string, x []float32, features, labels []string) (*Dataset, error) {
	r := &reading{x: x, features: features, labels: labels, labelName: "the labels"}
	if n := len(labels); n > 0 && (len(x)%n != 0 || features != nil && len(x) != n*len(features)) {
		return nil, fault.New(fault.Request, "give rows × features of them, row by row", "%s: %d values for %d rows and %d features", name, len(x), n, len(features))
	}
	d, err := r.dataset(name, "in memory", config.Settings{Missing: "error"})
	if err != nil {
		return nil, err
	}
	d.Name, d.file = name, ""
	return d, nil
}
