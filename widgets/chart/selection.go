package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
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
	return Picture{HTML: selectionHTML(selected, more), Text: selectionText(selected, more, 40, 10), Alt: selectionAlt(selected),
		terminal: func(columns int, _ bool) string { return selectionTerminal(selected, columns) }}
}

func selectionHTML(selected []session.Selected, more []Column) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table style=\"%s\"><thead>", tableStyle)
	heads := [][2]string{{rightStyle, "rank"}, {nameStyle, "feature"}, {rightStyle, "column"}, {cellStyle, "probability"}, {rightStyle, "margin"}, {rightStyle, "selector"}}
	for _, c := range more {
		heads = append(heads, [2]string{rightStyle, escape(c.Title)})
	}
	htmlRow(&b, "th", heads...)
	b.WriteString("</thead><tbody>\n")
	for i, f := range selected {
		name := escape(f.Name)
		cells := [][2]string{
			{rightStyle, strconv.Itoa(f.Rank)},
			{nameStyle, fmt.Sprintf(`<span title="%s">%s</span>`, name, name)},
			{rightStyle, strconv.Itoa(f.Index)},
			{cellStyle, htmlBar(f.Probability, 90, certainty(f)) + " " + escape(chance(f.Probability))},
			{rightStyle, escape(chance(f.Margin))},
			{rightStyle, strconv.Itoa(f.Selector)},
		}
		for _, c := range more {
			cells = append(cells, [2]string{rightStyle, escape(c.cell(i))})
		}
		htmlRow(&b, "td", cells...)
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// certainty is the colour of a probability's bar: green where its selector counts as settled.
func certainty(f session.Selected) rgb {
	if f.Probability >= 0.9 {
		return green
	}
	return blue
}

func (c Column) cell(i int) string {
	if i < len(c.Cells) {
		return plain(c.Cells[i])
	}
	return ""
}

// selectionTerminal gives the names what room there is; where that is little the bars go.
func selectionTerminal(selected []session.Selected, columns int) string {
	const rest, bars = 42, 10
	if columns < rest+bars+12 {
		return selectionText(selected, nil, min(40, max(7, columns-rest)), 0)
	}
	return selectionText(selected, nil, min(40, columns-rest-bars), bars)
}

func selectionText(selected []session.Selected, more []Column, name, bars int) string {
	rows := [][]string{{"rank", "feature", "column", "probability", "margin", "selector"}}
	right := []bool{true, false, true, false, true, true}
	for _, c := range more {
		rows[0], right = append(rows[0], plain(c.Title)), append(right, true)
	}
	for i, f := range selected {
		probability := chance(f.Probability)
		if bars > 0 {
			probability = bar(f.Probability, bars) + " " + probability
		}
		row := []string{strconv.Itoa(f.Rank), shorten(plain(f.Name), name), strconv.Itoa(f.Index), probability, chance(f.Margin), strconv.Itoa(f.Selector)}
		for _, c := range more {
			row = append(row, c.cell(i))
		}
		rows = append(rows, row)
	}
	return textTable(rows, right...)
}

func selectionAlt(selected []session.Selected) string {
	certain, names := 0, []string{}
	for _, f := range selected {
		if f.Probability >= 0.9 {
			certain++
		}
		names = append(names, plain(f.Name))
	}
	return fmt.Sprintf("%s, %d with a probability of at least 0.9: %s.", counted(len(selected), "selected feature"), certain, strings.Join(names, ", "))
}
