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

// frequencyTable is the same as a table.
func frequencyTable(f Frequencies) chart.Picture {
	t := table.Table{{Title: "feature", Name: true}}
	for _, m := range f.Methods {
		t = append(t, table.Column{Title: m.Method, Right: true})
	}
	for _, g := range f.Features {
		t[0].Cells = append(t[0].Cells, g.Name)
		for m := range f.Methods {
			t[m+1].Cells = append(t[m+1].Cells, f.of(g, m))
		}
	}
	text := frequencyTitle(f) + "\n" + t.Text(0, table.NameLetters) + frequencyRest(f)
	html := "<div><b>" + words.Escape(frequencyTitle(f)) + "</b>" + t.HTML(0) + "<small>" + words.Escape(frequencyRest(f)) + "</small></div>"
	return chart.Picture{HTML: html, Text: text, Alt: frequencyAlt(f)}
}

func frequencyRest(f Frequencies) string {
	if f.Left == 0 {
		return ""
	}
	return count.Of(f.Left, "further feature") + " chosen less often\n"
}

// The geometry of the chart, in points.
const (
	frequencyRow   = 17.0
	frequencyCell  = 30.0
	frequencyTop   = 66.0
	frequencyLarge = 7.5 // radius of the dot of a feature that is chosen on every split
)

// Frequency draws a dot for each feature and method, the larger the more of the splits on which the method chose the feature.
func Frequency(f Frequencies) (chart.Picture, error) {
	return chart.Drawn(frequencyScene(f), false, frequencyTable(f).Text, frequencyAlt(f))
}

func frequencyScene(f Frequencies) *scene.Scene {
	left := 80.0
	name := func(g FrequencyFeature) string { return words.Shorten(words.Plain(g.Name), table.NameLetters) }
	for _, g := range f.Features {
		left = max(left, scene.TextWidth(name(g), scene.SmallText, false)+scene.Margin+10)
	}
	s := &scene.Scene{Width: left + frequencyCell*float64(len(f.Methods)) + 2*scene.Margin}
	s.Heading(frequencyTitle(f), "a full dot: on every split; columns are the methods below")
	at := func(m int) float64 { return left + frequencyCell*(float64(m)+0.5) }
	below := frequencyTop + frequencyRow*float64(len(f.Features))
	for m := range f.Methods {
		s.Text(at(m), frequencyTop-6, fmt.Sprint(m+1), scene.Small(0.5, 0))
		s.Line(at(m), frequencyTop, at(m), below, scene.Faint, 0.5, 0)
	}
	for i, g := range f.Features {
		y := frequencyTop + frequencyRow*(float64(i)+0.5)
		s.Text(left-8, y, name(g), scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: 1, V: 0.5})
		for m, method := range f.Methods {
			if g.Times[m] > 0 {
				share := float64(g.Times[m]) / float64(max(method.Splits, 1))
				s.Dot(at(m), y, frequencyLarge*max(share, 0.1), scene.Category(m),
					scene.About("feature", words.Plain(g.Name), "method", words.Plain(method.Method), "chosen on", f.of(g, m))...)
			}
		}
	}
	s.Height = below + 8
	line := func(text string) {
		s.Height += 14
		s.TextInside(scene.Margin, s.Height, text, scene.Small(0, 0))
	}
	if rest := strings.TrimSpace(cmp.Or(frequencyRest(f), "")); rest != "" {
		line(rest)
	}
	for m, method := range f.Methods {
		line(fmt.Sprintf("%d: %s, %s", m+1, words.Shorten(words.Plain(method.Method), 60), count.Of(method.Splits, "split")))
	}
	s.Height += scene.Margin
	return s
}
