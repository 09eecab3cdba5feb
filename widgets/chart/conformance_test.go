package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// pictures are the cases that golden files and the conformance suite go through.
func matrices() map[string]session.Matrix {
	sample := sampleMatrix(10, 40, 0.95) // a sample at a low temperature is as sharp
	sample.Of = "sample"
	soft := sampleMatrix(3, 4, 0.5)
	soft.Of = "soft"
	crowded := selected(sampleMatrix(10, 40, 0.6))
	crowded.Values[1], crowded.LeftOut[1] = slices.Clone(crowded.Values[0]), crowded.LeftOut[0] // two with one leader
	return map[string]session.Matrix{
		"crowded": selected(crowded),
		"start":   sampleMatrix(10, 40, 0.02),
		"half":    sampleMatrix(10, 40, 0.6),
		"settled": selected(sampleMatrix(10, 16, 1)),
		"sample":  sample,
		"soft":    soft,
		"one":     sampleMatrix(1, 3, 0.7),
		"many":    sampleMatrix(50, 100, 0.7),
		"few":     few(sampleMatrix(10, 6, 0.6)),
		"long":    longNames(sampleMatrix(4, 8, 0.8)),
	}
}

// selected gives each row the best feature that none before it has.
func selected(m session.Matrix) session.Matrix {
	m.Selected = nil
	for _, row := range m.Values {
		best := -1
		for j, v := range row {
			if !slices.Contains(m.Selected, j) && (best < 0 || v > row[best]) {
				best = j
			}
		}
		m.Selected = append(m.Selected, best)
	}
	return m
}

// few are columns so few that some leaders are not among them.
func few(m session.Matrix) session.Matrix {
	for i, row := range m.Values {
		best := slices.Index(row, slices.Max(row))
		m.Leaders, m.LeaderValues = append(m.Leaders, m.Names[best]), append(m.LeaderValues, row[best])
		if m.LeftOut[i] > row[best] {
			m.Leaders[i], m.LeaderValues[i] = "Cystatin C of the liver", m.LeftOut[i]
		}
	}
	return m
}

func longNames(m session.Matrix) session.Matrix {
	for j := range m.Names {
		m.Names[j] = "ENSG0000000000000" + m.Names[j] + " homologue of an uncharacterised transmembrane protein"
	}
	return m
}

func histories() map[string]session.History {
	bare := sampleHistory(40)
	bare.Events, bare.PerEpoch = nil, 0
	delete(bare.Curves, "accuracy_validation")
	return map[string]session.History{
		"run":   sampleHistory(sampleStop),
		"bare":  bare,
		"one":   sampleHistory(1),
		"empty": {Session: "leukemia", PerEpoch: samplePerEpoch},
		"busy":  busy(sampleHistory(100)),
	}
}

// overlays are sessions that are compared: two that differ by one setting, and five by several.
func overlays() map[string][]Compared {
	all := map[string][]Compared{}
	for stem, count := range map[string]int{"two": 2, "five": 5} {
		for i := range count {
			c := Compared{History: sampleHistory(60 + 10*i), Status: session.Status{Config: config.Settings{K: 10, Live: config.Live{Lambda: 1 / float64(i+1)}}},
				Chosen: session.Selection{{Name: "CST3"}, {Name: fmt.Sprintf("gene%d", i)}}}
			c.Session = fmt.Sprintf("run%d", i+1)
			if count > 2 {
				c.Status.Config.Seed = int64(i)
				c.Status.Config.Batch = 8 << i
			}
			all[stem] = append(all[stem], c)
		}
	}
	return all
}

// busy has more changes than there is room for words.
func busy(h session.History) session.History {
	h.Events = nil
	for i := range 12 {
		rate := func(first float64) string {
			return fmt.Sprintf("%.3g → %.3g", first*math.Pow(0.5, float64(i)), first*math.Pow(0.5, float64(i+1)))
		}
		h.Events = append(h.Events, session.Event{
			Step: 30 + 9*i, Epoch: float64(30+9*i) / samplePerEpoch, Kind: "set",
			Text: "learning_rate " + rate(0.001) + ", selector_learning_rate " + rate(0.01),
		})
	}
	return h
}

