package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Selection draws the chosen features as a table, in the order given: rank, name, column of the file, probability, margin to the
// selector's second feature, selector, and the columns given. [Features] is the same as an image, too.
func Selection(selected []session.Selected, more ...Column) Picture {
	if len(selected) == 0 {
		const none = "no features are selected yet: step the session first"
		return Picture{HTML: "<p>" + none + "</p>", Text: none + "\n", Alt: none}
	}
	t := selectionTable(selected, more)
	return Picture{HTML: t.HTML(90), Text: t.Text(10, 40), Alt: selectionAlt(selected), terminal: func(columns int) string {
		const rest, bars = 42, 10 // names have what room there is; where that is little the bars go
		if t := selectionTable(selected, nil); columns >= rest+bars+12 {
			return t.Text(bars, min(40, columns-rest-bars))
		}
		return t.Text(0, min(40, max(7, columns-rest)))
	}}
}

// Features draws the chosen features of a session at one moment as [Selection] does, and as a chart of their probabilities, for where HTML is
// not shown.
func Features(s session.Status, selected []session.Selected, more ...Column) (Picture, error) {
	p := Selection(selected, more...)
	d := featuresSpec(s, selected, more)
	d.Alt = p.Alt
	image, err := Drawn(d, false, p.Text)
	p.PNG, p.spec = image.PNG, image.spec
	return p, err
}

func featuresSpec(s session.Status, selected []session.Selected, more []Column) spec.Spec {
	subtitle := fmt.Sprintf("step %d · %s", s.Step, epochs(s))
	if len(selected) == 0 {
		subtitle += " · no features are selected yet"
	}
	d := spec.Spec{Title: "Selected features of " + words.Plain(s.Session), Subtitle: []string{subtitle}}
	if len(selected) > mostRows {
		d.Below = []string{count.Of(len(selected)-mostRows, "more feature") + " in the text"}
		selected = selected[:mostRows]
	}
	const settled, others = "settled (from 0.9)", "not settled"
	p := spec.Panel{Width: 160, X: spec.Axis{Title: "probability", Low: 0, High: 1}, Y: spec.Axis{Bands: []string{}},
		Series: []spec.Series{{Name: settled, Colour: spec.Green}, {Name: others, Colour: spec.Blue}}}
	bars := spec.Layer{Mark: spec.Bar}
	said := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Shift: 8}
	for i, f := range selected {
		name := fmt.Sprintf("%d  %s", f.Rank, words.Shorten(words.Plain(f.Name), nameLetters))
		p.Y.Bands = append(p.Y.Bands, name)
		bar := spec.Datum{Y: float64(i), Y2: float64(i), Series: others}
		if words.Finite(f.Probability) {
			bar.X2 = min(max(f.Probability, 0), 1)
		}
		if f.Probability >= settledFrom {
			bar.Series = settled
		}
		bars.Data = append(bars.Data, bar)
		facts := []string{words.Chance(f.Probability), "margin " + words.Chance(f.Margin), fmt.Sprintf("selector %d", f.Selector),
			fmt.Sprintf("column %d", f.Index)}
		if f.Must {
			facts[0] += " must"
		}
		for _, c := range more {
			if i < len(c.Cells) && c.Cells[i] != "" {
				facts = append(facts, words.Plain(c.Title)+" "+words.Plain(c.Cells[i]))
			}
		}
		said.Data = append(said.Data, spec.Datum{X: 1, Y: bar.Y, Text: strings.Join(facts, " · ")})
	}
	p.Layers = []spec.Layer{bars, said}
	if len(selected) > 0 {
		d.Rows = [][]spec.Panel{{p}}
	}
	return d
}

func selectionTable(selected []session.Selected, more []Column) Table {
	t := Table{{Title: "rank", Right: true}, {Title: "feature", Name: true}, {Title: "column", Right: true}, {Title: "probability"},
		{Title: "margin", Right: true}, {Title: "selector", Right: true}}
	for _, f := range selected {
		probability := words.Chance(f.Probability)
		if f.Must {
			probability += " must"
		}
		t.Add(strconv.Itoa(f.Rank), f.Name, strconv.Itoa(f.Index), probability, words.Chance(f.Margin), strconv.Itoa(f.Selector))
		certain := Share{Colour: spec.Blue}
		if words.Finite(f.Probability) {
			certain.Value = min(max(f.Probability, 0), 1)
		}
		if f.Probability >= 0.9 { // its selector counts as settled
			certain.Colour = spec.Green
		}
		t[3].Bars = append(t[3].Bars, certain)
	}
	for _, c := range more {
		t = append(t, Column{Title: c.Title, Cells: c.Cells[:min(len(c.Cells), len(selected))], Right: true})
	}
	return t
}
func selectionAlt(selected []session.Selected) string {
	certain, names := 0, []string{}
	for _, f := range selected {
		if f.Probability >= 0.9 {
			certain++
		}
		names = append(names, words.Plain(f.Name))
	}
	return fmt.Sprintf("%s, %d with a probability of at least 0.9: %s.", count.Of(len(selected), "selected feature"), certain,
		strings.Join(names, ", "))
}
