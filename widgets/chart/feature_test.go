package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
)

// sampleFeature has so many classes of twenty training rows, each further to the right, and a course of so many looks at P.
func sampleFeature(classes, looks int) session.Feature {
	random := rand.New(rand.NewPCG(5, 6))
	values := make([][]float64, classes)
	for c := range values {
		for range 20 {
			values[c] = append(values[c], math.Round(500+400*float64(c)+210*random.NormFloat64()))
		}
	}
	f := featureOfValues(values)
	for i := range looks {
		share := float64(i) / float64(max(looks-1, 1))
		f.Step = i * sampleStop * samplePerEpoch / max(looks-1, 1)
		f.Probability = []float64{0.0001, 0.00014 + 0.98*share*share, 0.0002}
		f.Course.Add(f.Step, f.Probability)
	}
	return f
}

// featureOfValues counts the values of each class in ten bins, and describes them.
func featureOfValues(classes [][]float64) session.Feature {
	f := session.Feature{Session: "leukemia", Index: 4846, Name: "X95735_at", Kept: true}
	all := slices.Sorted(slices.Values(slices.Concat(classes...)))
	low, high := all[0], all[len(all)-1]
	bins := 10
	if low == high {
		bins = 1
	}
	for i := range bins + 1 {
		f.Bins.Edges = append(f.Bins.Edges, low+(high-low)*float64(i)/float64(bins))
	}
	for c, values := range classes {
		counts := make([]int, bins)
		for _, v := range values {
			counts[min(bins-1, int(float64(bins)*(v-low)/max(high-low, 1)))]++
		}
		f.Bins.Counts = append(f.Bins.Counts, counts)
		slices.Sort(values)
		at := func(share float64) float64 { return stat.Quantile(share, stat.LinInterp, values, nil) }
		mean, sd := stat.MeanStdDev(values, nil)
		f.Classes = append(f.Classes, session.Distribution{Class: fmt.Sprintf("class %c", 'A'+c), N: len(values), Mean: mean, SD: sd,
			Min: at(0), Q1: at(0.25), Median: at(0.5), Q3: at(0.75), Max: at(1)})
	}
	return f
}

func features() map[string]session.Feature {
	constant := featureOfValues([][]float64{slices.Repeat([]float64{5}, 20), slices.Repeat([]float64{5}, 8)})
	constant.Kept = false
	long := sampleFeature(6, 3)
	long.Name = "ENSG00000000000 homologue of an uncharacterised transmembrane protein <b>"
	return map[string]session.Feature{"two": sampleFeature(2, 40), "six": long, "constant": constant, "start": sampleFeature(3, 1)}
}

// Every count is a bar, and the pointer shows it.
func TestFeature_ShowsCounts(t *testing.T) {
	for name, f := range features() {
		d := featureOf(f)
		s := d.spec()
		said := map[[3]any]bool{}
		for _, bar := range marksIn(s.Rows[0][0], spec.Bar) {
			said[[3]any{bar.Tips[0], bar.Tips[2], bar.Tips[1]}] = bar.Y2 == float64(bar.Tips[1].(int))
		}
		for c, counts := range f.Bins.Counts {
			for bin, n := range counts {
				if told := said[[3]any{d.classes[c], spec.Round(d.edges[bin]), n}]; told != (n > 0) {
					t.Errorf("%s: class %d has %d rows in bin %d, said is %v", name, c, n, bin, told)
				}
			}
		}
		if len(s.Rows)-1 != len(d.panels) {
			t.Errorf("%s: %d rows", name, len(s.Rows))
		}
	}
}

// A feature with little or inconsistent data is drawn without what is missing.
func TestFeature_UnevenNumbers(t *testing.T) {
	if p, err := Feature(session.Feature{Session: "leukemia", Name: "empty"}); err != nil || len(p.PNG()) == 0 {
		t.Errorf("nothing but a name: %v", err)
	}
	f := sampleFeature(2, 5)
	f.Course.Selectors = f.Course.Selectors[:2]
	p, err := Feature(f)
	if err != nil || strings.Contains(p.Text, "in P") {
		t.Errorf("%v: %s", err, p.Text)
	}
}
