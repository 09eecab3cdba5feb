package widgets

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"fsnetlab/widgets/chart/words"
)

const (
	maxRows    = 60 // of a table to show
	maxColumns = 24
	maxLetters = 80 // of one of its cells to show
)

// tabular is a table, cut to its first rows and columns.
type tabular struct {
	words.Table
	height, width int // of the uncut table
}

// matrixTable returns a matrix as a table whose columns are titled by their
// numbers.
func matrixTable(m matrix) tabular {
	rows, columns := m.Dims()
	t := tabular{height: rows, width: columns}
	for j := range min(columns, maxColumns) {
		c := words.Column{Title: strconv.Itoa(j), Right: true}
		for i := range min(rows, maxRows) {
			c.Cells = append(c.Cells, number(m.At(i, j)))
		}
		t.Table = append(t.Table, c)
	}
	return t
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// structTable returns a slice or array of structs, or of pointers to structs,
// as a table with one column per exported field, cut to maxRows and maxColumns.
// ok is false for other values.
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
	for _, i := range fields[:min(len(fields), maxColumns)] {
		kind := element.Field(i).Type.Kind()
		c := words.Column{Title: element.Field(i).Name, Right: kind >= reflect.Int && kind <= reflect.Float64}

		for at := range min(t.height, maxRows) {
			item, cell := list.Index(at), ""
			if item.Kind() == reflect.Pointer {
				item = item.Elem()
			}
			if item.IsValid() { // not a nil pointer
				cell = cellText(item.Field(i))
			}
			c.Cells = append(c.Cells, cell)
		}

		t.Table = append(t.Table, c)
	}
	return t, true
}

// cellText returns a field's value in one line.
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
	return words.Shorten(strings.Join(strings.Fields(text), " "), maxLetters)
}

// tableForms returns the forms of a table, with a note if it was cut. If the
// table has no columns, it returns a line of text.
func tableForms(t tabular) map[string]any {
	if len(t.Table) == 0 {
		return map[string]any{mimeText: "an empty table"}
	}

	page, text := t.HTML(0), t.Text(0, 0)
	if rows := len(t.Table[0].Cells); rows < t.height || len(t.Table) < t.width {
		note := fmt.Sprintf("%d × %d, of which the first %d × %d are shown", t.height, t.width, rows, len(t.Table))
		page, text = page+"<div>"+note+"</div>", text+note+"\n"
	}
	return map[string]any{mimeHTML: words.Untypeset(page), mimeText: text}
}
