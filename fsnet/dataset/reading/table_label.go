package reading

import (
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/suggest"
)

// column is the index of a column, or -1.
func (t *table) column(name string) int { return slices.Index(t.header, name) }

// namedColumn finds a column that a key names.
func (t *table) namedColumn(key, name string) (int, error) {
	if j := t.column(name); j >= 0 {
		if slices.Contains(t.header[j+1:], name) {
			return 0, fault.New(fault.Request, "give them different names", "%s has several columns %q (%s)", t.path, name, key)
		}
		return j, nil
	}
	return 0, fault.New(fault.Request, suggest.DidYouMeanOr(name, t.header, "name a column of the header"),
		"%s has no column %q (%s)", t.path, name, key)
}

// findLabel finds what holds the classes: a column, or a row in a table that has a line for each feature. Rows to predict may have none:
// their table has a line for each feature where more of the panel begin a line than head a column. Afterwards the table stands at its first
// line of data.
func (t *table) findLabel(q query) (name string, transposed bool, err error) {
	if q.predicts() {
		lines, err := t.rowNames(func(string) bool { return true })
		if err != nil {
			return "", false, err
		}
		if q.found(lines) > q.found(t.header) {
			name, err := t.oneOf(lines, q.isLabel, "rows")
			return name, true, err
		}
	}
	if name, err := t.oneOf(t.header, q.isLabel, "columns"); name != "" || err != nil || q.predicts() {
		return name, false, err
	}
	rows, err := t.rowNames(q.isLabel)
	if err != nil {
		return "", false, err
	}
	if name, err := t.oneOf(rows, q.isLabel, "rows"); name != "" || err != nil {
		return name, true, err
	}
	return "", false, t.noLabel(q.Label)
}

// oneOf returns the name that fits, "" where none does; it refuses several.
func (t *table) oneOf(names []string, fits func(string) bool, kind string) (string, error) {
	var found []string
	for _, name := range names {
		if fits(name) {
			found = append(found, name)
		}
	}
	if len(found) > 1 {
		remedy := "say which with label="
		if slices.Compact(slices.Clone(found))[0] == found[1] {
			remedy = "give them different names"
		}
		return "", fault.New(fault.Request, remedy, "%s: the %s %s could all be the label", t.path, kind, word.Quoted(found))
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}

// rowNames reads the first fields of all lines that fit; the table then starts again.
func (t *table) rowNames(fits func(string) bool) ([]string, error) {
	var names []string
	err := t.each(func(record []string) error {
		if name := word.Clean(record[0]); fits(name) {
			names = append(names, strings.Clone(name))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return names, t.start()
}

// noLabel says that there is no label, and lists the columns that could be one: those of a few different values that repeat.
func (t *table) noLabel(asked string) error {
	numbers := slices.DeleteFunc(slices.Clone(t.header), func(name string) bool {
		_, ok := word.Number(name)
		return !ok || !strings.Contains(name, ".")
	})
	if len(numbers) > len(t.header)/2 {
		return fault.New(fault.Request, "put a header above it that names every column", "%s has no label, and line %d looks like a sample: %d of its %s are numbers", t.path, t.top, len(numbers), count.Of(len(t.header), "name"))
	}
	could, err := t.couldBeLabel()
	if err != nil {
		return err
	}
	return t.noSuchLabel(asked, could)
}

// noSuchLabel offers the columns that could be the label.
func (t *table) noSuchLabel(asked string, could []string) error {
	remedy := "add a column of classes, or name one with label="
	if len(could) > 0 {
		remedy = "name the column of classes with label=; it could be " + word.Quoted(could)
	}
	if asked == "" {
		return fault.New(fault.Request, remedy, "%s: no column or row is called label, class, y, target or diagnosis", t.path)
	}
	return fault.New(fault.Request, suggest.DidYouMeanOr(asked, t.header, remedy), "%s has no column or row %q (label)", t.path, asked)
}

// couldBeLabel reads the table once more, for a message only.
func (t *table) couldBeLabel() ([]string, error) {
	const most = 10 // classes
	values := make([]map[string]bool, len(t.header))
	for j := range values {
		values[j] = map[string]bool{}
	}
	n := 0
	err := t.each(func(record []string) error {
		n++
		for j, field := range record {
			text := strings.TrimSpace(field)
			if values[j] == nil || word.IsMissing(text) {
				continue
			}
			if x, ok := word.Number(text); ok && x != math.Trunc(x) {
				values[j] = nil // classes are words or whole numbers
			} else if values[j][text] = true; len(values[j]) > most {
				values[j] = nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var words, numbers []string
	for j, different := range values {
		if len(different) < 2 || len(different) > n/2 {
			continue
		}
		numeric := true
		for value := range different {
			_, ok := word.Number(value)
			numeric = numeric && ok
		}
		if numeric {
			numbers = append(numbers, t.header[j])
		} else {
			words = append(words, t.header[j])
		}
	}
	return slices.Concat(words, numbers), nil
}
