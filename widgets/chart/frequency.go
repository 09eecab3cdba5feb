package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Frequencies are how often methods chose features over the splits of a comparison.
type Frequencies struct {
	Dataset  string             `json:"dataset"`
	K        int                `json:"k"`
	Methods  []FrequencyMethod  `json:"methods"`
	Features []FrequencyFeature `json:"features"` // the one that is chosen most first
	Left     int                `json:"left"`     // features that are chosen less often and are not listed
}

// FrequencyMethod is a method that selects.
type FrequencyMethod struct {
	Method string `json:"method"`
	Splits int    `json:"splits"` // on which it has selected
}

// FrequencyFeature is a feature with the number of splits on which each method chose it.
type FrequencyFeature struct {
	Name  string `json:"name"`
	Times []int  `json:"times"`
}

func frequencyTitle(f Frequencies) string {
	return fmt.Sprintf("How often features are chosen: %s, K = %d", words.Plain(f.Dataset), f.K)
}

func frequencyAlt(f Frequencies) string {
	if len(f.Features) == 0 {
		return frequencyTitle(f) + ": none yet."
	}
	return fmt.Sprintf("%s: of %s, most often %s.", frequencyTitle(f), count.Of(len(f.Features)+f.Left, "feature"),
		words.Plain(f.Features[0].Name))
}

// of says on how many of its splits method m chose a feature.
func (f Frequencies) of(g FrequencyFeature, m int) string {
	return fmt.Sprintf("%d of %d", g.Times[m], f.Methods[m].Splits)
}

// frequencyText is the same in characters.
func frequencyText(f Frequencies) string {
	t := Table{{Title: "feature", Name: true}}
	for _, m := range f.Methods {
		t = append(t, Column{Title: m.Method, Right: true})
	}
	for _, g := range f.Features {
		t[0].Cells = append(t[0].Cells, g.Name)
		for m := range f.Methods {
			t[m+1].Cells = append(t[m+1].Cells, f.of(g, m))
		}
	}
	return frequencyTitle(f) + "\n" + t.Text(0, nameLetters) + frequencyRest(f)
}

func frequencyRest(f Frequencies) string {
	if f.Left == 0 {
		return ""
	}
	return count.Of(f.Left, "further feature") + " chosen less often\n"
}

// frequencyLarge is the radius of the dot of a feature that is chosen on every split, in points.
const frequencyLarge = 7.5

// Frequency draws a dot for each feature and method, the larger the more of the splits on which the method chose the feature.
func Frequency(f Frequencies) (Picture, error) {
	return Drawn(frequencySpec(f), false, frequencyText(f))
}

func frequencySpec(f Frequencies) spec.Spec {
	s := spec.Spec{Title: frequencyTitle(f), Subtitle: []string{"a full dot: on every split; columns are the methods below"}, Alt: frequencyAlt(f)}
	p := spec.Panel{Width: 30 * float64(len(f.Methods)), X: spec.Axis{Bands: []string{}}, Y: spec.Axis{Bands: []string{}}}
	dots := spec.Layer{Mark: spec.Point, Tips: []string{"feature", "method", "chosen on"}}
	for m, method := range f.Methods {
		p.X.Bands = append(p.X.Bands, strconv.Itoa(m+1))
		name := fmt.Sprintf("%d: %s, %s", m+1, words.Shorten(words.Plain(method.Method), 60), count.Of(method.Splits, "split"))
		p.Series = append(p.Series, spec.Series{Name: name, Colour: spec.Category(m)})
	}
	for i, g := range f.Features {
		p.Y.Bands = append(p.Y.Bands, words.Shorten(words.Plain(g.Name), nameLetters))
		for m, method := range f.Methods {
			if g.Times[m] > 0 {
				share := float64(g.Times[m]) / float64(max(method.Splits, 1))
				dots.Data = append(dots.Data, spec.Datum{X: float64(m), Y: float64(i), Series: p.Series[m].Name,
					Radius: frequencyLarge * max(share, 0.1), Tips: []any{words.Plain(g.Name), words.Plain(method.Method), f.of(g, m)}})
			}
		}
	}
	p.Layers = []spec.Layer{dots}
	s.Rows = [][]spec.Panel{{p}}
	if rest := strings.TrimSpace(frequencyRest(f)); rest != "" {
		s.Below = []string{rest}
	}
	return s
}
