package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/results"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Frequencies counts how often methods chose features over the splits of a
// comparison.
type Frequencies struct {
	Dataset  string             `json:"dataset"`
	K        int                `json:"k"`
	Methods  []FrequencyMethod  `json:"methods"`
	Features []FrequencyFeature `json:"features"` // most often chosen first
	Left     int                `json:"left"`     // number of features that aren't listed; they were chosen less often
}

// FrequencyMethod is a method that selects features.
type FrequencyMethod struct {
	Method string `json:"method"`
	Splits int    `json:"splits"` // on which it selected features
}

// FrequencyFeature is a feature with the number of splits on which each method
// chose it.
type FrequencyFeature struct {
	Name  string `json:"name"`
	Times []int  `json:"times"`
}

// frequencyLarge is the radius, in points, of a feature that was chosen on
// every split.
const frequencyLarge = 7.5

func frequencyTitle(dataset string, k int) string {
	return fmt.Sprintf("How often features are chosen: %s, K = %d", words.Plain(dataset), k)
}

// further returns a line about n features that aren't shown, and how often they
// are chosen. It returns nil if n is 0.
func further(n int, how string) []string {
	if n <= 0 {
		return nil
	}
	return []string{phrase.Count(n, "further feature") + " chosen " + how}
}

// Frequency draws a dot for each feature and method. Its radius grows with the
// share of splits on which the method chose the feature.
func Frequency(f Frequencies) (Picture, error) {
	s := frequencySpec(f)
	t := words.Table{{Title: "feature", Name: true}}
	for _, m := range f.Methods {
		t = append(t, words.Column{Title: m.Method, Right: true})
	}

	for _, g := range f.Features {
		cells := []string{g.Name}
		for m := range f.Methods {
			cells = append(cells, f.chosenOn(g, m))
		}
		t.Add(cells...)
	}

	text := s.Title + "\n" + t.Text(0, nameLetters)
	for _, line := range s.Below {
		text += line + "\n"
	}
	return draw(s, false, 0, fixed(text)), nil
}

// chosenOn returns on how many of its splits method m chose a feature.
func (f Frequencies) chosenOn(g FrequencyFeature, m int) string {
	return fmt.Sprintf("%d of %d", g.Times[m], f.Methods[m].Splits)
}

// frequencySpec draws features down and numbered methods across, with the names
// of the methods in the legend. If no method chooses features, it says so and
// draws nothing.
func frequencySpec(f Frequencies) spec.Spec {
	s := spec.Spec{Title: frequencyTitle(f.Dataset, f.K), Subtitle: []string{"a full dot: on every split; columns are the methods below"}}
	s.Alt = s.Title + ": none yet."

	if len(f.Features) > 0 {
		s.Alt = fmt.Sprintf("%s: of %s, most often %s.", s.Title, phrase.Count(len(f.Features)+f.Left, "feature"), words.Plain(f.Features[0].Name))
	}

	if len(f.Methods) == 0 {
		s.Subtitle[0] = "none of the methods chooses features"
		return s
	}

	p := spec.Panel{Width: 30 * float64(len(f.Methods)), X: spec.Axis{Bands: []string{}}, Y: spec.Axis{Bands: []string{}}}
	dots := spec.Layer{Mark: spec.Point, Tips: []string{"feature", "method", "chosen on"}}

	for m, method := range f.Methods {
		p.X.Bands = append(p.X.Bands, strconv.Itoa(m+1))
		name := fmt.Sprintf("%d: %s, %s", m+1, words.Shorten(words.Plain(method.Method), 60), phrase.Count(method.Splits, "split"))
		p.Series = append(p.Series, spec.Series{Name: name, Colour: spec.Category(m)})
	}

	for i, g := range f.Features {
		p.Y.Bands = append(p.Y.Bands, short(g.Name))
		for m, method := range f.Methods {
			if g.Times[m] > 0 {
				share := float64(g.Times[m]) / float64(max(method.Splits, 1))
				dots.Data = append(dots.Data, spec.Datum{X: float64(m), Y: float64(i), Series: p.Series[m].Name,
					Radius: frequencyLarge * max(share, 0.1), Tips: []any{words.Plain(g.Name), words.Plain(method.Method), f.chosenOn(g, m)}})
			}
		}
	}

	p.Layers = []spec.Layer{dots}
	s.Rows, s.Below = [][]spec.Panel{{p}}, further(f.Left, "less often")
	return s
}

