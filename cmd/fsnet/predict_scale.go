package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/widgets/chart/words"
)

// Of values on another scale: other patients differ by a few standard deviations, other units by hundreds. Logarithms of what was trained
// on as it was lie near its mean, and hardly vary.
const (
	farDeviations  = 10   // of the training, between its mean and the median of the rows
	narrowestShare = 0.05 // of the training's standard deviation
	narrowRows     = 10   // fewer may be alike by chance
)

// compareScales finds the features whose values cannot be in the units or under the normalisation of the training. Of pairs, and where the
// data were not scaled, the model does not know them.
func (r *predicted) compareScales(model *fsnet.Model, columns *dataset.Columns, rows [][]float64, s config.Settings) {
	if _, scaled := model.Means(); !scaled || s.Pairs != "" {
		return
	}
	type scale struct{ means, deviations []float64 }
	scales := map[string]scale{} // by site
	for _, site := range append([]string{""}, columns.Described[s.Nuisance]...) {
		if _, there := scales[site]; !there {
			means, _ := model.MeansAt(site)
			scales[site] = scale{means, model.DeviationsAt(site)}
		}
	}
	for j, name := range r.Features {
		if slices.ContainsFunc(s.Covariates, func(c string) bool { return strings.HasPrefix(name, c+"=") }) {
			continue // 0 and 1 have no scale
		}
		values, from := make([]float64, len(rows)), make([]float64, len(rows)) // as read, and in deviations from the training's mean
		for i, row := range rows {
			site := ""
			if of := columns.Described[s.Nuisance]; of != nil {
				site = of[r.Predictions[i].Row-1]
			}
			values[i], from[i] = row[j], (row[j]-scales[site].means[j])/scales[site].deviations[j]
		}
		_, spread := stat.MeanStdDev(from, nil)
		median := slices.Sorted(slices.Values(from))[len(from)/2]
		narrow := len(rows) >= narrowRows && spread > 0 && spread < narrowestShare // a constant says nothing of a scale
		if math.Abs(median) <= farDeviations && !narrow {
			continue
		}
		if r.OtherScale = append(r.OtherScale, name); r.scale == "" {
			r.scale = fmt.Sprintf("%s has the mean %s here and %s in the training", name, words.Number(stat.Mean(values, nil)),
				words.Number(scales[""].means[j]))
		}
	}
}

// Warning is a line about values on another scale, "" where there are none.
func (r *predicted) Warning() string {
	if len(r.OtherScale) == 0 {
		return ""
	}
	const most = 5
	names := strings.Join(r.OtherScale[:min(len(r.OtherScale), most)], ", ")
	if rest := len(r.OtherScale) - most; rest > 0 {
		names += fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Sprintf("the values of %s are on another scale than in the training (%s), so these predictions mean little - "+
		"give them the units and the normalisation of the training data\n", names, r.scale)
}
