package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/stream"
)

// looksLikeData tells a data set from a mistyped command: bench kernal is no file.
func looksLikeData(arg string) bool {
	if strings.ContainsAny(arg, "./"+string(filepath.Separator)) {
		return true
	}
	if _, err := os.Stat(arg); err == nil {
		return true
	}
	return arg != strings.ToLower(arg) || slices.ContainsFunc(dataset.Builtins(), func(b dataset.Builtin) bool { return strings.EqualFold(b.Name, arg) })
}

const (
	plantedRows        = 72
	plantedInformative = 5
)

// plantedData is noise of d features, of which the first few are shifted for one of the two classes. As many rows as ALLAML.
func plantedData(d int, seed int64) (*dataset.Dataset, error) {
	random := stream.New(seed, "planted", uint64(d))
	x := make([]float32, plantedRows*d)
	labels := make([]string, plantedRows)
	for i := range labels {
		class := i % 2
		labels[i] = strconv.Itoa(class)
		for j := range d {
			x[i*d+j] = float32(random.NormFloat64())
			if j < plantedInformative {
				x[i*d+j] += 2 * float32(class)
			}
		}
	}
	features := make([]string, d)
	for j := range features {
		features[j] = "f" + strconv.Itoa(j)
	}
	return dataset.New("planted-"+strconv.Itoa(d), x, features, labels)
}
