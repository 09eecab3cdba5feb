package report

import (
	_ "embed" // for the page
	"html/template"

	"fsnetlab/widgets/chart"
)

//go:embed results.html
var resultsPage string

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
