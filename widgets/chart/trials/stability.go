package trials

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// Stability is how often features were chosen by the same fit to halves of the training rows: what fsnet stability finds.
type Stability struct {
	Dataset string          `json:"dataset"`
	N       int             `json:"n"`    // training rows
	Half    int             `json:"half"` // rows of a half-sample
	K       int             `json:"k"`
	Planned int             `json:"planned"`
	Done    int             `json:"done"` // half-samples
	Failed  int             `json:"failed"`
	Genes   []StabilityGene `json:"genes"`
	Decoys  *struct {
		Share float64 `json:"share"`
		Alarm bool    `json:"alarm"`
	} `json:"decoys"` // nil: none took part
	About []string `json:"about"` // paragraphs below the table: what the words mean, decoys, consensus
}

// StabilityGene is a line: a feature of the choice, or the most frequent member of a group that was seen in half of the half-samples.
type StabilityGene struct {
	Name       string        `json:"name"`
	Rank       int           `json:"rank"`  // in the choice; 0: it is not in it
	Seen       int           `json:"seen"`  // half-samples that chose it
	Group      int           `json:"group"` // that chose it or one of its look-alikes
	LookAlikes []SeenFeature `json:"look_alikes"`
	Word       string        `json:"word"` // "" of too few half-samples, or of too few rows
	AnyOfGroup bool          `json:"any_of_group"`
}

// SeenFeature is a feature and how many half-samples chose it.
type SeenFeature struct {
	Name string `json:"name"`
	Seen int    `json:"seen"`
}

// StabilityTable is the lines as a table, with what the words mean, the decoys, and the consensus below.
func StabilityTable(s Stability) chart.Picture {
	t := stabilityTable(s)
	var below strings.Builder
	for _, line := range s.About {
		fmt.Fprintf(&below, `<div style="margin-top:4px;max-width:60em">%s</div>`, words.Escape(line))
	}
	title := stabilityTitle(s)
	html := "<div><b>" + words.Escape(title) + "</b><div>" + words.Escape(stabilitySubtitle(s)) + "</div>" + t.HTML(0) + "<small>" +
		below.String() + "</small></div>"
	head := title + "\n" + stabilitySubtitle(s) + "\n"
	p := chart.Picture{HTML: html, Text: head + t.Text(0, 0) + strings.Join(s.About, "\n") + "\n", Alt: stabilityAlt(s)}
	return p.Fitting(func(columns int, _ bool) string {
		// Names and look-alikes have what room the counts and words leave.
		return head + t.Text(0, max(12, (columns-52)/2)) + strings.Join(s.About, "\n") + "\n"
	})
}

func stabilityTable(s Stability) table.Table {
	t := table.Table{{Title: ""}, {Title: "feature", Name: true}, {Title: "seen", Right: true}, {Title: "with look-alikes", Right: true},
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
		t.Add(mark, g.Name, strconv.Itoa(g.Seen), strconv.Itoa(g.Group), g.word(), strings.Join(others, ", "))
	}
	return t
}

// word is a line's word with what limits it.
func (g StabilityGene) word() string {
	if g.AnyOfGroup {
		return g.Word + ", any of its group"
	}
	return g.Word
}

func stabilityTitle(s Stability) string {
	return fmt.Sprintf("Which features to trust: %s, K = %d", words.Plain(s.Dataset), s.K)
}

// worded is whether there are half-samples and rows enough for words.
func (s Stability) worded() bool { return len(s.Genes) > 0 && s.Genes[0].Word != "" }

// stabilitySubtitle says what was counted.
func stabilitySubtitle(s Stability) string {
	text := fmt.Sprintf("the same fit on %s of %d of the %s", count.Of(s.Done, "half-sample"), s.Half, count.Of(s.N, "training row"))
	if s.Done+s.Failed < s.Planned {
		text += fmt.Sprintf(" (interrupted: %d were planned)", s.Planned)
	}
	return text
}

func stabilityAlt(s Stability) string {
	words := map[string]int{}
	for _, g := range s.Genes {
		if g.Rank > 0 {
			words[g.Word]++
		}
	}
	var list []string
	for _, w := range []string{"certain", "likely", "a lead", "replaceable", "not repeated"} {
		if words[w] > 0 {
			list = append(list, fmt.Sprintf("%d %s", words[w], w))
		}
	}
	if len(list) == 0 {
		return stabilityTitle(s) + ": too few half-samples or rows for a word."
	}
	return stabilityTitle(s) + ": of the choice " + strings.Join(list, ", ") + "."
}

// The geometry of the chart, in points.
const (
	stabilityRow  = 19.0
	stabilityTop  = 84.0
	stabilityWide = 320.0 // of all half-samples
	wordDash      = 3.0   // of the lines where words begin
)

