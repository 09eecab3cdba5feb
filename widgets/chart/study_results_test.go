package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/spec"
)

func frequencySamples() map[string]Frequencies {
	f := Frequencies{Dataset: "cohort", K: 10, Methods: []FrequencyMethod{{"fsnet:protocol=paper", 20}, {"fsnet", 20}, {"mrmr", 19}}, Left: 31}
	for i := range 12 {
		f.Features = append(f.Features, FrequencyFeature{fmt.Sprintf("gene %d", 12-i), []int{max(0, 3-i), max(0, 20-2*i), max(0, 19-3*i)}})
	}
	f.Features[3].Name = "a name that is much longer than there is room for in a picture <b>"
	return map[string]Frequencies{"three": f, "none": {Dataset: "cohort", K: 2, Methods: []FrequencyMethod{{"mrmr", 0}}}}
}

func measuredSamples() map[string]Measured {
	m := Measured{Title: "Accuracy, K = 10", Unit: "accuracy on the test rows"}
	for _, data := range []string{"ALLAML", "GLIOMA"} {
		for i, name := range []string{"fsnet:protocol=paper", "fsnet", "cae-supervised", "mrmr"} {
			m.Lines = append(m.Lines, MeasuredLine{Group: data, Name: name, Measured: spreadOf(0.6+0.09*float64(i), 0.03, 5), Published: new(0.8)})
		}
	}
	m.Lines[1].Measured, m.Lines[3].Published = nil, nil
	return map[string]Measured{"two": m, "none": {Title: "Accuracy with all features", Unit: "accuracy",
		Lines: []MeasuredLine{{Group: "CLL_SUB", Name: "svm"}}}}
}

func learningSamples() map[string]Learning {
	line := func(name string, end, epochs float64) LearningLine {
		l := LearningLine{Name: name}
		for i := range 40 {
			l.X, l.Y = append(l.X, epochs*float64(i+1)/40), append(l.Y, end*(1-math.Exp(-float64(i)/8)))
		}
		return l
	}
	l := Learning{Title: "FsNet over the epochs, K = 10"}
	for i, title := range []string{"accuracy, training rows", "accuracy, test rows", "reconstruction error, test rows"} {
		p := LearningPanel{Title: "ALLAML: " + title, Lines: []LearningLine{line("fsnet:protocol=paper", []float64{0.7, 0.65, 1.1}[i], 4000),
			line("fsnet", 0.9, 300)}}
		for range p.Lines[0].Y {
			p.Lines[0].Spread = append(p.Lines[0].Spread, 0.07)
		}
		if i == 1 {
			p.Lines = append(p.Lines, LearningLine{Name: "cae-supervised", X: []float64{4000}, Y: []float64{0.8}})
		}
		l.Panels = append(l.Panels, p)
	}
	return map[string]Learning{"one": l, "none": {Title: "nothing"}}
}

// What is drawn is what is meant: a dot for each feature and method that chose it, the larger the oftener, and one at the end of each line.
func TestResultsAreDrawnToScale(t *testing.T) {
	f := frequencySamples()["three"]
	want := 0
	for _, g := range f.Features {
		for _, n := range g.Times {
			want += min(n, 1)
		}
	}
	all := marksOf(frequencySpec(f), spec.Point)
	if len(all) != want {
		t.Errorf("%d dots of %d", len(all), want)
	}
	largest := 0.0
	for _, d := range all {
		largest = max(largest, d.Radius)
		if d.Radius == frequencyLarge && d.Tips[2] != "20 of 20" && d.Tips[2] != "19 of 19" {
			t.Errorf("a full dot of %v", d.Tips)
		}
	}
	if largest != frequencyLarge {
		t.Errorf("the largest dot has a radius of %g", largest)
	}
	if text := measuredText(measuredSamples()["two"]); !strings.Contains(text, "of 6 published figures lie inside") {
		t.Errorf("%s", text)
	}
	for _, l := range learningSamples() {
		if got, want := len(marksOf(learningSpec(l), spec.Point)), 7*len(l.Panels)/3; got != want {
			t.Errorf("%d dots, not %d", got, want)
		}
	}
}