// annealing is a history with what the schedules will set from its end on.
type annealing struct {
	behind         session.History
	tau, sharpness session.Curve
}

func annealings() map[string]annealing {
	type value = func(epoch float64) float64
	ahead := func(at value, epochs ...int) (c session.Curve) {
		for _, e := range epochs {
			c.Steps, c.Values = append(c.Steps, e*samplePerEpoch), append(c.Values, at(float64(e)))
		}
		return c
	}
	sigma := func(epoch float64) float64 { return math.Pow(20, max(0, 2*epoch/sampleEpochs-1)) }
	all := map[string]annealing{}
	for name, c := range map[string]struct {
		behind session.History
		ahead  []int
	}{
		"start": {session.History{Session: "leukemia", PerEpoch: samplePerEpoch}, []int{0, 100, 150, 200, sampleEpochs}},
		"half":  {sampleHistory(150), []int{150, 200, 250, sampleEpochs}},
		"end":   {sampleHistory(sampleEpochs), nil},
	} {
		var was session.Curve
		for _, step := range c.behind.Curves["tau"].Steps {
			was.Steps, was.Values = append(was.Steps, step), append(was.Values, sigma(float64(step)/samplePerEpoch))
		}
		if len(was.Steps) > 0 {
			c.behind.Curves["sharpness"] = was
		}
		all[name] = annealing{c.behind, ahead(sampleTau, c.ahead...), ahead(sigma, c.ahead...)}
	}
	return all
}

// selection is a session with its selected features.
type selection struct {
	status   session.Status
	selected []session.Selected
	more     []words.Column
}

func selections() map[string]selection {
	long := sampleSelection(3)
	long[1].Name = "ENSG00000000003 homologue of an uncharacterised transmembrane protein"
	before := sampleStatus()
	before.State, before.Step, before.Epoch, before.Trained = session.Idle, 0, 0, false
	return map[string]selection{
		"ten": {sampleStatus(), sampleSelection(10), []words.Column{ // the others are still asked for
			{Title: "information", Cells: []string{"0.722", "0.551"}}, {Title: "mean ALL", Cells: []string{"-0.314", "1.21"}},
		}},
		"long": {sampleStatus(), long, nil},
		"none": {before, nil, nil},
		"many": {sampleStatus(), sampleSelection(mostRows + 1), nil},
	}
}

// pairSamples are lists of pairs: none, two of two classes with a missing value, and five of eleven
// ranges.
func pairSamples() map[string]results.Pairs {
	sample := func(count, classes int) results.Pairs {
		r := results.Pairs{Dataset: "leukemia", Rows: 40, D: 100, Tested: 4950, Significant: count}
		for c := range classes {
			r.Classes = append(r.Classes, fmt.Sprint("class ", c))
		}
		random := num.RNG(3, "pairs")
		for i := range 40 {
			r.Row, r.Y = append(r.Row, i), append(r.Y, i%classes)
		}
		for k := range count {
			p := results.Pair{Features: []string{fmt.Sprint("M", 2*k), fmt.Sprint("M", 2*k+1)}, Indices: []int{2 * k, 2*k + 1}, Kind: "product",
				F: 50 - float64(k), P: 1e-6 * float64(k+1), Alone: []float64{.01, .3}, AloneP: []float64{1, 1}, Text: "M0 and M1 tell together; neither does alone"}
			var plot results.Plot
			for i := range 40 {
				x, y := random.NormFloat64(), random.NormFloat64()
				plot.X, plot.Y = append(plot.X, &x), append(plot.Y, &y)
				if i == 5 {
					plot.Y[i] = nil
				}
			}
			r.Pairs, r.Plots = append(r.Pairs, p), append(r.Plots, plot)
		}
		return r
	}
	return map[string]results.Pairs{"none": sample(0, 2), "two": sample(2, 2), "five": sample(5, 11)}
}

