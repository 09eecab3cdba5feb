package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
)

// Selection draws the chosen features as a table, in the order given: rank, name, column of the file, probability, margin to the
// selector's second feature, selector.
func Selection(selected []session.Selected) Picture {
	if len(selected) == 0 {
		const none = "no features are selected yet: step the session first"
		return Picture{HTML: "<p>" + none + "</p>", Text: none + "\n", Alt: none}
	}
	return Picture{HTML: selectionHTML(selected), Text: selectionText(selected, 40, 10), Alt: selectionAlt(selected),
		terminal: func(columns int, _ bool) string { return selectionTerminal(selected, columns) }}
}

func selectionHTML(selected []session.Selected) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table style=\"%s\"><thead>", tableStyle)
	htmlRow(&b, "th", [2]string{rightStyle, "rank"}, [2]string{nameStyle, "feature"}, [2]string{rightStyle, "column"}, [2]string{cellStyle, "probability"},
		[2]string{rightStyle, "margin"}, [2]string{rightStyle, "selector"})
	b.WriteString("</thead><tbody>\n")
	for _, f := range selected {
		colour := blue
		if f.Probability >= 0.9 {
			colour = green
		}
		name := escape(f.Name)
		htmlRow(&b, "td",
			[2]string{rightStyle, strconv.Itoa(f.Rank)},
			[2]string{nameStyle, fmt.Sprintf(`<span title="%s">%s</span>`, name, name)},
			[2]string{rightStyle, strconv.Itoa(f.Index)},
			[2]string{cellStyle, htmlBar(f.Probability, 90, colour) + " " + escape(chance(f.Probability))},
			[2]string{rightStyle, escape(chance(f.Margin))},
			[2]string{rightStyle, strconv.Itoa(f.Selector)})
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// selectionTerminal gives the names what room there is; where that is little the bars go.
func selectionTerminal(selected []session.Selected, columns int) string {
	const rest, bars = 42, 10
	if columns < rest+bars+12 {
		return selectionText(selected, min(40, max(7, columns-rest)), 0)
	}
	return selectionText(selected, min(40, columns-rest-bars), bars)
}

func selectionText(selected []session.Selected, name, bars int) string {
	rows := [][]string{{"rank", "feature", "column", "probability", "margin", "selector"}}
	for _, f := range selected {
		certainty := chance(f.Probability)
		if bars > 0 {
			certainty = bar(f.Probability, bars) + " " + certainty
		}
		rows = append(rows, []string{strconv.Itoa(f.Rank), shorten(plain(f.Name), name), strconv.Itoa(f.Index),
			certainty, chance(f.Margin), strconv.Itoa(f.Selector)})
	}
	return textTable(rows, true, false, true, false, true, true)
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
