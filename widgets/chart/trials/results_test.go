package trials

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/scene"
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

func TestGoldenResults(t *testing.T) {
	f, err := Frequency(frequencySamples()["three"])
	if err != nil {
		t.Fatal(err)
	}
	charttest.Golden(t, "frequency-three", f.PNG, f.Text+"\n"+f.Alt+"\n")
	m, err := Against(measuredSamples()["two"])
	if err != nil {
		t.Fatal(err)
	}
	charttest.Golden(t, "against-two", m.PNG, m.Text+"\n"+m.Alt+"\n")
	l, err := LearningChart(learningSamples()["one"])
	if err != nil {
		t.Fatal(err)
	}
	charttest.Golden(t, "learning-one", l.PNG, l.Text+"\n"+l.Alt+"\n")
}

// dots are the dots of a scene by the first of their facts.
func dots(s *scene.Scene) (list []scene.Dot) {
	for _, mark := range s.Marks {
		if d, ok := mark.(scene.Dot); ok {
			list = append(list, d)
		}
	}
	return list
}

// What is drawn is what is meant: a dot for each feature and method that chose it, the larger the oftener; a figure's dot lies between the
// ends of its interval, and on its published bar where the two are equal.
func TestResultsAreDrawnToScale(t *testing.T) {
	f := frequencySamples()["three"]
	want := 0
	for _, g := range f.Features {
		for _, n := range g.Times {
			want += min(n, 1)
		}
	}
	all := dots(frequencyScene(f))
	if len(all) != want {
		t.Errorf("%d dots of %d", len(all), want)
	}
	largest := 0.0
	for _, d := range all {
		largest = max(largest, d.Radius)
		if d.Radius == frequencyLarge && fmt.Sprint(d.Facts[2].Values[0]) != "20 of 20" && fmt.Sprint(d.Facts[2].Values[0]) != "19 of 19" {
			t.Errorf("a full dot of %v", d.Facts)
		}
	}
	if largest != frequencyLarge {
		t.Errorf("the largest dot has a radius of %g", largest)
	}
	one := Measured{Title: "x", Unit: "y", Lines: []MeasuredLine{{Group: "g", Name: "n", Measured: &ComparedSpread{Mean: 0.5, Low: new(0.25),
		High: new(0.75)}, Published: new(0.5)}}}
	s := measuredScene(one)
	dot := dots(s)[0]
	for _, mark := range s.Marks {
		switch m := mark.(type) {
		case scene.Rect:
			if math.Abs(m.X+m.W/2-dot.X) > 1e-9 {
				t.Errorf("the published bar is at %g, the dot at %g", m.X+m.W/2, dot.X)
			}
		case scene.Stroke:
			if m.Colour == scene.Blue && math.Abs(m.Points[0][0]+m.Points[1][0]-2*dot.X) > 1e-9 {
				t.Errorf("the interval from %g to %g is not around %g", m.Points[0][0], m.Points[1][0], dot.X)
			}
		}
	}
	if text := measuredText(measuredSamples()["two"]); !strings.Contains(text, "of 6 published figures lie inside") {
		t.Errorf("%s", text)
	}
	for _, l := range learningSamples() {
		if want := 7 * len(l.Panels) / 3; len(dots(learningScene(l))) != want {
			t.Errorf("%d dots, not %d", len(dots(learningScene(l))), want)
		}
	}
}