// conforms checks every case of a chart, and its words; one of them has a golden specification.
func conforms[C any](t *testing.T, kind, golden string, cases map[string]C, draw func(C) (Picture, error)) {
	t.Helper()
	for name, c := range cases {
		p, err := draw(c)
		if err != nil {
			t.Fatalf("%s %s: %v", kind, name, err)
		}
		charttest.Conforms(t, kind+"-"+name, *p.spec)
		if name == golden {
			charttest.Golden(t, kind+"-"+name, *p.spec)
		}
		charttest.Text(t, kind+"-"+name, p.Text+"\n"+p.Alt+"\n")
	}
}

// Every chart draws all its cases, and each of its forms shows what the case
// says.
func TestCharts_Conform(t *testing.T) {
	conforms(t, "matrix", "crowded", matrices(), Matrix)
	conforms(t, "curves", "run", histories(), Curves)
	conforms(t, "overlay", "two", overlays(), func(list []Compared) (Picture, error) { return Overlay(list, "") })
	conforms(t, "convergence", "ten", convergences(), func(h session.History) (Picture, error) { return Convergence(h, new(Palette)) })
	conforms(t, "feature", "two", features(), Feature)
	conforms(t, "network", "fsnet", networks(), Network)
	conforms(t, "annealing", "half", annealings(), func(a annealing) (Picture, error) { return Annealing(a.behind, a.tau, a.sharpness) })
	conforms(t, "features", "ten", selections(), func(c selection) (Picture, error) { return Features(c.status, c.selected, c.more...) })
	for kind, c := range rowCharts() {
		conforms(t, kind, c.golden, rowCases(), c.draw)
	}
	conforms(t, "comparison", "eight", comparisons(), Comparison)
	conforms(t, "stability", "forty", stabilities(), StabilityChart)
	conforms(t, "pairs", "two", pairSamples(), Pairs)
	conforms(t, "tuning", "six", tunings(), Tuning)
	conforms(t, "path", "four", paths(), Path)
	conforms(t, "sweep", "k", sweeps(), Sweep)
	conforms(t, "frequency", "three", frequencySamples(), Frequency)
	conforms(t, "replicas", "three", replicaSamples(), ReplicasChart)
	conforms(t, "against", "two", measuredSamples(), Against)
	conforms(t, "learning", "one", learningSamples(), LearningChart)
}

// marksOf are the marks of one kind in all panels.
func marksOf(s spec.Spec, kind spec.Mark) (list []spec.Datum) {
	for _, row := range s.Rows {
		for _, p := range row {
			list = append(list, marksIn(p, kind)...)
		}
	}
	return list
}

func marksIn(p spec.Panel, kind spec.Mark) (list []spec.Datum) {
	for _, l := range p.Layers {
		if l.Mark == kind {
			list = append(list, l.Data...)
		}
	}
	return list
}

// A note is below the picture and in its text. The picture itself doesn't
// change.
func TestNote_IsBelow(t *testing.T) {
	p, err := Features(sampleStatus(), sampleSelection(3))
	if err != nil {
		t.Fatal(err)
	}
	noted := p.Note("the last <state>")
	if !strings.HasSuffix(noted.HTML, "the last &lt;state&gt;</div>") || !strings.HasPrefix(noted.HTML, p.HTML) {
		t.Errorf("the HTML ends in %q", noted.HTML[len(p.HTML):])
	}
	const line = "the last &lt;state&gt;"
	if !strings.Contains(string(noted.SVG()), line) || strings.Contains(string(p.SVG()), line) || !strings.HasSuffix(noted.Text, "the last <state>\n") {
		t.Errorf("%s", noted.Text)
	}
}
