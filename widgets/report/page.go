package report

import (
	"bytes"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// Most is how large a page may be, in bytes.
const Most = 5_000_000

//go:embed page.html
var sessionsPage string

//go:embed parts.html
var parts string // what the pages share: the style, and how a drawing stands in them

// drawing is a picture of the page: as an SVG, or where that were too large as a PNG.
type drawing struct {
	SVG   template.HTML
	PNG   template.URL
	Alt   string
	Width int
}

// mostSVG is how large an SVG of the page may be, in bytes.
const mostSVG = 800_000

func drawn(p chart.Picture, err error) (drawing, error) {
	if err != nil {
		return drawing{}, err
	}
	d := drawing{Alt: p.Alt}
	if svg := p.SVG(); len(svg) <= mostSVG {
		d.SVG = template.HTML(svg) //nolint:gosec // the chart escapes every text of the data
		return d, nil
	}
	const data = "data:image/png;base64,"
	d.PNG = template.URL(data + base64.StdEncoding.EncodeToString(p.PNG())) //nolint:gosec // an image that we made
	if size, ok := p.Metadata()[chart.MIMEPNG].(map[string]any); ok {
		d.Width, _ = size["width"].(int)
	}
	return d, nil
}

// setting is a line of the table of settings.
type setting struct {
	Name, Value, Meaning string
	Given                bool   // it is not the standard one
	Idle                 string // why the choice of features does not depend on it
}

// confusion is the table of an evaluation.
type confusion struct {
	session.Evaluation
	Lines []confused
}

type confused struct {
	Class  string
	Counts []int
}

// shown is a session as the page needs it.
type shown struct {
	Session
	Settings      []setting
	Curves        drawing
	Convergence   drawing
	Heatmap       drawing
	PCA           drawing
	Distributions drawing
	Trust         drawing
	TrustTable    template.HTML
	Confusions    []confusion
	Genes         []gene
	Strips        string // what the strips show, "" where there are none
}

// gene is a selected feature with its neighbours.
type gene struct {
	session.Selected
	Symbol     string
	Effect     session.Effect
	Strip      template.HTML // its rows by class
	Trust      string        // the word of fsnet stability
	Neighbours []session.Neighbour
}

// Quantity reports whether the label is one.
func (s shown) Quantity() bool {
	return len(s.Evaluations) > 0 && s.Evaluations[0].Score.Metric.Quantity()
}

// Answer is how well the network does, in one sentence: on the test rows where they may be looked at.
func (s shown) Answer() string {
	if len(s.Evaluations) == 0 {
		return ""
	}
	return s.Evaluations[len(s.Evaluations)-1].Answer()
}

// HTML is the page of sessions, with the versions of what made it, and genes in the colours of the
// notebook. The error is of kind Request where it would be larger than [Most].
func HTML(sessions []Session, palette *chart.Palette, version string, libraries []string) ([]byte, error) {
	var list []shown
	for _, s := range sessions {
		one, err := show(s, palette)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return write(list, version, libraries)
}

// write is the page of what is shown of sessions.
func write(list []shown, version string, libraries []string) ([]byte, error) {
	return fill(sessionsPage, "report on fewer sessions at once", map[string]any{"Sessions": list, "Version": version, "Libraries": libraries})
}

// fill fills a page; smaller says what to do where it would be too large.
func fill(page, smaller string, values map[string]any) ([]byte, error) {
	functions := template.FuncMap{
		"number": number, "plain": words.Plain, "join": strings.Join,
		"signed": func(v float64) string { return fmt.Sprintf("%+.2f", v) },
	}
	parsed, err := template.New("page").Funcs(functions).Parse(parts + page)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "this is a defect: report it", "the page of the report")
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, values); err != nil {
		return nil, errs.Wrap(err, errs.Failed, "this is a defect: report it", "the report cannot be written")
	}
	if b.Len() > Most {
		return nil, errs.New(errs.Request, smaller, "the report would take %.1f MB, more than the limit of %d", float64(b.Len())/1e6,
			Most/1_000_000)
	}
	return b.Bytes(), nil
}

// number is a figure of a table.
func number(v float64) string { return fmt.Sprintf("%.3f", v) }

func show(s Session, palette *chart.Palette) (shown, error) {
	p := shown{Session: s}
	for _, one := range []struct {
		into *drawing
		draw func() (chart.Picture, error)
	}{
		{&p.Curves, func() (chart.Picture, error) { return chart.Curves(s.Curves) }},
		{&p.Convergence, func() (chart.Picture, error) { return chart.Convergence(s.Convergence, palette) }},
		{&p.Heatmap, func() (chart.Picture, error) { return chart.Heatmap(s.Rows) }},
		{&p.PCA, func() (chart.Picture, error) { return chart.PCA(s.Rows) }},
		{&p.Distributions, func() (chart.Picture, error) { return chart.Distributions(s.Rows) }},
	} {
		var err error
		if *one.into, err = drawn(one.draw()); err != nil {
			return p, err
		}
	}
	if s.Stability != nil {
		var err error
		if p.Trust, err = drawn(chart.StabilityChart(*s.Stability)); err != nil {
			return p, err
		}
		p.TrustTable = template.HTML(chart.StabilityTable(*s.Stability).HTML) //nolint:gosec // the table escapes every text of the data
	}
	c := s.opened()
	data, err := config.Lookup("data")
	if err != nil {
		return p, err
	}
	settings, err := c.Resolve()
	if err != nil {
		return p, err
	}
	p.Settings = []setting{{data.Name, c.Text(data.Name), data.Meaning, true, ""}}
	for _, key := range given(c) {
		why, _ := settings.Idle(key.Name)
		p.Settings = append(p.Settings, setting{key.Name, c.Text(key.Name), key.Meaning, true, why})
	}
	for _, key := range config.Keys() {
		if text := c.Text(key.Name); text != "" && !slices.ContainsFunc(p.Settings, func(s setting) bool { return s.Name == key.Name }) {
			why, _ := settings.Idle(key.Name)
			p.Settings = append(p.Settings, setting{key.Name, text, key.Meaning, false, why})
		}
	}
	for _, e := range s.Evaluations {
		if len(e.Confusion) == 0 { // a quantity has none
			continue
		}
		one := confusion{Evaluation: e}
		for class, counts := range e.Confusion {
			one.Lines = append(one.Lines, confused{e.Classes[class], counts})
		}
		p.Confusions = append(p.Confusions, one)
	}
	effects, strips := s.Rows.Effects(p.Quantity()), s.Rows.Histograms(session.StripParts)
	for i, f := range s.Selection {
		one := gene{Selected: f, Symbol: s.Symbols[f.Name], Trust: s.Stability.WordOf(f.Name)}
		if i < len(s.Rows.Features) {
			one.Effect, one.Neighbours = effects[i], s.Rows.Features[i].Neighbours
			if one.Strip = template.HTML(chart.Strip(strips[i])); one.Strip != "" { //nolint:gosec // an image that we made
				p.Strips = strings.Join(s.Rows.Classes, " | ") + ", low to high"
			}
		}
		p.Genes = append(p.Genes, one)
	}
	return p, nil
}
