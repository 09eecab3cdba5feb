package report

import (
	_ "embed" // the page
	"html/template"

	"fsnetlab/widgets/chart"
)

//go:embed results.html
var resultsPage string

// Section is a part of a page of results: words, a command, and then tables and pictures in their order.
type Section struct {
	Title    string
	Text     []string // paragraphs
	Code     string   // what makes it; "" is none
	Pictures []chart.Picture
}

// section is one as the page needs it.
type section struct {
	Section
	Shown []shownPart
}

// shownPart is a picture, or the HTML of a table.
type shownPart struct {
	drawing
	Table template.HTML
}

// Results is one page of results that needs no network and runs no script, as that of [HTML]. The error is of kind Request where it would
// be larger than [Most].
func Results(title string, sections []Section, version string, libraries []string) ([]byte, error) {
	var list []section
	for _, s := range sections {
		one := section{Section: s}
		for _, p := range s.Pictures {
			part := shownPart{Table: template.HTML(p.HTML)} //nolint:gosec // tables escape every text of the data
			if p.HTML == "" {
				var err error
				if part.drawing, err = drawn(p, nil); err != nil {
					return nil, err
				}
			}
			one.Shown = append(one.Shown, part)
		}
		list = append(list, one)
	}
	return fill(resultsPage, "leave out data sets or methods", map[string]any{
		"Title": title, "Sections": list, "Version": version, "Libraries": libraries,
	})
}
