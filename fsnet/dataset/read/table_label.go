package read

import (
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
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
		return "", fault.New(fault.Request, remedy, "%s: the %s %s could all be the label", t.path, kind, parse.Quoted(found))
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
		if name := parse.Clean(record[0]); fits(name) {
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
		_, ok := parse.Number(name)
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
		remedy = "name the column of classes with label=; it could be " + parse.Quoted(could)
	}
	if asked == "" {
		return fault.New(fault.Request, remedy, "%s: no column or row is called label, class, y, target or diagnosis", t.path)
	}
	return fault.New(fault.Request, suggest.DidYouMeanOr(asked, t.header, remedy), "%s has no column or row %q (label)", t.path, asked)
}

// couldBeLabel reads the table once more, for a message only.
func (t *table) couldBeLabel() ([]string, error) {
	c := newCandidates(t.header)
	err := t.each(func(record []string) error {
		for j, field := range record {
			c.add(j, field)
		}
		return nil
	})
	return c.labels(), err
}

// candidates finds the columns that could be the label: of a few different words or whole numbers, that repeat.
type candidates struct {
	names  []string
	rows   []int // seen of each column, missing values too
	values []map[string]bool
	words  []bool // some value is no number
	no     []bool
}

func newCandidates(names []string) *candidates {
	n := len(names)
	return &candidates{names, make([]int, n), make([]map[string]bool, n), make([]bool, n), make([]bool, n)}
}

// add takes the next value of a column.
func (c *candidates) add(column int, text string) {
	const mostWords, mostNumbers = 100, 10
	c.rows[column]++
	text = strings.TrimSpace(text)
	if c.no[column] || parse.IsMissing(text) || c.values[column][text] {
		return
	}
	x, isNumber := parse.Number(text)
	if c.values[column] == nil {
		c.values[column] = map[string]bool{}
	}
	c.values[column][strings.Clone(text)] = true
	c.words[column] = c.words[column] || !isNumber
	n := len(c.values[column])
	if isNumber && x != math.Trunc(x) || n > mostWords || n > mostNumbers && !c.words[column] {
		c.no[column], c.values[column] = true, nil
	}
}

// labels are the names of those columns, words first.
func (c *candidates) labels() []string {
	var words, numbers []string
	for j, name := range c.names {
		switch n := len(c.values[j]); {
		case n < 2 || n > c.rows[j]/2:
		case c.words[j]:
			words = append(words, name)
		default:
			numbers = append(numbers, name)
		}
	}
	return slices.Concat(words, numbers)
}

// among takes columns whole.
func (c *candidates) among(values func(column int) []string) []string {
	for j := range c.names {
		for _, text := range values(j) {
			if c.add(j, text); c.no[j] {
				break
			}
		}
	}
	return c.labels()
}
