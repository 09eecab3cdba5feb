package trials

import (
	"cmp"
	"fmt"
	"strings"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
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
	return r.Features[:min(len(r.Features), 2*r.K, table.MostRows)]
}

func (r Replicas) remark() string {
	if more := r.Different - len(r.shown()); more > 0 {
		return count.Of(more, "further feature") + " chosen at most as often"
	}
	return ""
}

func (r Replicas) table() table.Table {
	t := table.Table{{Title: "feature", Name: true}, {}, {Title: "chosen in", Right: true}, {Title: "mean rank", Right: true}}
	for _, f := range r.shown() {
		share := float64(f.Selected) / float64(max(r.Done, 1))
		for i, cell := range []string{f.Name, words.Bar(share, 20), fmt.Sprintf("%d of %d", f.Selected, r.Done),
			fmt.Sprintf("%.1f", f.MeanRank)} {
			t[i].Cells = append(t[i].Cells, cell)
		}
	}
	return t
}

func (r Replicas) text() string {
	text := r.title() + "\n" + strings.Join(r.subtitle(), "\n") + "\n"
	if len(r.Features) > 0 {
		text += r.table().Text(0, table.NameLetters)
	}
	if remark := r.remark(); remark != "" {
		text += remark + "\n"
	}
	return text
}

// The geometry of the chart, in points.
const (
	replicasRow  = 19.0
	replicasTop  = 78.0
	replicasWide = 320.0 // of all replicas
)

// ReplicasChart draws a bar for each feature: the share of the replicas that chose it. Those beyond the K most frequent are pale.
func ReplicasChart(r Replicas) (chart.Picture, error) {
	p, err := chart.Drawn(replicasScene(r), true, r.text(), r.alt())
	p.HTML = "<div><b>" + words.Escape(r.title()) + "</b><div>" + words.Escape(strings.Join(r.subtitle(), "; ")) + "</div>" +
		r.table().HTML(0) + "<small>" + words.Escape(r.remark()) + "</small></div>"
	return p, err
}

func replicasScene(r Replicas) *scene.Scene {
	features, left := r.shown(), 80.0
	name := func(f ReplicaFeature) string { return words.Shorten(words.Plain(f.Name), table.NameLetters) }
	for _, f := range features {
		left = max(left, scene.TextWidth(name(f), scene.SmallText, false)+scene.Margin+10)
	}
	s := &scene.Scene{Width: left + replicasWide + 4*scene.Margin}
	s.Heading(r.title(), r.subtitle()...)
	at := func(share float64) float64 { return left + replicasWide*share }
	below := replicasTop + replicasRow*float64(len(features))
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		s.Line(at(share), replicasTop, at(share), below, scene.Faint, 0.5, 0)
		s.Text(at(share), below+14, words.Percent(share), scene.Small(0.5, 0))
	}
	for i, f := range features {
		y, share, colour := replicasTop+replicasRow*(float64(i)+0.5), float64(f.Selected)/float64(max(r.Done, 1)), scene.Blue
		if i >= r.K {
			colour = scene.Pale
		}
		count := fmt.Sprintf("%d of %d", f.Selected, r.Done)
		s.Text(left-8, y, name(f), scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: 1, V: 0.5})
		s.Rect(left, y-5, at(share)-left, 10, colour, scene.About("feature", words.Plain(f.Name), "chosen in", count,
			"mean rank", fmt.Sprintf("%.1f", f.MeanRank))...)
		s.TextInside(at(1)+12, y, count, scene.Lettering{Size: scene.SmallText, Colour: scene.Soft, V: 0.5})
	}
	s.Line(left, below, at(1), below, scene.Soft, 0.8, 0)
	s.Text(left+replicasWide/2, below+29, "share of the replicas", scene.Small(0.5, 0))
	s.Height = below + 38
	lines := []string{r.remark()}
	if len(features) > r.K {
		lines = append([]string{fmt.Sprintf("blue: the %d most frequent", r.K)}, lines...)
	}
	for _, line := range lines {
		if line == "" {
			continue
		}
		s.Height += 14
		s.TextInside(scene.Margin, s.Height-6, line, scene.Small(0, 0))
	}
	return s
}
