package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fsnetlab/fsnet/results"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// stability draws the result of a stability study.
type stability struct{ results.Stability }

// StabilityTable draws the result as a table, with the meaning of the verdicts
// and the consensus.
func StabilityTable(result results.Stability) Picture {
	s := stability{result}
	t := words.Table{{Title: ""}, {Title: "feature", Name: true}, {Title: "seen", Right: true}, {Title: "with look-alikes", Right: true},
		{Title: "word"}, {Title: "look-alikes", Name: true}}
	for _, g := range s.Genes {
		mark := ""
		if g.Rank > 0 {
			mark = "*"
		}

		const most = 4
		var others []string
		for i, o := range g.LookAlikes {
			if i == most {
				others = append(others, "and "+strconv.Itoa(len(g.LookAlikes)-most)+" more")
				break
			}
			others = append(others, fmt.Sprintf("%s %d", o.Name, o.Seen))
		}

		t.Add(mark, g.Name, strconv.Itoa(g.Seen), strconv.Itoa(g.Group), g.Verdict(), strings.Join(others, ", "))
	}

	below := ""
	for _, line := range s.About {
		below += fmt.Sprintf(`<div style="margin-top:4px;max-width:60em">%s</div>`, words.Escape(line))
	}

	html := "<div><b>" + words.Escape(s.title()) + "</b><div>" + words.Escape(s.subtitle()) + "</div>" + t.HTML(0) + "<small>" +
		below + "</small></div>"

	text := func(letters int) string {
		return s.title() + "\n" + s.subtitle() + "\n" + t.Text(0, letters) + strings.Join(s.About, "\n") + "\n"
	}
	return Picture{HTML: html, Text: text(0), Alt: s.alt(), terminal: fitted(2*wideLetters, text)}
}

func (s stability) title() string {
	return fmt.Sprintf("Which features to trust: %s, K = %d", words.Plain(s.Dataset), s.K)
}

// hasWords reports whether there were enough half-samples and rows for
// verdicts.
func (s stability) hasWords() bool { return len(s.Genes) > 0 && s.Genes[0].Word != "" }

// subtitle returns how many half-samples were fitted, of how many rows, and
// whether the study was interrupted.
func (s stability) subtitle() string {
	text := fmt.Sprintf("the same fit on %s of %d of the %s", phrase.Count(s.Done, "half-sample"), s.Half, phrase.Count(s.N, "training row"))
	if u := s.Units; u != nil {
		text += fmt.Sprintf(", which are of %s, %d in the smaller half", phrase.Count(u.N, u.Name), u.Half)
	}
	if s.Done+s.Failed < s.Planned {
		text += fmt.Sprintf(" (interrupted: %d were planned)", s.Planned)
	}
	return text
}

// alt counts the verdicts of the chosen features in one sentence, or says that
// there were too few half-samples or rows.
func (s stability) alt() string {
	times := map[results.Word]int{}
	for _, g := range s.Genes {
		if g.Rank > 0 {
			times[g.Word]++
		}
	}

	var list []string
	for _, w := range results.Words() {
		if times[w] > 0 {
			list = append(list, fmt.Sprintf("%d %s", times[w], w))
		}
	}

	if len(list) == 0 {
		return s.title() + ": too few half-samples, rows or groups for a word."
	}
	return s.title() + ": of the choice " + strings.Join(list, ", ") + "."
}

// StabilityChart draws a bar for each feature: how often it was chosen. It is
// drawn over a paler bar that counts look-alikes, too. Dashed lines mark the
// thresholds of the verdicts.
func StabilityChart(s results.Stability) (Picture, error) {
	return draw(stabilitySpec(s), true, 0, nil), nil
}

// stabilitySpec draws the features in the order of the result, with * before
// chosen ones and the verdict to the right. If there are more than mostRows, it
// draws the first ones and counts the others below.
func stabilitySpec(result results.Stability) spec.Spec {
	s := stability{result}
	const itself, group = "itself", "it or a look-alike"

	p := spec.Panel{Width: 320, Y: spec.Axis{Bands: []string{}},
		X:      spec.Axis{Title: "half-samples that choose it", Low: 0, High: float64(max(s.Done, 1)), Whole: true},
		Series: []spec.Series{{Name: itself, Colour: spec.Blue}, {Name: group, Colour: spec.Pale}}}
	tips := []string{"feature", "seen", "with look-alikes", "word"}
	groups, bars := spec.Layer{Mark: spec.Bar, Size: 0.64, Tips: tips}, spec.Layer{Mark: spec.Bar, Size: 0.36, Tips: tips}
	labels := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Shift: 10}

	shown := s.Genes[:min(len(s.Genes), mostRows)]
	for i, g := range shown {
		name := short(g.Name)
		if g.Rank > 0 {
			name = "* " + name
		}

		p.Y.Bands = append(p.Y.Bands, name)
		bar := spec.Datum{Y: float64(i), Y2: float64(i), X2: float64(g.Group), Series: group,
			Tips: []any{words.Plain(g.Name), g.Seen, g.Group, g.Verdict()}}
		groups.Data = append(groups.Data, bar)
		bar.X2, bar.Series = float64(g.Seen), itself
		bars.Data = append(bars.Data, bar)
		labels.Data = append(labels.Data, spec.Datum{X: p.X.High, Y: bar.Y, Text: g.Verdict()})
	}

	limits := spec.Layer{Mark: spec.Rule, Colour: spec.Soft, Size: 0.8, Dashed: true, Tips: []string{"from here on"}}
	if s.hasWords() {
		p.X.Title += " (dashed, from the left: a lead, likely, certain)"
		for quarters, word := range []string{"a lead", "likely", "certain"} {
			x := float64(quarters+1) * float64(s.Done) / 4
			limits.Data = append(limits.Data, spec.Datum{X: x, X2: x, Y: math.NaN(), Tips: []any{word}})
		}
	}

	p.Layers = []spec.Layer{groups, bars, limits, labels}
	chart := spec.Spec{Title: s.title(), Subtitle: []string{s.subtitle(), "* in the choice; a look-alike has |r| of .8 or more"},
		Rows: [][]spec.Panel{{p}}, Alt: s.alt()}

	if more := len(s.Genes) - len(shown); more > 0 {
		chart.Below = append(chart.Below, phrase.Count(more, "more line")+" in the table")
	}

	if s.Decoys != nil && s.Decoys.Alarm {
		chart.Below = append(chart.Below, "chance is not excluded for this choice as a whole: decoys took "+words.Percent(s.Decoys.Share)+
			" of the picks")
	}

	return chart
}