// StabilityChart draws a bar for each line: how often the feature was chosen, before a lighter one for its group. Dashed lines stand where
// the words begin.
func StabilityChart(s Stability) (chart.Picture, error) {
	return chart.Drawn(stabilityScene(s), true, stabilityText(s), stabilityAlt(s))
}

// stabilityText is the chart in characters.
func stabilityText(s Stability) string {
	t := table.Table{{}, {Name: true}, {}, {Right: true}, {}}
	for _, g := range s.shown() {
		of := float64(max(s.Done, 1))
		own, group := strings.TrimRight(words.Bar(float64(g.Seen)/of, 20), " "), int(20*float64(g.Group)/of+0.5)
		line := own + strings.Repeat("░", max(0, group-len([]rune(own))))
		t.Add(g.mark(), g.Name, words.Pad(line, 20), fmt.Sprintf("%d (%d)", g.Seen, g.Group), g.word())
	}
	text := ""
	if len(t[0].Cells) > 0 {
		text = t.Text(0, table.NameLetters)
	}
	for _, line := range s.remarks() {
		text += line + "\n"
	}
	return stabilityTitle(s) + "\n" + stabilitySubtitle(s) + "; █ itself, ░ its group\n" + text
}

func (g StabilityGene) mark() string {
	if g.Rank > 0 {
		return "*"
	}
	return " "
}

// shown are the lines that a picture has room for.
func (s Stability) shown() []StabilityGene { return s.Genes[:min(len(s.Genes), table.MostRows)] }

// remarks stand below the chart.
func (s Stability) remarks() (lines []string) {
	if more := len(s.Genes) - len(s.shown()); more > 0 {
		lines = append(lines, count.Of(more, "more line")+" in the table")
	}
	if s.Decoys != nil && s.Decoys.Alarm {
		lines = append(lines, "chance is not excluded for this choice as a whole: decoys took "+words.Percent(s.Decoys.Share)+" of the picks")
	}
	return lines
}

func stabilityScene(s Stability) *scene.Scene {
	genes, left := s.shown(), 80.0
	label := func(g StabilityGene) string {
		if g.Rank > 0 {
			return "* " + words.Shorten(words.Plain(g.Name), table.NameLetters)
		}
		return words.Shorten(words.Plain(g.Name), table.NameLetters)
	}
	for _, g := range genes {
		left = max(left, scene.TextWidth(label(g), scene.SmallText, false)+scene.Margin+10)
	}
	c := &scene.Scene{Width: left + stabilityWide + 4*scene.Margin}
	c.Heading(stabilityTitle(s), stabilitySubtitle(s), "blue: itself; grey: it or a look-alike (|r| of .8 or more); * in the choice")
	at := func(count float64) float64 { return left + stabilityWide*count/float64(max(s.Done, 1)) }
	below := stabilityTop + stabilityRow*float64(len(genes))
	for i, g := range genes {
		y := stabilityTop + stabilityRow*(float64(i)+0.5)
		facts := scene.About("feature", words.Plain(g.Name), "seen", g.Seen, "with look-alikes", g.Group, "of", s.Done, "word", g.word())
		c.Text(left-8, y, label(g), scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: 1, V: 0.5})
		if g.Group > 0 {
			c.Rect(left, y-6, at(float64(g.Group))-left, 12, scene.Pale, facts...)
		}
		if g.Seen > 0 {
			c.Rect(left, y-3.5, at(float64(g.Seen))-left, 7, scene.Blue, facts...)
		}
		c.TextInside(at(float64(s.Done))+10, y, g.word(), scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, V: 0.5})
	}
	for quarters, word := range []string{"", "a lead", "likely", "certain"} {
		x := at(float64(quarters) * float64(s.Done) / 4)
		if quarters > 0 && s.worded() {
			c.Line(x, stabilityTop-4, x, below, scene.Soft, 0.8, wordDash)
			c.Text(x, stabilityTop-8, word, scene.Small(0.5, 0))
		}
		c.Text(x, below+14, words.Number(float64(quarters*s.Done)/4), scene.Small(0.5, 0))
	}
	c.Line(left, below, at(float64(s.Done)), below, scene.Soft, 0.8, 0)
	c.Text(at(float64(s.Done)), below+14, strconv.Itoa(s.Done), scene.Small(0.5, 0))
	c.Text(left+stabilityWide/2, below+28, "half-samples that choose it", scene.Small(0.5, 0))
	c.Height = below + 38
	for _, line := range s.remarks() {
		c.Height += 16
		c.TextInside(scene.Margin, c.Height-9, line, scene.Small(0, 0))
	}
	return c
}
