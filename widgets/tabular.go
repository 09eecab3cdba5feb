package widgets

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	mostRows    = 60 // of a table that is shown
	mostColumns = 24
	mostLetters = 80 // of one of its cells
)

// tabular is a table of texts, of which only the beginning is there where it is large.
type tabular struct {
	heads         []string
	rows          [][]string
	numbers       []bool // by column: to the right
	height, width int    // of the whole
}

// matrixTable is a matrix, with the numbers of its columns above.
func matrixTable(m matrix) tabular {
	rows, columns := m.Dims()
	t := tabular{height: rows, width: columns}
	for j := range min(columns, mostColumns) {
		t.heads, t.numbers = append(t.heads, strconv.Itoa(j)), append(t.numbers, true)
	}
	for i := range min(rows, mostRows) {
		row := make([]string, len(t.heads))
		for j := range row {
			row[j] = number(m.At(i, j))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// structTable is a slice or an array of structs, or of pointers to them, a column a field that other packages may see.
func structTable(value any) (t tabular, ok bool) {
	list := reflect.ValueOf(value)
	if !list.IsValid() || (list.Kind() != reflect.Slice && list.Kind() != reflect.Array) {
		return t, false
	}
	element := list.Type().Elem()
	if element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	if element.Kind() != reflect.Struct {
		return t, false
	}
	var fields []int
	for i := range element.NumField() {
		if element.Field(i).IsExported() {
			fields = append(fields, i)
		}
	}
	if len(fields) == 0 {
		return t, false
	}
	t.height, t.width = list.Len(), len(fields)
	fields = fields[:min(len(fields), mostColumns)]
	for _, i := range fields {
		t.heads = append(t.heads, element.Field(i).Name)
		kind := element.Field(i).Type.Kind()
		t.numbers = append(t.numbers, kind >= reflect.Int && kind <= reflect.Float64)
	}
	for at := range min(t.height, mostRows) {
		row := make([]string, len(fields))
		item := list.Index(at)
		if item.Kind() == reflect.Pointer {
			item = item.Elem()
		}
		for j, i := range fields {
			if item.IsValid() { // not a nil pointer
				row[j] = cellText(item.Field(i))
			}
		}
		t.rows = append(t.rows, row)
	}
	return t, true
}

// cellText is a field in one line.
func cellText(v reflect.Value) string {
	text := ""
	switch {
	case v.Kind() == reflect.Float64 || v.Kind() == reflect.Float32:
		text = number(v.Float())
	case v.Kind() == reflect.Pointer && v.IsNil():
	case v.Kind() == reflect.Pointer && v.Elem().Kind() != reflect.Struct:
		return cellText(v.Elem())
	default:
		text = fmt.Sprint(v.Interface())
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > mostLetters {
		text = string(runes[:mostLetters-1]) + "…"
	}
	return text
}

// note says what is left out, or "".
func (t tabular) note() string {
	if t.height == len(t.rows) && t.width == len(t.heads) {
		return ""
	}
	return fmt.Sprintf("%d × %d, of which the first %d × %d are shown", t.height, t.width, len(t.rows), len(t.heads))
}

func tableForms(t tabular) map[string]any {
	return map[string]any{mimeHTML: t.html(), mimeText: t.text()}
}

func (t tabular) html() string {
	var b strings.Builder
	line := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for j, cell := range cells {
			align := "left"
			if t.numbers[j] {
				align = "right"
			}
			fmt.Fprintf(&b, `<%s style="text-align:%s">%s</%s>`, tag, align, escaped(cell), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<table>\n")
	line("th", t.heads)
	for _, row := range t.rows {
		line("td", row)
	}
	b.WriteString("</table>")
	if note := t.note(); note != "" {
		b.WriteString("<div>" + note + "</div>")
	}
	return b.String()
}

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(text)
}

func (t tabular) text() string {
	widths := make([]int, len(t.heads))
	lines := append([][]string{t.heads}, t.rows...)
	for _, line := range lines {
		for j, cell := range line {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var row strings.Builder
		for j, cell := range line {
			space := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if t.numbers[j] {
				row.WriteString(space + cell + "  ")
			} else {
				row.WriteString(cell + space + "  ")
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	if note := t.note(); note != "" {
		b.WriteString(note + "\n")
	}
	return b.String()
}
