package chart

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Compared is what methods of feature selection reach on one data set with one K: a table of fsnet compare.
type Compared struct {
	Dataset string           `json:"dataset"`
	K       int              `json:"k"`
	Entries []ComparedMethod `json:"methods"`
	Ranking *ComparedRanking `json:"ranking"` // nil: too few splits or methods
	// Reference is the method that AgainstFsNet is against; "" is fsnet.
	Reference string `json:"reference"`
}

// ComparedMethod is one of them. What it has no figures of is nil.
type ComparedMethod struct {
	Method       string          `json:"method"`
	Splits       int             `json:"splits"`
	Failed       int             `json:"failed"`
	AccuracySVM  *ComparedSpread `json:"accuracy_svm"`
	AccuracyOwn  *ComparedSpread `json:"accuracy_own"`
	Seconds      *ComparedSpread `json:"seconds"`
	AgainstFsNet *struct {
		Difference float64 `json:"difference"`
		P          float64 `json:"p"`
	} `json:"against_fsnet"`
}

// ComparedSpread is a mean over splits with its standard deviation and 95 % interval.
type ComparedSpread struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// ComparedRanking is how the methods rank: what a critical-difference diagram shows.
type ComparedRanking struct {
	Splits             int            `json:"splits"`
	Ranks              []ComparedRank `json:"ranks"` // the best first
	CriticalDifference float64        `json:"critical_difference"`
	Groups             [][]string     `json:"groups"`
	P                  float64        `json:"p"`
}

// ComparedRank is the mean rank of a method.
type ComparedRank struct {
	Method string  `json:"method"`
	Rank   float64 `json:"rank"`
}

