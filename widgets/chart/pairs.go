package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/results"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Sizes of the plots of pairs.
const (
	pairSide   = 150.0 // points
	pairsInRow = 4
)

// PairsTable draws a table of the pairs of features that tell more together.
func PairsTable(r results.Pairs) Picture {
	t := words.Table{{Title: "feature", Name: true}, {Title: "and", Name: true}, {Title: "kind"}, {Title: "F", Right: true}, {Title: "p", Right: true},
		{Title: "alone", Right: true}}

	for _, p := range r.Pairs[:min(len(r.Pairs), mostRows)] {
		t.Add(p.Features[0], p.Features[1], p.Kind, strconv.FormatFloat(p.F, 'f', 1, 64), words.PValue(&p.P),
			words.Percent(p.Alone[0])+", "+words.Percent(p.Alone[1]))
	}

	lines := pairsLines(r)
	if len(r.Pairs) > 0 {
		lines = append(lines, words.Plain(r.Pairs[0].Text))
	}

	html := "<div><b>" + words.Escape(pairsTitle(r)) + "</b>"
	for _, line := range lines {
		html += "<div>" + words.Escape(line) + "</div>"
	}

	text := func(letters int) string {
		if len(r.Pairs) == 0 {
			return pairsTitle(r) + "\n" + strings.Join(lines, "\n") + "\n"
		}
		return pairsTitle(r) + "\n" + t.Text(0, letters) + strings.Join(lines, "\n") + "\n"
	}

	if len(r.Pairs) > 0 {
		html += t.HTML(0)
	}
	return Picture{HTML: html + "</div>", Text: text(0), Alt: pairsTitle(r) + ": " + lines[0] + ".", terminal: fitted(2*wideLetters, text)}
}

func pairsTitle(r results.Pairs) string { return "Pairs of features of " + words.Plain(r.Dataset) }

// pairsLines returns how many pairs there are, and how many of them the table
// omits.
func pairsLines(r results.Pairs) []string {
	lines := []string{r.Title()}
	if more := len(r.Pairs) - mostRows; more > 0 {
		lines = append(lines, phrase.Count(more, "more pair")+" in the JSON")
	}
	return lines
}

// Pairs draws the first pairs as small scatter plots of the training rows,
// coloured by class or by the range of a quantity. If there are no pairs, it
// draws only the title.
func Pairs(r results.Pairs) (Picture, error) {
	s := spec.Spec{Title: pairsTitle(r), Subtitle: []string{r.Title()}, Alt: pairsTitle(r) + ": " + r.Title() + "."}

	sizes := make([]int, len(r.Classes))
	for _, y := range r.Y {
		sizes[y]++
	}

	var series []spec.Series
	names := make([]string, len(r.Classes))
	for c, name := range r.Classes {
		names[c] = fmt.Sprintf("%s (%d)", short(name), sizes[c])
		if sizes[c] > 0 {
			series = append(series, spec.Kind(names[c], c))
		}
	}

	for i, plot := range r.Plots {
		p := r.Pairs[i]
		panel := spec.Panel{Title: p.Kind + ", p " + words.PValue(&p.P), Width: pairSide, Height: pairSide, X: spec.Axis{Title: short(p.Features[0])},
			Y: spec.Axis{Title: short(p.Features[1])}, Legend: "class (rows)", Series: series, NoLegend: i != min(len(r.Plots), pairsInRow)-1}

		dots := spec.Layer{Mark: spec.Point, Size: 2.4, Tips: []string{"class", "row", "x", "y"}}
		for row, x := range plot.X {
			if y := plot.Y[row]; x != nil && y != nil {
				class := r.Y[row]
				dots.Data = append(dots.Data, spec.Datum{X: *x, Y: *y, Series: names[class],
					Tips: []any{words.Plain(r.Classes[class]), r.Row[row], spec.Round(*x), spec.Round(*y)}})
			}
		}

		slices.SortStableFunc(dots.Data, func(a, b spec.Datum) int { // small classes on top
			return sizes[slices.Index(names, b.Series)] - sizes[slices.Index(names, a.Series)]
		})

		panel.Layers = []spec.Layer{dots}
		if i%pairsInRow == 0 {
			s.Rows = append(s.Rows, nil)
		}
		s.Rows[len(s.Rows)-1] = append(s.Rows[len(s.Rows)-1], panel)
	}

	return draw(s, true, 0, nil), nil
}
