package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// Column is one more column of a table of features.
type Column struct {
	Title string
	Cells []string // one a feature; those that are not there are empty
}

// Selection draws the chosen features as a table, in the order given: rank, name, column of the file, probability, margin to the
// selector's second feature, selector, and the columns given. [Features] is the same as an image, too.
func Selection(selected []session.Selected, more ...Column) Picture {
	if len(selected) == 0 {
		const none = "no features are selected yet: step the session first"
		return Picture{HTML: "<p>" + none + "</p>", Text: none + "\n", Alt: none}
	}
	t := selectionTable(selected, more)
	return Picture{HTML: t.HTML(90), Text: t.Text(10, 40), Alt: selectionAlt(selected), terminal: func(columns int, _ bool) string {
		const rest, bars = 42, 10 // names have what room there is; where that is little the bars go
		if t := selectionTable(selected, nil); columns >= rest+bars+12 {
			return t.Text(bars, min(40, columns-rest-bars))
		}
		return t.Text(0, min(40, max(7, columns-rest)))
	}}
}

// Features draws the chosen features of a session at one moment as [Selection] does, and as an image, for where HTML is not shown.
func Features(s session.Status, selected []session.Selected, more ...Column) (Picture, error) {
	p := Selection(selected, more...)
	subtitle, below := fmt.Sprintf("step %d · %s", s.Step, epochs(s)), ""
	if len(selected) == 0 {
		subtitle += " · no features are selected yet"
	}
	if len(selected) > table.MostRows {
		below = count.Of(len(selected)-table.MostRows, "more feature") + " in the text"
		selected = selected[:table.MostRows]
	}
	image, err := Drawn(selectionTable(selected, more).Scene("Selected features of "+words.Plain(s.Session), subtitle, below), false, p.Text,
		p.Alt)
	p.PNG, p.scene = image.PNG, image.scene
	return p, err
}

func selectionTable(selected []session.Selected, more []Column) table.Table {
	t := table.Table{{Title: "rank", Right: true}, {Title: "feature", Name: true}, {Title: "column", Right: true}, {Title: "probability"},
		{Title: "margin", Right: true}, {Title: "selector", Right: true}}
	for _, f := range selected {
		probability := words.Chance(f.Probability)
		if f.Must {
			probability += " must"
		}
		t.Add(strconv.Itoa(f.Rank), f.Name, strconv.Itoa(f.Index), probability, words.Chance(f.Margin), strconv.Itoa(f.Selector))
		certain := table.Share{Colour: scene.Blue}
		if words.Finite(f.Probability) {
			certain.Value = min(max(f.Probability, 0), 1)
		}
		if f.Probability >= 0.9 { // its selector counts as settled
			certain.Colour = scene.Green
		}
		t[3].Bars = append(t[3].Bars, certain)
	}
	for _, c := range more {
		t = append(t, table.Column{Title: c.Title, Cells: c.Cells[:min(len(c.Cells), len(selected))], Right: true})
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