// ComparisonTable is the figures of a comparison as a table.
func ComparisonTable(c Compared) Picture {
	heads := []string{"method", "splits", "SVM accuracy", "95 %", "own accuracy", "seconds", "against " + plain(cmp.Or(c.Reference, "fsnet")), "p"}
	rows := [][]string{heads}
	for _, m := range c.Entries {
		splits := fmt.Sprint(m.Splits)
		if m.Failed > 0 {
			splits += fmt.Sprintf(" (%d failed)", m.Failed)
		}
		row := []string{plain(m.Method), splits, spreadText(m.AccuracySVM, true), "-", spreadText(m.AccuracyOwn, true), spreadText(m.Seconds, false), "-", "-"}
		if s := m.AccuracySVM; s != nil && m.Splits > 1 {
			row[3] = fixed(max(s.Low, 0), 3) + " to " + fixed(min(s.High, 1), 3)
		}
		if a := m.AgainstFsNet; a != nil {
			row[6], row[7] = fmt.Sprintf("%+.3f", a.Difference), fixed(a.P, 3)
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<div><b>%s</b><table style=\"%s\"><thead>", escape(comparisonTitle(c)), tableStyle)
	for i, row := range rows {
		tag, cells := "td", make([][2]string, len(row))
		if i == 0 {
			tag = "th"
		}
		for j, cell := range row {
			cells[j] = [2]string{rightStyle, escape(cell)}
		}
		cells[0][0] = cellStyle
		htmlRow(&b, tag, cells...)
		if i == 0 {
			b.WriteString("</thead><tbody>\n")
		}
	}
	const about = "p: Wilcoxon's signed-rank test of the SVM's accuracies, split by split. Splits share rows: it is too small."
	b.WriteString("</tbody></table><small>" + about + "</small></div>")
	text := comparisonTitle(c) + "\n" + textTable(rows, false, true, true, true, true, true, true, true) + about + "\n"
	return Picture{HTML: b.String(), Text: text, Alt: comparisonAlt(c)}
}

func comparisonTitle(c Compared) string {
	return fmt.Sprintf("Comparison on %s, K = %d", plain(c.Dataset), c.K)
}

func comparisonAlt(c Compared) string {
	return comparisonTitle(c) + ": " + comparisonSummary(c) + "."
}

func comparisonSummary(c Compared) string {
	best, mean := "", math.Inf(-1)
	for _, m := range c.Entries {
		if m.AccuracySVM != nil && m.AccuracySVM.Mean > mean {
			best, mean = plain(m.Method), m.AccuracySVM.Mean
		}
	}
	if best == "" {
		return "no figures yet"
	}
	return fmt.Sprintf("%s; the highest SVM accuracy is %s's, %s", counted(len(c.Entries), "method"), best, fixed(mean, 3))
}

func spreadText(s *ComparedSpread, share bool) string {
	switch {
	case s == nil:
		return "-"
	case share:
		return fixed(s.Mean, 3) + " ± " + fixed(s.SD, 3)
	}
	return secondsText(s.Mean)
}

// secondsText writes a time that was measured to the millisecond.
func secondsText(v float64) string {
	if v < 0.001 {
		return "<0.001"
	}
	return number(v)
}

// Comparison draws a comparison: for each method the mean accuracy with its interval and the seconds of a fit, and below the
// critical-difference diagram: mean ranks on a line, with bars over the methods that Nemenyi's test does not tell apart.
func Comparison(c Compared) (Picture, error) {
	p := Picture{Text: comparisonText(c), Alt: comparisonAlt(c)}
	var err error
	if p.VegaLite, err = comparisonVega(labelled(c)); err != nil {
		return p, err
	}
	d := comparisonLayout(labelled(c))
	p.PNG, err = render(d.width, d.height, d.draw)
	return p, err
}

func comparisonText(c Compared) string {
	var b strings.Builder
	fmt.Fprintln(&b, comparisonTitle(c))
	rows := [][]string{}
	for _, m := range c.Entries {
		if m.AccuracySVM != nil && m.Seconds != nil {
			rows = append(rows, []string{plain(m.Method), bar(m.AccuracySVM.Mean, 20), fixed(m.AccuracySVM.Mean, 3), secondsText(m.Seconds.Mean) + " s"})
		}
	}
	b.WriteString(textTable(rows, false, false, true, true))
	if r := c.Ranking; r != nil {
		fmt.Fprintf(&b, "mean ranks over %s, critical difference %s, Friedman's p = %s\n", counted(r.Splits, "split"), fixed(r.CriticalDifference, 2), number(r.P))
		ranks := [][]string{}
		for _, m := range r.Ranks {
			ranks = append(ranks, []string{"  " + plain(m.Method), fixed(m.Rank, 2)})
		}
		b.WriteString(textTable(ranks, false, true))
		for _, g := range r.Groups {
			fmt.Fprintf(&b, "not told apart: %s\n", plain(strings.Join(g, ", ")))
		}
	}
	return b.String()
}

// labelled is a comparison with names that a picture has room for. One that is cut is followed by its number in the table, so that two
// that begin alike, as FsNet's do with settings of their own, are told apart.
func labelled(c Compared) Compared {
	const most = 48
	label := map[string]string{}
	entries := slices.Clone(c.Entries)
	for i := range entries {
		name := entries[i].Method
		text := plain(name)
		if number := fmt.Sprintf(" (%d.)", i+1); utf8.RuneCountInString(text) > most {
			text = shorten(text, most-len(number)) + number
		}
		label[name], entries[i].Method = text, text
	}
	c.Entries = entries
	if c.Ranking == nil {
		return c
	}
	ranking := *c.Ranking
	ranking.Ranks, ranking.Groups = slices.Clone(ranking.Ranks), slices.Clone(ranking.Groups)
	for i, r := range ranking.Ranks {
		ranking.Ranks[i].Method = cmp.Or(label[r.Method], plain(r.Method))
	}
	for i, group := range ranking.Groups {
		ranking.Groups[i] = slices.Clone(group)
		for j, name := range group {
			ranking.Groups[i][j] = cmp.Or(label[name], plain(name))
		}
	}
	c.Ranking = &ranking
	return c
}

// bounds of the accuracies with their intervals, within 0 and 1.
func (c Compared) bounds() (low, high float64) {
	low, high = 1, 0
	for _, m := range c.Entries {
		if s := m.AccuracySVM; s != nil {
			low, high = min(low, s.Low, s.Mean), max(high, s.High, s.Mean)
		}
	}
	low, high = math.Floor(20*max(low, 0))/20, math.Ceil(20*min(high, 1))/20
	if !(high > low) {
		return 0, 1
	}
	return low, high
}

// powers of ten between which the seconds lie; infinite without any.
func (c Compared) powers() (first, last float64) {
	fastest, slowest := math.Inf(1), math.Inf(-1)
	for _, m := range c.Entries {
		if m.Seconds != nil {
			fastest, slowest = min(fastest, max(m.Seconds.Mean, 1e-3)), max(slowest, max(m.Seconds.Mean, 1e-3))
		}
	}
	first, last = math.Floor(math.Log10(fastest)), math.Ceil(math.Log10(slowest))
	if !(last > first) {
		last = first + 1
	}
	return first, last
}

// secondsTicks are those powers.
func (c Compared) secondsTicks() []float64 {
	ticks := []float64{}
	first, last := c.powers()
	for e := first; finite(first) && e <= last; e++ {
		ticks = append(ticks, power(1, int(e)))
	}
	return ticks
}

func comparisonVega(c Compared) (json.RawMessage, error) {
	values, seconds := []object{}, []object{}
	order := []string{}
	for _, m := range c.Entries {
		order = append(order, plain(m.Method))
		if s := m.AccuracySVM; s != nil {
			values = append(values, object{"method": plain(m.Method), "mean": rounded(s.Mean), "low": rounded(max(s.Low, 0)), "high": rounded(min(s.High, 1))})
		}
		if s := m.Seconds; s != nil {
			seconds = append(seconds, object{"method": plain(m.Method), "seconds": rounded(max(s.Mean, 0.001))})
		}
	}
	low, high := c.bounds()
	y := object{"field": "method", "type": "nominal", "sort": order, "title": nil, "axis": object{"labelLimit": 400}}
	x := func(field string) object {
		return object{"field": field, "type": "quantitative", "title": nil, "scale": object{"domain": []float64{low, high}, "nice": false},
			"axis": object{"values": linearTicks(low, high, 5), "format": ".2f", "labelFlush": false}}
	}
	time := object{"field": "seconds", "type": "quantitative", "title": nil, "scale": object{"type": "log"}}
	if ticks := c.secondsTicks(); len(ticks) > 0 {
		time["scale"] = object{"type": "log", "domain": []float64{ticks[0], ticks[len(ticks)-1]}, "nice": false}
		time["axis"] = object{"values": ticks, "labelFlush": false}
	}
	views := []object{{
		"hconcat": []object{
			{"data": object{"values": values}, "title": overPlot("SVM accuracy: mean and 95 % interval"), "width": 300, "height": object{"step": 20}, "layer": []object{
				{"mark": object{"type": "rule", "color": blue.css(), "strokeWidth": 1.5}, "encoding": object{"y": y, "x": x("low"), "x2": object{"field": "high"}}},
				{"mark": object{"type": "point", "filled": true, "size": 60, "opacity": 1, "color": blue.css()}, "encoding": object{"y": y, "x": x("mean")}},
			}},
			{"data": object{"values": seconds}, "title": overPlot("seconds a fit (logarithmic)"), "width": 150, "height": object{"step": 20},
				"mark": object{"type": "point", "filled": true, "size": 60, "opacity": 1, "color": vermillion.css()}, "encoding": object{
					"y": object{"field": "method", "type": "nominal", "sort": order, "title": nil, "axis": nil},
					"x": time}},
		},
	}}
	if r := c.Ranking; r != nil {
		views = append(views, rankDiagramOf(r).vega(rankingTitle(r)))
	}
	return specification(comparisonTitle(c), []string{comparisonSummary(c)}, comparisonAlt(c), object{"vconcat": views})
}

func rankingTitle(r *ComparedRanking) string {
	return fmt.Sprintf("Mean ranks over %s; bars join methods closer than the critical difference, %s (Friedman's p = %s)", counted(r.Splits, "split"), fixed(r.CriticalDifference, 2), number(r.P))
}

// overPlot is a small title that begins with the plot rather than with the names beside it.
func overPlot(text string) object {
	title := small(text)
	title["frame"] = "group"
	return title
}
