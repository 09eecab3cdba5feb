package chart

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Sizes of a strip's parts, in pixels.
const (
	stripBar  = 6.0
	stripHigh = 18.0
	stripGap  = 10.0 // between classes
)

// Strip renders counts as HTML: columns, one class after the other, each class
// in its colour and scaled to its largest count. It returns "" if there are no
// classes. Where images aren't shown, the text of [words.Strip] replaces it. It
// is an image because notebooks that aren't trusted lose SVG in HTML.
func Strip(classes [][]int) string {
	if len(classes) == 0 {
		return ""
	}

	var b strings.Builder
	x := 0.0
	for c, counts := range classes {
		most := float64(slices.Max(counts))
		fmt.Fprintf(&b, `<path fill="%s" d="`, spec.Category(c).CSS())
		for i, n := range counts {
			if n > 0 {
				high := max(2, (stripHigh-1)*float64(n)/most)
				fmt.Fprintf(&b, "M%g %gv%.3gh%gv-%[3]gz", x+stripBar*float64(i), stripHigh-1-high, high, stripBar-1)
			}
		}

		wide := stripBar * float64(len(counts))
		fmt.Fprintf(&b, `"/><path stroke="%s" d="M%g %gh%g"/>`, spec.Grey.CSS(), x, stripHigh-0.5, wide-1)
		x += wide + stripGap
	}

	svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g">%s</svg>`, x-stripGap, stripHigh, b.String())
	return fmt.Sprintf(`<img style="vertical-align:middle;max-width:none" alt="%s" src="data:image/svg+xml;base64,%s"/>`, words.Strip(classes),
		base64.StdEncoding.EncodeToString([]byte(svg)))
}
