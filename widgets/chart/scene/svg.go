package scene

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// SVG is the scene for documents, which may enlarge it: on no ground, with the facts of a mark as its title.
func (s *Scene) SVG(alt string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g" `+
		`font-family="%[3]s" role="img"><title>%[4]s</title>`+"\n",
		math.Ceil(s.Width), math.Ceil(s.Height), sansSerif, html.EscapeString(alt))
	for _, m := range s.Marks {
		switch m := m.(type) {
		case Rect:
			svgRect(&b, m, "")
		case Grid:
			m.each(func(i, j int, r Rect) {
				r.Facts = About("feature", m.Features[j], "column", m.Columns[j], "selector", m.Selectors[i], m.Quantity, Rounded(m.Values[i][j]))
				svgRect(&b, r, "")
			})
		case Sheet:
			m.Each(func(i, j int, r Rect) {
				r.Facts = m.facts(i, j)
				svgRect(&b, r, ` class="cell"`)
			})
		case Stroke:
			fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="%g" stroke-linejoin="round"`, m.Colour.CSS(), m.Width)
			if m.Dash > 0 {
				fmt.Fprintf(&b, ` stroke-dasharray="%g"`, m.Dash)
			}
			if m.Faded {
				fmt.Fprintf(&b, ` stroke-opacity="%g"`, fadedOpacity)
			}
			b.WriteString(` points="`)
			for _, q := range m.Points {
				fmt.Fprintf(&b, "%g,%g ", coordinate(q[0]), coordinate(q[1]))
			}
			fmt.Fprintf(&b, "\">%s</polyline>\n", svgTitle(m.Facts))
		case Dot:
			fmt.Fprintf(&b, `<circle cx="%g" cy="%g" r="%g" fill="%s">%s</circle>`+"\n", coordinate(m.X), coordinate(m.Y), m.Radius, m.Colour.CSS(),
				svgTitle(m.Facts))
		case Label:
			weight, anchor := "normal", [3]string{"start", "middle", "end"}[int(2*m.H)]
			if m.Bold {
				weight = "bold"
			}
			// Whatever fonts the reader has, a text takes the room that it has here.
			fmt.Fprintf(&b, `<text transform="translate(%g %g) rotate(%g)" y="%g" font-size="%g" font-weight="%s" text-anchor="%s"`,
				coordinate(m.X), coordinate(m.Y), coordinate(-m.Angle), coordinate(m.V*CapHeight*m.Size), m.Size, weight, anchor)
			fmt.Fprintf(&b, ` textLength="%g" lengthAdjust="spacingAndGlyphs" fill="%s">%s</text>`+"\n",
				coordinate(TextWidth(m.Text, m.Size, m.Bold)), m.Colour.CSS(), html.EscapeString(m.Text))
		}
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func svgRect(b *strings.Builder, r Rect, more string) {
	fmt.Fprintf(b, `<rect%s x="%g" y="%g" width="%g" height="%g" fill="%s">%s</rect>`+"\n",
		more, coordinate(r.X), coordinate(r.Y), coordinate(r.W), coordinate(r.H), r.Colour.CSS(), svgTitle(r.Facts))
}

// svgTitle is what the whole of a mark is about.
func svgTitle(facts []Fact) string {
	var list []string
	for _, f := range facts {
		if len(f.Values) == 1 {
			list = append(list, fmt.Sprintf("%s %v", f.Name, f.Values[0]))
		}
	}
	if list == nil {
		return ""
	}
	return "<title>" + html.EscapeString(strings.Join(list, " · ")) + "</title>"
}
