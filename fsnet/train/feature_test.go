package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// What is said of a feature is what the data and the earlier steps say of it.
func TestFeature_MatchesData(t *testing.T) {
	for _, embedding := range []string{"class-deviation", "histogram"} {
		t.Run(embedding, func(t *testing.T) {
			data := planted(60, 120)
			for i := range data.N { // one feature is constant over all rows
				data.X[i*data.D+3] = 5
			}
			rules := config.RulesOf(config.FsNet)
			rules.Embedding = embedding
			training := open(t, devicetest.All(t)[0], data, config.Config{K: 3, Epochs: 40, Rules: &rules, Stop: "never"})
			was := map[int][]float32{}
			for step := 0; step <= 40; step += 16 { // the first checkpoints
				advance(t, training, step)
				p := must(training.engine.Probability(training.lookAt(training.step)))
				was[step] = p
			}
			for _, which := range []string{"signal57", "0", "noise0119"} {
				f := must(training.Feature(which))
				checkFeature(t, training, f)
				j := graphFeature(training, f.Index)
				for i, step := range f.Course.Steps {
					column := make([]float32, 3)
					for k := range column {
						column[k] = was[step][k*training.engine.Layout.D+j]
					}
					if got := f.Course.Probability[i]; math.Abs(got-float64(slices.Max(column))) > 1e-6 ||
						math.Abs(float64(column[f.Course.Selectors[i]])-got) > 1e-6 {
						t.Errorf("%s: after step %d selector %d gave it %g, want the largest of %v", which, step, f.Course.Selectors[i], got, column)
					}
				}
				if fmt.Sprint(f.Course.Steps) != "[0 16 32]" {
					t.Errorf("%s: its course is of the steps %v", which, f.Course.Steps)
				}
			}
		})
	}
}

// graphFeature is the feature of the graph that a column of the file is.
func graphFeature(t *Training, index int) int {
	for j := range t.columns {
		if i, _ := t.feature(j); i == index {
			return j
		}
	}
	return -1
}

// checkFeature counts again, plainly.
func checkFeature(t *testing.T, training *Training, f session.Feature) {
	t.Helper()
	data := training.data
	perClass := make([][]float64, len(data.Classes))
	low, high := math.Inf(1), math.Inf(-1)
	for _, i := range data.Parts.Train {
		x := float64(data.At(i, f.Index))
		perClass[data.Y[i]] = append(perClass[data.Y[i]], x)
		low, high = min(low, x), max(high, x)
	}
	if math.Abs(f.Bins.Edges[0]-low) > 1e-4 || math.Abs(f.Bins.Edges[config.StandardBins]-high) > 1e-4 || f.All.Min != low || f.All.Max != high {
		t.Errorf("%s: it goes from %g to %g, and its bins from %g to %g", f.Name, low, high, f.Bins.Edges[0], f.Bins.Edges[config.StandardBins])
	}
	for c, values := range perClass {
		d := f.Classes[c]
		slices.Sort(values)
		mean, square := 0.0, 0.0
		for _, x := range values {
			mean += x / float64(len(values))
		}
		for _, x := range values {
			square += (x - mean) * (x - mean) / float64(len(values))
		}
		if d.Class != data.Classes[c] || d.N != len(values) || d.Missing != 0 || math.Abs(d.Mean-mean) > 1e-9 ||
			math.Abs(d.SD*d.SD-square) > 1e-9 || d.Min != values[0] || d.Max != values[len(values)-1] {
			t.Errorf("%s, class %s: %+v of %v", f.Name, data.Classes[c], d, values)
		}
		if !slices.IsSorted([]float64{d.Min, d.Q1, d.Median, d.Q3, d.Max}) {
			t.Errorf("%s, class %s: the quartiles are %+v", f.Name, data.Classes[c], d)
		}
		for b, n := range f.Bins.Counts[c] {
			want := 0
			for _, x := range values {
				at := (x - low) / (high - low) * config.StandardBins
				if math.Abs(at-math.Round(at)) < 1e-4 && at > 0.5 && at < config.StandardBins-0.5 {
					t.Skip("a value lies on an edge")
				}
				if int(min(at, config.StandardBins-0.5)) == b {
					want++
				}
			}
			if n != want {
				t.Errorf("%s, class %s: %d values in bin %d, want %d", f.Name, data.Classes[c], n, b, want)
			}
		}
	}
	if len(f.Embedding) != training.engine.Layout.Embedding || len(f.EmbeddingLabels) != len(f.Embedding) {
		t.Errorf("%s: %d numbers of an embedding with %d labels", f.Name, len(f.Embedding), len(f.EmbeddingLabels))
	}
}

// Every dimension of the embedding is of the class and bin in its label: the
// deviation from the overall frequency times the middle of the bin, all divided
// by one number.
func TestFeature_Labels(t *testing.T) {
	rules := config.RulesOf(config.FsNet)
	rules.Embedding, rules.StandardizeEmbedding = "class-deviation", false
	training := open(t, devicetest.All(t)[0], planted(60, 120),
		config.Config{K: 3, Protocol: config.FsNet, Rules: &rules})
	f := must(training.Feature("signal57"))
	j, _ := slices.BinarySearch(training.data.Kept, f.Index)
	mean, scale := training.data.Mean[j], training.data.Scale[j]
	ratio, seen := 0.0, 0
	for i, label := range f.EmbeddingLabels {
		class, bin, _ := strings.Cut(label, ", ")
		c := slices.Index(training.data.Classes, class)
		var b int
		if _, err := fmt.Sscanf(bin, "bin %d", &b); err != nil || c < 0 {
			t.Fatalf("dimension %d is of %q", i, label)
		}
		overall := 0.0
		for _, counts := range f.Bins.Counts {
			overall += float64(counts[b-1]) / float64(f.All.N)
		}
		middle := ((f.Bins.Edges[b-1]+f.Bins.Edges[b])/2 - mean) / scale
		want := (float64(f.Bins.Counts[c][b-1])/float64(f.Classes[c].N) - overall) * middle
		if math.Abs(want) < 1e-3 {
			continue
		}
		if seen++; ratio == 0 {
			ratio = f.Embedding[i] / want
		}
		if math.Abs(f.Embedding[i]/want/ratio-1) > 1e-3 {
			t.Errorf("%s: %g, want %g × %g", label, f.Embedding[i], ratio, want)
		}
	}
	if seen < 6 || ratio <= 0 {
		t.Errorf("%d dimensions, ratio %g", seen, ratio)
	}
}

// An unknown feature is rejected with a suggestion. A constant one has no
// course.
func TestFeature_Rejects(t *testing.T) {
	data := planted(60, 120)
	for i := range data.N {
		data.X[i*data.D+3] = 5
	}
	training := open(t, devicetest.All(t)[0], data, config.Config{K: 3})
	for which, c := range map[string]struct {
		kind errs.Kind
		word string
	}{
		"Signal7": {errs.NotFound, "did you mean signal7?"}, "signal75": {errs.NotFound, "give a name as in the file"}, "120": {errs.Request, "0 to 119"}, "-1": {errs.Request, "0 to 119"},
		"quite another": {errs.NotFound, "noise0000"},
	} {
		if _, err := training.Feature(which); !errs.Is(err, c.kind) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", which, err)
		}
	}
	f, err := training.Feature("noise0003")
	if err != nil || f.Kept || len(f.Bins.Edges) != 2 || f.Bins.Edges[0] != 5 || len(f.Embedding) != 0 || len(f.Course.Steps) != 0 ||
		f.All.SD != 0 {
		t.Errorf("a constant feature is %+v, %v", f, err)
	}
}
