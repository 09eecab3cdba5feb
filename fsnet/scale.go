package fsnet

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// These limits decide whether values have another scale than in training, in
// standard deviations of the training rows. Values of other patients differ by
// a few standard deviations, values in other units by hundreds. If the model
// was trained on plain values, their logarithms are close to its mean and
// hardly vary.
const (
	mostDeviations = 10  // distance of the median of the rows from the mean of the training
	widestSpread   = 4   // M values exceed it if the training had beta values
	leastSpread    = 0.2 // beta values stay below it if the training had M values
	spreadRows     = 10  // with fewer rows the standard deviation says nothing
)

// compareScales sets OtherScale to the features with values that cannot have
// the units or the normalisation of the training. It sets Means to both means
// of the first of them. For pairs it compares the standard deviations of the
// differences, because these show the units.
func (t *table) compareScales() {
	type scale struct{ means, deviations []float64 }
	scales := map[string]scale{} // by site
	for _, site := range append([]string{""}, t.columns.Described[t.settings.Nuisance]...) {
		if _, has := scales[site]; has {
			continue
		}
		means, scaled := t.model.MeansAt(site)
		scales[site] = scale{means, t.model.DeviationsAt(site)}
		if !scaled {
			means, deviations, known := t.model.Measured()
			if !known {
				return
			}
			scales[site] = scale{means, deviations}
		}
	}

	for j, name := range t.Features {
		if slices.ContainsFunc(t.settings.Covariates, func(c string) bool { return strings.HasPrefix(name, c+"=") }) {
			continue // 0 and 1 have no scale
		}

		// The values as read, and in standard deviations of the training.
		values, deviations := make([]float64, len(t.rows)), make([]float64, len(t.rows))
		for i, row := range t.rows {
			at := scales[t.site(t.Predictions[i].Row)]
			values[i], deviations[i] = row[j], (row[j]-at.means[j])/at.deviations[j]
		}

		_, spread := stat.MeanStdDev(deviations, nil)
		sorted := slices.Sorted(slices.Values(deviations))
		n := len(sorted)
		// The range between quartiles keeps a few outliers from making it wide.
		wide := min(spread, sorted[n*3/4]-sorted[n/4])
		other := spread > 0 && spread < leastSpread || wide > widestSpread // a constant has no scale

		level := math.Abs(sorted[n/2])
		if t.settings.Pairs != "" { // the median of differences is 0 in any unit
			level = medianSize(deviations)
		}
		if level <= mostDeviations && (!other || n < spreadRows) {
			continue
		}
		if t.OtherScale = append(t.OtherScale, name); len(t.OtherScale) > 1 {
			continue
		}
		t.Means = [2]float64{stat.Mean(values, nil), scales[""].means[j]}
		if t.Differences = t.settings.Pairs != ""; t.Differences {
			t.Means = [2]float64{stat.StdDev(values, nil), scales[""].deviations[j]}
		}
	}
}

// medianSize returns the median of the absolute values of a list.
func medianSize(list []float64) float64 {
	sizes := make([]float64, len(list))
	for i, x := range list {
		sizes[i] = math.Abs(x)
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}