// Replicas counts how often one configuration chose features over trainings
// with many seeds, as fsnet fit --replicas does.
type Replicas struct {
	Dataset string
	K       int
	Seeds   string // in words, such as "seeds 1 to 20"
	Done    int    // number of replicas
	results.Replicas
}

// ReplicasChart draws a bar for each feature: the share of the replicas that
// chose it. Features beyond the K most frequent are pale.
func ReplicasChart(r Replicas) (Picture, error) {
	s := replicasSpec(r)
	p := draw(s, true, 0, nil)
	t := words.Table{{Title: "feature", Name: true}, {Title: "chosen in", Right: true}, {Title: "mean rank", Right: true}}

	for _, f := range r.shown() {
		t.Add(f.Name, r.chosenIn(f), fmt.Sprintf("%.1f", f.MeanRank))
	}

	p.HTML = "<div><b>" + words.Escape(s.Title) + "</b><div>" + words.Escape(strings.Join(s.Subtitle, "; ")) + "</div>" +
		t.HTML(0) + "<small>" + words.Escape(strings.Join(s.Below, "")) + "</small></div>"
	return p, nil
}

// shown returns the most frequent features, at most 2K.
func (r Replicas) shown() []results.ReplicaFeature {
	return r.Features[:min(len(r.Features), 2*r.K, mostRows)]
}

func (r Replicas) chosenIn(f results.ReplicaFeature) string {
	return fmt.Sprintf("%d of %d", f.Selected, r.Done)
}

// replicasSpec draws the most frequent features in the order of the result. The
// subtitle has the mean test score and the agreement of the replicas, if they
// are known.
func replicasSpec(r Replicas) spec.Spec {
	s := spec.Spec{Title: frequencyTitle(r.Dataset, r.K)}
	s.Subtitle = []string{phrase.Count(r.Done, "replica") + " (" + r.Seeds + ")"}

	if score := r.TestScore; score != nil {
		s.Subtitle[0] += fmt.Sprintf(": %s on test rows %s ± %s", r.Metric.Name(), words.Fixed(score.Mean, 3), words.Fixed(score.SD, 3))
	}
	if r.Agreement != nil {
		s.Subtitle = append(s.Subtitle, fmt.Sprintf("%s chosen at least once; stability %s (0: as alike as chance, 1: all choose the same)",
			phrase.Count(len(r.Features), "feature"), words.Chance(r.Agreement.Nogueira)))
	}

	if s.Alt = s.Title + ": none."; len(r.Features) > 0 {
		always := 0
		for _, f := range r.Features {
			if f.Selected == r.Done {
				always++
			}
		}
		s.Alt = fmt.Sprintf("%s: %s most often, in %s; %s in every replica.", s.Title, words.Plain(r.Features[0].Name),
			r.chosenIn(r.Features[0]), phrase.Count(always, "feature"))
	}

	most, others := fmt.Sprintf("the %d most frequent", r.K), "less frequent"
	p := spec.Panel{Width: 320, X: spec.Axis{Title: "share of the replicas", Low: 0, High: 1}, Y: spec.Axis{Bands: []string{}}}
	if len(r.shown()) > r.K {
		p.Series = []spec.Series{{Name: most, Colour: spec.Blue}, {Name: others, Colour: spec.Pale}}
	}

	bars := spec.Layer{Mark: spec.Bar, Colour: spec.Blue, Tips: []string{"feature", "chosen in", "mean rank"}}
	counts := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: 8}
	for i, f := range r.shown() {
		p.Y.Bands = append(p.Y.Bands, short(f.Name))
		bar := spec.Datum{Y: float64(i), X2: float64(f.Selected) / float64(max(r.Done, 1)), Y2: float64(i), Series: most,
			Tips: []any{words.Plain(f.Name), r.chosenIn(f), fmt.Sprintf("%.1f", f.MeanRank)}}

		if i >= r.K {
			bar.Series = others
		}
		bars.Data = append(bars.Data, bar)
		counts.Data = append(counts.Data, spec.Datum{X: 1, Y: float64(i), Text: r.chosenIn(f)})
	}

	p.Layers = []spec.Layer{bars, counts}
	s.Rows, s.Below = [][]spec.Panel{{p}}, further(len(r.Features)-len(r.shown()), "at most as often")
	return s
}
