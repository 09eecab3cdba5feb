package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Selection draws the chosen features as a table in their order, with rank,
// name, column of the file, probability, margin to the selector's second
// feature, selector, and the columns in more. [Features] adds an image.
func Selection(selected []session.Selected, more ...words.Column) Picture {
	if len(selected) == 0 {
		const text = "no features are selected yet: step the session first"
		return Picture{HTML: "<p>" + text + "</p>", Text: text + "\n", Alt: text}
	}
	return selectionPicture(selected, append(selectionTable(selected), cut(more, len(selected))...))
}

// selectionPicture renders a table of the chosen features, with a sentence that
// summarises it. In a terminal it renders only the usual columns.
func selectionPicture(selected []session.Selected, t words.Table) Picture {
	certain, names := 0, []string{}
	for _, f := range selected {
		if f.Probability >= settledFrom {
			certain++
		}
		names = append(names, words.Plain(f.Name))
	}

	alt := fmt.Sprintf("%s, %d with a probability of at least 0.9: %s.", phrase.Count(len(selected), "selected feature"), certain,
		strings.Join(names, ", "))
	return Picture{HTML: t.HTML(90), Text: t.Text(10, wideLetters), Alt: alt, terminal: func(columns int) string {
		const rest, bars = 42, 10 // names use the remaining room; bars are dropped first
		if t := selectionTable(selected); columns >= rest+bars+12 {
			return t.Text(bars, min(wideLetters, columns-rest-bars))
		}
		return t.Text(0, min(wideLetters, max(7, columns-rest)))
	}}
}

// Features draws a session's chosen features at one step, as [Selection] does,
// and as a chart of their probabilities for places that don't show HTML.
func Features(s session.Status, selected []session.Selected, more ...words.Column) (Picture, error) {
	p := Selection(selected, more...)
	d := featuresSpec(s, selected, more)
	d.Alt = p.Alt
	p.spec = &d
	return p, nil
}

// probabilityOf returns a probability as the share of a bar, from 0 to 1. It
// returns 0 if the probability isn't finite.
func probabilityOf(f session.Selected) float64 {
	if !words.Finite(f.Probability) {
		return 0
	}
	return min(max(f.Probability, 0), 1)
}

// probabilityText formats a probability. It adds what chose the feature unless
// that was the gradient, and which feature it replaced.
func probabilityText(f session.Selected) string {
	text := words.Chance(f.Probability)
	if by := f.Reason(); by != "" {
		text += " " + words.Plain(by)
	}
	return text
}

// featuresSpec draws a bar for each chosen feature, with its facts and the
// cells of more to the right. If there are more than mostRows features, it
// draws the first ones and counts the others below.
func featuresSpec(s session.Status, selected []session.Selected, more []words.Column) spec.Spec {
	subtitle := fmt.Sprintf("step %d · %s", s.Step, epochs(s))
	if len(selected) == 0 {
		subtitle += " · no features are selected yet"
	}

	d := spec.Spec{Title: "Selected features of " + words.Plain(s.Session), Subtitle: []string{subtitle}}

	if len(selected) > mostRows {
		d.Below = []string{phrase.Count(len(selected)-mostRows, "more feature") + " in the text"}
		selected = selected[:mostRows]
	}

	const settled, others = "settled (from 0.9)", "not settled"
	p := spec.Panel{Width: 160, X: spec.Axis{Title: "probability", Low: 0, High: 1}, Y: spec.Axis{Bands: []string{}},
		Series: []spec.Series{{Name: settled, Colour: spec.Green}, {Name: others, Colour: spec.Blue}}}
	bars, notes := spec.Layer{Mark: spec.Bar}, spec.Layer{Mark: spec.Text, Colour: spec.Ink, Shift: 8}

	for i, f := range selected {
		p.Y.Bands = append(p.Y.Bands, fmt.Sprintf("%d  %s", f.Rank, short(f.Name)))
		bar := spec.Datum{Y: float64(i), Y2: float64(i), X2: probabilityOf(f), Series: others}
		if f.Probability >= settledFrom {
			bar.Series = settled
		}

		bars.Data = append(bars.Data, bar)
		facts := []string{probabilityText(f), "margin " + words.Chance(f.Margin), fmt.Sprintf("selector %d", f.Selector),
			fmt.Sprintf("column %d", f.Index)}

		for _, c := range more {
			if i < len(c.Cells) && c.Cells[i] != "" {
				facts = append(facts, words.Plain(c.Title)+" "+words.Plain(c.Cells[i]))
			}
		}
		notes.Data = append(notes.Data, spec.Datum{X: 1, Y: bar.Y, Text: strings.Join(facts, " · ")})
	}

	p.Layers = []spec.Layer{bars, notes}
	if len(selected) > 0 {
		d.Rows = [][]spec.Panel{{p}}
	}
	return d
}

// short cuts a name to the length that charts have room for.
func short(name string) string { return words.Shorten(words.Plain(name), nameLetters) }

