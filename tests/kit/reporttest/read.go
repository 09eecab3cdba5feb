// Package reporttest reads the report's page for tests, as a reader would.
//
// Start with [Read]. It returns a [Page]: sections, tables, sentences and the
// contents of pictures.
package reporttest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// Page is what a page contains.
type Page struct {
	Sections []string
	Tables   map[string][][]string // cells by line, by name; with several sessions, those of the last one
	Figures  map[string]string     // sentences and lines, by name
	Elements map[string]int        // number of each element
	Titles   []string              // titles of the pictures' elements
}

// Read parses a page as strict XML. It rejects everything that would load
// something or run code.
func Read(t *testing.T, page []byte) Page {
	t.Helper()
	p := Page{Tables: map[string][][]string{}, Figures: map[string]string{}, Elements: map[string]int{}}
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Entity = xml.HTMLEntity
	var table, figure, title string
	inTitle := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			p.Elements[e.Name.Local]++
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "data-section":
					p.Sections = append(p.Sections, a.Value)
				case "data-table":
					table = a.Value
					p.Tables[table] = nil
				case "data-figure":
					figure = a.Value
				case "src", "srcset", "href":
					if !strings.HasPrefix(a.Value, "#") && !strings.HasPrefix(a.Value, "data:image/") {
						t.Errorf("%s=%.80s asks for something outside", a.Name.Local, a.Value)
					}
				}
				if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(strings.ToLower(a.Value), "javascript:") {
					t.Errorf("%s=%.80s may run", a.Name.Local, a.Value)
				}
			}
			switch e.Name.Local {
			case "script", "link", "iframe", "object", "embed":
				t.Errorf("the page has an element %s", e.Name.Local)
			case "tr":
				if table != "" {
					p.Tables[table] = append(p.Tables[table], nil)
				}
			case "td", "th":
				if lines := p.Tables[table]; table != "" {
					lines[len(lines)-1] = append(lines[len(lines)-1], "")
				}
			case "title":
				inTitle++
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "table":
				table = ""
			case "p", "pre":
				figure = ""
			case "title":
				inTitle--
				p.Titles, title = append(p.Titles, title), ""
			}
		case xml.CharData:
			switch {
			case inTitle > 0:
				title += string(e)
			case figure != "":
				p.Figures[figure] += string(e)
			}
			if lines := p.Tables[table]; table != "" && len(lines) > 0 {
				if last := lines[len(lines)-1]; len(last) > 0 {
					last[len(last)-1] += strings.TrimSpace(string(e))
				}
			}
		}
	}
}
