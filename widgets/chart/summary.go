package chart

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/words"
)

// About is what is known of the features besides the training: their symbols, by name, and the words of fsnet stability, where it was run.
type About struct {
	Symbols   map[string]string
	Stability *Stability
}

// Summary is what a training came to: one sentence of its evaluation, then its features: the class that each is higher in, its rows by
// class from the lowest value to the highest, and what is known about it.
func Summary(e session.Evaluation, selected []session.Selected, rows session.Rows, about About) Picture {
	quantity := e.R2 != nil
	higher := Column{Title: "higher in, SD"}
	if quantity {
		higher.Title = "goes with it"
	}
	for _, effect := range rows.Effects(quantity) {
		higher.Cells = append(higher.Cells, words.Plain(effect.String()))
	}
	p, answer := Selection(selected, about.columns(selected, rows, higher)...), words.Plain(e.Answer())
	within := p.terminal
	p.HTML = "<p><b>" + words.Escape(answer) + "</b></p>" + p.HTML
	p.Text, p.Alt = answer+"\n\n"+p.Text, answer+". "+p.Alt
	if within != nil {
		p.terminal = func(columns int) string {
			return words.Wrap(answer, columns) + "\n\n" + within(columns)
		}
	}
	if e.TestLooks > 1 && e.Part == "test" {
		note := "the test rows were looked at more than once: choosing by them is tuning on the test set"
		p.HTML += "<div>" + note + "</div>"
		p.Text += note + "\n"
	}
	return p
}

// columns are those of a summary: the effects, and what there is of the rest.
func (a About) columns(selected []session.Selected, rows session.Rows, effects Column) []Column {
	symbol, trust := Column{Title: "symbol"}, Column{Title: "on half-samples"}
	strip := Column{Title: strings.Join(rows.Classes, " | ") + ", low to high"}
	for _, f := range selected {
		symbol.Cells = append(symbol.Cells, words.Plain(a.Symbols[f.Name]))
		trust.Cells = append(trust.Cells, a.Stability.WordOf(f.Name))
	}
	for _, counts := range rows.Histograms(words.StripParts) {
		strip.Cells = append(strip.Cells, words.Strip(counts))
	}
	list := []Column{effects}
	for _, c := range []Column{symbol, trust, strip} {
		if slices.ContainsFunc(c.Cells, func(cell string) bool { return cell != "" }) {
			list = append(list, c)
		}
	}
	return list
}

// WordOf is what stability says of a feature of the choice; "" of another, and where it was not run.
func (s *Stability) WordOf(feature string) string {
	if s == nil {
		return ""
	}
	for _, g := range s.Genes {
		if g.Name == feature && g.Rank > 0 {
			return g.word()
		}
	}
	return ""
}