// selectionTable returns the table of chosen features, in their order. Bars of
// settled selectors are green, and others are blue.
func selectionTable(selected []session.Selected) words.Table {
	t := words.Table{{Title: "rank", Right: true}, {Title: "feature", Name: true}, {Title: "column", Right: true}, {Title: "probability"},
		{Title: "margin", Right: true}, {Title: "selector", Right: true}}
	for _, f := range selected {
		t.Add(strconv.Itoa(f.Rank), f.Name, strconv.Itoa(f.Index), probabilityText(f), words.Chance(f.Margin), strconv.Itoa(f.Selector))
		certain := words.Share{Value: probabilityOf(f), Colour: spec.Blue.CSS()}
		if f.Probability >= settledFrom { // its selector counts as settled
			certain.Colour = spec.Green.CSS()
		}
		t[3].Bars = append(t[3].Bars, certain)
	}
	return t
}

// cut shortens columns to rows cells, and aligns columns of text, but not of
// HTML, to the right.
func cut(columns []words.Column, rows int) (list []words.Column) {
	for _, c := range columns {
		c.Cells, c.HTML = c.Cells[:min(len(c.Cells), rows)], c.HTML[:min(len(c.HTML), rows)]
		c.Right = len(c.HTML) == 0
		list = append(list, c)
	}
	return list
}

// About holds what is known of the features apart from the training: their
// symbols by name and, if fsnet stability was run, its result.
type About struct {
	Symbols   map[string]string
	Stability *results.Stability
}

// Summary reports the result of a training: one sentence about its evaluation,
// and then its features. Each feature has the class in which it stands out, its
// rows by class from the lowest value to the highest, and what is known about
// it. Below the features, it says which of them tell together.
func Summary(e session.Evaluation, selected []session.Selected, rows session.Rows, about About) Picture {
	quantity := e.Score.Metric.Quantity()

	higher := words.Column{Title: "stands out in, SD"}
	if quantity {
		higher.Title = "goes with it"
	}

	for _, effect := range rows.Effects(quantity) {
		higher.Cells = append(higher.Cells, words.Plain(effect.String()))
	}

	const behindName = 2 // columns
	p, answer := Selection(selected), words.Plain(e.Answer())
	if e.Unfinished != "" {
		answer = words.Plain(e.Unfinished) + ". " + answer
	}

	if len(selected) > 0 {
		p = selectionPicture(selected, slices.Insert(selectionTable(selected), behindName,
			cut(about.columns(selected, rows, higher), len(selected))...))
	}

	p = p.Below(answer)
	for _, text := range rows.Pairs {
		p = p.Note(text)
	}

	if e.TestLooks > 1 && e.Part == "test" {
		note := e.Looks()
		p.HTML += "<div>" + note + "</div>"
		p.Text += note + "\n"
	}
	return p
}

// columns returns the additional columns of a summary. It always returns the
// effects. It adds symbols, verdicts of stability and strips if any are known.
func (a About) columns(selected []session.Selected, rows session.Rows, effects words.Column) []words.Column {
	symbol, trust := words.Column{Title: "symbol"}, words.Column{Title: "on half-samples"}
	strip := words.Column{Title: strings.Join(rows.Classes, " | ") + ", low to high"}
	for _, f := range selected {
		symbol.Cells = append(symbol.Cells, words.Plain(a.Symbols[f.Name]))
		trust.Cells = append(trust.Cells, a.Stability.WordOf(f.Name))
	}

	for _, counts := range rows.Histograms() {
		strip.Cells, strip.HTML = append(strip.Cells, words.Strip(counts)), append(strip.HTML, Strip(counts))
	}

	list := []words.Column{effects}
	for _, c := range []words.Column{symbol, trust, strip} {
		if slices.ContainsFunc(c.Cells, func(cell string) bool { return cell != "" }) {
			list = append(list, c)
		}
	}
	return list
}

// Sessions draws a table of the open sessions. It shows where each stands, and
// has a column for each setting in which they differ. current is the session
// that lines without a name mean. If it is in the list, it gets a mark.
func Sessions(list []session.Status, current string) Picture {
	t := words.Table{{Title: "session", Name: true}, {Title: "state"}, {Title: "step", Right: true}, {Title: "settled", Right: true},
		{Title: "training accuracy", Right: true}}

	for _, s := range list {
		score := "–"
		if s.Trained {
			score = words.Fixed(s.TrainScore.Value, 3)
		}
		if s.Trained && s.TrainScore.Metric.Quantity() {
			score = "R² " + score
		}

		name := s.Session
		if name == current {
			name += " ◂"
		}
		t.Add(name, string(s.State), fmt.Sprintf("%d of %d", s.Step, s.Steps), fmt.Sprintf("%d of %d", s.SettledRows, s.Config.K), score)
	}
	t = append(t, Differing(list)...)
	p := Picture{HTML: t.HTML(0), Text: t.Text(0, nameLetters), Alt: phrase.Count(len(list), "open session")}
	if slices.ContainsFunc(list, func(s session.Status) bool { return s.Session == current }) {
		p = p.Note("◂ lines without a name mean this session")
	}
	return p
}

// Differing returns a column for each setting in which sessions differ, with a cell for each of
// them.
func Differing(list []session.Status) (columns []words.Column) {
	for _, key := range config.Keys() {
		column, differs := words.Column{Title: key.Name}, false
		for _, s := range list {
			column.Cells = append(column.Cells, s.Config.Text(key.Name))
			follows := key.Name == "split_seed" && s.Config.RowsSeed() == s.Config.Seed // split_seed follows seed
			differs = differs || !follows && s.Config.Text(key.Name) != list[0].Config.Text(key.Name)
		}

		if differs {
			columns = append(columns, column)
		}
	}
	return columns
}
