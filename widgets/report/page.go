package report

import (
	"bytes"
	_ "embed" // for the page
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

// Most limits the size of a page, in bytes.
const Most = 5_000_000

//go:embed page.html
var sessionsPage string

//go:embed results.html
var resultsPage string

//go:embed parts.html
var parts string // shared by the pages: the style, and the place of a drawing

// drawing is a picture of the page: an SVG, or a PNG if the SVG is too large.
type drawing struct {
	SVG   template.HTML
	PNG   template.URL
	Alt   string
	Width int
}

// mostSVG limits the size of an SVG, in bytes.
const mostSVG = 800_000

// drawingOf renders a picture for the page, or returns the error of its
// drawing.
func drawingOf(p chart.Picture, err error) (drawing, error) {
	if err != nil {
		return drawing{}, err
	}

	d := drawing{Alt: p.Alt}
	if svg := p.SVG(); len(svg) <= mostSVG {
		d.SVG = template.HTML(svg) //nolint:gosec // the chart escapes every text of the data
		return d, nil
	}

	const data = "data:image/png;base64,"
	d.PNG = template.URL(data + base64.StdEncoding.EncodeToString(p.PNG())) //nolint:gosec // our own image
	if size, ok := p.Metadata()[chart.MIMEPNG].(map[string]any); ok {
		d.Width, _ = size["width"].(int)
	}
	return d, nil
}

// setting is a line of the table of settings.
type setting struct {
	Name, Value, Meaning string
	Given                bool   // differs from the default
	Idle                 string // why it has no effect on the choice of features
}

// sessionView is a session as the page needs it.
type sessionView struct {
	Session
	Settings      []setting
	Curves        drawing
	Convergence   drawing
	Heatmap       drawing
	PCA           drawing
	Distributions drawing
	Trust         drawing
	TrustTable    template.HTML
	Genes         []gene
	Strips        string // heading of the strips; "" if there are none
}

// gene is a selected feature with its neighbours.
type gene struct {
	session.Selected
	Symbol     string
	Effect     session.Effect
	Strip      template.HTML // its rows by class
	Trust      string        // the verdict of fsnet stability
	Neighbours []session.Neighbour
	SpeaksFor  int // number of features whose probability it took over
}

// Quantity reports whether the label is a quantity. It returns false if there
// is no evaluation.
func (s sessionView) Quantity() bool {
	return len(s.Evaluations) > 0 && s.Evaluations[0].Score.Metric.Quantity()
}

// Answer describes in one sentence how well the network predicts, on the test
// rows if that is allowed. It returns "" if there is no evaluation.
func (s sessionView) Answer() string {
	if len(s.Evaluations) == 0 {
		return ""
	}
	answer := s.Evaluations[len(s.Evaluations)-1].Answer()
	if unfinished := s.Status.Unfinished(); unfinished != "" {
		answer = unfinished + ". " + answer
	}
	return answer
}

// HTML renders the page of sessions, with the versions that made it, and genes
// in the colours of the notebook. The error is of kind Request if the page
// would be larger than [Most].
func HTML(sessions []Session, palette *chart.Palette, version string, libraries []string) ([]byte, error) {
	var list []sessionView
	for _, s := range sessions {
		view, err := show(s, palette)
		if err != nil {
			return nil, err
		}
		list = append(list, view)
	}

	return fill(sessionsPage, "report on fewer sessions at once", map[string]any{"Sessions": list, "Version": version, "Libraries": libraries})
}

// fill fills a template with the parts that pages share. If the page would be
// too large, the error is of kind Request, and smaller is its remedy.
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

// number formats a number of a table.
func number(v float64) string { return fmt.Sprintf("%.3f", v) }

// show prepares a session for the page: drawings, settings with their meaning,
// and a line for each selected feature.
func show(s Session, palette *chart.Palette) (sessionView, error) {
	p := sessionView{Session: s}
	for _, place := range []struct {
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
		if *place.into, err = drawingOf(place.draw()); err != nil {
			return p, err
		}
	}

	if s.Stability != nil {
		var err error
		if p.Trust, err = drawingOf(chart.StabilityChart(*s.Stability)); err != nil {
			return p, err
		}
		p.TrustTable = template.HTML(chart.StabilityTable(*s.Stability).HTML) //nolint:gosec // the table escapes every text of the data
	}

	c := s.openSettings()
	settings, err := c.Resolve()
	if err != nil {
		return p, err
	}

	changed := changedKeys(c)
	for _, key := range config.Keys() {
		if text := c.Text(key.Name); text != "" {
			why, _ := settings.Idle(key.Name)
			given := key.Name == "data" || slices.ContainsFunc(changed, func(k config.Key) bool { return k.Name == key.Name })
			p.Settings = append(p.Settings, setting{key.Name, text, key.Meaning, given, why})
		}
	}

	effects, strips := s.Rows.Effects(p.Quantity()), s.Rows.Histograms()
	for i, f := range s.Selection {
		g := gene{Selected: f, Symbol: s.Symbols[f.Name], Trust: s.Stability.WordOf(f.Name)}
		if i < len(s.Rows.Features) {
			g.Effect, g.Neighbours, g.SpeaksFor = effects[i], s.Rows.Features[i].Neighbours, s.Rows.Features[i].SpeaksFor
			if g.Strip = template.HTML(chart.Strip(strips[i])); g.Strip != "" { //nolint:gosec // our own image
				p.Strips = strings.Join(s.Rows.Classes, " | ") + ", low to high"
			}
		}

		p.Genes = append(p.Genes, g)
	}
	return p, nil
}

// Section is a part of a page of results: words, a command, then tables and
// pictures in order.
type Section struct {
	Title    string
	Text     []string // paragraphs
	Code     string   // the command that produces it, or ""
	Pictures []chart.Picture
}

// section is a Section as the page needs it.
type section struct {
	Section
	Shown []sectionPart
}

// sectionPart is a picture, or the HTML of a table.
type sectionPart struct {
	drawing
	Table template.HTML
}

// Results renders one page of results that needs no network and runs no script,
// as [HTML] does. The error is of kind Request if the page would be larger than
// [Most].
func Results(title string, sections []Section, version string, libraries []string) ([]byte, error) {
	var list []section
	for _, s := range sections {
		view := section{Section: s}
		for _, p := range s.Pictures {
			part := sectionPart{Table: template.HTML(p.HTML)} //nolint:gosec // tables escape every text of the data
			if p.HTML == "" {
				var err error
				if part.drawing, err = drawingOf(p, nil); err != nil {
					return nil, err
				}
			}
			view.Shown = append(view.Shown, part)
		}
		list = append(list, view)
	}

	return fill(resultsPage, "leave out data sets or methods", map[string]any{
		"Title": title, "Sections": list, "Version": version, "Libraries": libraries,
	})
}
