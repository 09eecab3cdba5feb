package chart

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// What HTML pictures share: styles stand in the elements, since notebooks strip style sheets, and colours are those of lines with
// transparency, so that they read in light and dark themes.
const (
	cellStyle  = "padding:1px 10px 1px 0;text-align:left;white-space:nowrap"
	rightStyle = "padding:1px 10px 1px 0;text-align:right;white-space:nowrap"
	nameStyle  = cellStyle + ";max-width:24em;overflow:hidden;text-overflow:ellipsis"
	countStyle = "padding:1px 10px;text-align:right;white-space:nowrap"
	tableStyle = "border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums;margin:4px 0"
)

// escape makes a text safe anywhere in HTML.
func escape(s string) string { return html.EscapeString(plain(s)) }

// htmlBar draws a share as a bar on a track.
func htmlBar(share float64, width int, colour rgb) string {
	if math.IsNaN(share) {
		share = 0
	}
	return fmt.Sprintf(`<span style="display:inline-block;width:%dpx;height:9px;background:rgba(128,128,128,0.25);border-radius:2px;overflow:hidden;line-height:0">`+
		`<span style="display:inline-block;width:%s%%;height:9px;background:%s"></span></span>`, width, fixed(100*min(max(share, 0), 1), 1), colour.css())
}

// htmlRow writes a table's row of cells that are already HTML, each with its style.
func htmlRow(b *strings.Builder, tag string, cells ...[2]string) {
	b.WriteString("<tr>")
	for _, c := range cells {
		fmt.Fprintf(b, `<%s style="%s">%s</%s>`, tag, c[0], c[1], tag)
	}
	b.WriteString("</tr>\n")
}

// textTable sets rows in columns two spaces apart; the columns in right are aligned right.
func textTable(rows [][]string, right ...bool) string {
	widths := make([]int, len(right))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if right[i] {
				line += space + cell + "  "
			} else {
				line += cell + space + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
