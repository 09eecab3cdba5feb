package chart

import (
	"cmp"
	"fmt"
	"strings"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Replicas are how often features were chosen by one configuration trained with many seeds: what fsnet fit --replicas finds.
type Replicas struct {
	Dataset   string           `json:"dataset"`
	K         int              `json:"k"`
	Seeds     string           `json:"seeds"`    // in words, such as "seeds 1 to 20"
	Done      int              `json:"done"`     // replicas
	Figure    string           `json:"figure"`   // of the test rows: accuracy, also where it is "", or R²
	Mean      float64          `json:"mean"`     // of the figure
	SD        float64          `json:"sd"`       // of a replica
	Nogueira  *float64         `json:"nogueira"` // how alike the choices are; nil of fewer than two replicas
	Features  []ReplicaFeature `json:"features"` // the one that is chosen most first
	Different int              `json:"different"`
}

// ReplicaFeature is a feature with the replicas that chose it.
type ReplicaFeature struct {
	Name     string  `json:"name"`
	Selected int     `json:"selected"`
	MeanRank float64 `json:"mean_rank"` // over those that chose it
}

func (r Replicas) title() string {
	return fmt.Sprintf("How often features are chosen: %s, K = %d", words.Plain(r.Dataset), r.K)
}

// subtitle says of what, and how well these predict.
func (r Replicas) subtitle() []string {
	lines := []string{fmt.Sprintf("%s (%s): %s on test rows %s ± %s", count.Of(r.Done, "replica"), r.Seeds,
		cmp.Or(r.Figure, "accuracy"), words.Fixed(r.Mean, 3), words.Fixed(r.SD, 3))}
	if r.Nogueira != nil {
		lines = append(lines, fmt.Sprintf("%s chosen at least once; stability %s (0: as alike as chance, 1: all choose the same)",
			count.Of(r.Different, "feature"), words.Chance(*r.Nogueira)))
	}
	return lines
}

func (r Replicas) alt() string {
	if len(r.Features) == 0 {
		return r.title() + ": none."
	}
	always := 0
	for _, f := range r.Features {
		if f.Selected == r.Done {
			always++
		}
	}
	return fmt.Sprintf("%s: %s most often, in %d of %d; %s in every replica.", r.title(), words.Plain(r.Features[0].Name),
		r.Features[0].Selected, r.Done, count.Of(always, "feature"))
}

// shown are the features that a picture has room for: as many as are chosen at a time, and as many again.
func (r Replicas) shown() []ReplicaFeature {
	return r.Features[:min(len(r.Features), 2*r.K, mostRows)]
}

func (r Replicas) remark() string {
	if more := r.Different - len(r.shown()); more > 0 {
		return count.Of(more, "further feature") + " chosen at most as often"
	}
	return ""
}

func (r Replicas) table() Table {
	t := Table{{Title: "feature", Name: true}, {Title: "chosen in", Right: true}, {Title: "mean rank", Right: true}}
	for _, f := range r.shown() {
		t.Add(f.Name, fmt.Sprintf("%d of %d", f.Selected, r.Done), fmt.Sprintf("%.1f", f.MeanRank))
	}
	return t
}

// ReplicasChart draws a bar for each feature: the share of the replicas that chose it. Those beyond the K most frequent are pale.
func ReplicasChart(r Replicas) (Picture, error) {
	p, err := Drawn(replicasSpec(r), true, "")
	p.HTML = "<div><b>" + words.Escape(r.title()) + "</b><div>" + words.Escape(strings.Join(r.subtitle(), "; ")) + "</div>" +
		r.table().HTML(0) + "<small>" + words.Escape(r.remark()) + "</small></div>"
	return p, err
}

func replicasSpec(r Replicas) spec.Spec {
	s := spec.Spec{Title: r.title(), Subtitle: r.subtitle(), Alt: r.alt()}
	most, others := fmt.Sprintf("the %d most frequent", r.K), "less frequent"
	p := spec.Panel{Width: 320, X: spec.Axis{Title: "share of the replicas", Low: 0, High: 1}, Y: spec.Axis{Bands: []string{}}}
	if len(r.shown()) > r.K {
		p.Series = []spec.Series{{Name: most, Colour: spec.Blue}, {Name: others, Colour: spec.Pale}}
	}
	bars := spec.Layer{Mark: spec.Bar, Colour: spec.Blue, Tips: []string{"feature", "chosen in", "mean rank"}}
	counts := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: 8}
	for i, f := range r.shown() {
		p.Y.Bands = append(p.Y.Bands, words.Shorten(words.Plain(f.Name), nameLetters))
		bar := spec.Datum{Y: float64(i), X2: float64(f.Selected) / float64(max(r.Done, 1)), Y2: float64(i),
			Tips: []any{words.Plain(f.Name), fmt.Sprintf("%d of %d", f.Selected, r.Done), fmt.Sprintf("%.1f", f.MeanRank)}}
		if bar.Series = most; i >= r.K {
			bar.Series = others
		}
		bars.Data = append(bars.Data, bar)
		counts.Data = append(counts.Data, spec.Datum{X: 1, Y: float64(i), Text: bar.Tips[1].(string)})
	}
	p.Layers = []spec.Layer{bars, counts}
	s.Rows = [][]spec.Panel{{p}}
	if remark := r.remark(); remark != "" {
		s.Below = []string{remark}
	}
	return s
}
