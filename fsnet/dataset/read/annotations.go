package read

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
)

// annotations is a table of texts that describes samples by their names.
type annotations struct {
	path   string
	header []string
	// whether a column holds texts in the file, by column
	stored []bool
	values [][]string // by column
	lines  []int      // the line of each row in a text file, or nil
}

// readAnnotations reads a table of any format with a line for each sample. It
// reads all values as texts. It leaves out columns that cannot be read as
// texts, and the numbers of a matrix.
func readAnnotations(ctx context.Context, path string) (*annotations, error) {
	file, err := OpenFile(path, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := Detect(path, filepath.Ext(path), file)
	if err != nil {
		return nil, err
	}
	return withTable(ctx, f, query{upright: true}, func(t *table) (*annotations, error) {
		a := &annotations{path: path}
		var readable []int
		for j, c := range t.columns {
			if c.Kind != otherKind && (c.Beside || c.Kind != realKind || t.shape == byColumns) {
				readable = append(readable, j)
				a.header = append(a.header, c.Name)
			}
		}

		out := newOutput(readable, nil, func(int) error { return nil })
		if err := t.read(ctx, out); err != nil {
			return nil, err
		}
		a.stored, a.values, a.lines = out.stored, out.words, out.lines
		for _, texts := range a.values {
			for i := range texts {
				texts[i] = parse.Clean(texts[i])
			}
		}
		return a, nil
	})
}

// labels lists the columns that could be the label, for a message. It returns
// nil if there are no annotations.
func (a *annotations) labels() []string {
	if a == nil {
		return nil
	}
	c := newCandidates(a.header)
	for j, texts := range a.values {
		for _, text := range texts {
			c.add(j, text)
		}
	}
	return c.labels()
}

// describes returns the column that contains most of the names, and how many of
// them. It returns 0 and 0 if there are no annotations.
func (a *annotations) describes(names []string) (most, column int) {
	if a == nil {
		return 0, 0
	}
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[parse.Clean(name)] = true
	}

	for j, texts := range a.values {
		hits := map[string]bool{}
		for _, text := range texts {
			if wanted[text] {
				hits[text] = true
			}
		}
		if len(hits) > most {
			most, column = len(hits), j
		}
	}
	return most, column
}

// joinRows replaces the descriptions of rows in the table by the columns of
// annotations. The column key of the annotations holds the names of the
// samples. By default it is the column that contains most of them. Samples are
// matched when the table is read, so errors appear only then.
func (t *table) joinRows(a *annotations, key string) {
	own, read := len(t.columns), t.read
	columns := t.names(func(c column) bool { return c.Name != "" })
	for j := range t.columns {
		if t.columns[j].Beside {
			t.columns[j].Name = "" // hides it
		}
	}

	for _, name := range a.header {
		t.columns = append(t.columns, column{Name: name, Kind: mixedKind, Beside: true})
	}

	t.describer, t.untyped, t.label, t.variables, t.look = a.path, true, "", nil, nil
	t.read = func(ctx context.Context, o *output) error {
		n := len(o.texts) // number of the table's own columns, which come first
		for n > 0 && o.texts[n-1] >= own {
			n--
		}
		inner := *o
		inner.texts, inner.words, inner.stored = o.texts[:n], o.words[:n], make([]bool, n)
		err := read(ctx, &inner)
		o.x, o.lines, o.rounded = inner.x, inner.lines, inner.rounded
		if copy(o.stored, inner.stored); err != nil || n == len(o.texts) {
			return err
		}

		names := t.samples
		if o.names >= 0 {
			names = o.words[o.names]
		}
		if names == nil {
			return errs.New(errs.Request, "name the column with the samples' names with samples=", "%s does not name its samples, which %s describes", t.path, a.path)
		}
		if t.shape != byColumns {
			columns = nil
		}

		rows, note, err := a.rows(t.path, names, key, columns)
		if err != nil {
			return err
		}
		t.described = note

		for k, j := range o.texts[n:] {
			texts := make([]string, len(names))
			for i, row := range rows {
				if row >= 0 {
					texts[i] = a.values[j-own][row]
				}
			}
			o.words[n+k], o.stored[n+k] = texts, a.stored[j-own]
		}
		return nil
	}
}

// rows returns the row of the annotations for each sample, or −1 if they do not
// describe it, and a note. It rejects names that repeat, on either side, and
// annotations that describe no sample. columns are the names of the columns of
// the table: the annotations may describe those by mistake.
func (a *annotations) rows(path string, names []string, key string, columns []string) (rows []int, note string, err error) {
	sample := make(map[string]int, len(names))
	for i, name := range names {
		name = parse.Clean(name)
		if _, twice := sample[name]; twice {
			return nil, "", errs.New(errs.Request, "make the names of its rows different, as adata.obs_names_make_unique() does",
				"%s: two rows are called %q", path, parse.Shorten(name))
		}
		sample[name] = i
	}

	hits, column := a.describes(names)
	if at := slices.Index(a.header, key); key != "" && at >= 0 {
		column, hits = at, 0
		for _, text := range a.values[at] {
			if _, ok := sample[text]; ok {
				hits++
			}
		}
	}

	for j := range a.values {
		if hits > 0 && j != column {
			continue
		}
		if err := a.rejectAlike(path, names, j); err != nil {
			return nil, "", err
		}
		if hits == 0 {
			if err := a.rejectAlike(path, columns, j); err != nil {
				return nil, "", err
			}
		}
	}

	if hits == 0 {
		heads := ""
		if len(columns) > 1 {
			heads = ", and whose last columns " + parse.Quote(columns[len(columns)-2:])
		}
		return nil, "", errs.New(errs.Request, "give one of its columns the names that the rows have there",
			"%s describes no row of %s, whose rows are called %s, …%s", a.path, path, parse.Quote(names[:min(len(names), 2)]), heads)
	}

	rows = slices.Repeat([]int{-1}, len(names))
	more := 0
	for k, text := range a.values[column] {
		i, ok := sample[text]
		if !ok {
			more++
			continue
		}
		if rows[i] >= 0 {
			return nil, "", errs.New(errs.Request, "describe every row once", "%s: %s describes %q a second time", a.path, Place(a.lines, k), parse.Shorten(text))
		}
		rows[i] = k
	}

	note = fmt.Sprintf("described by %s, whose column %q names the rows", a.path, a.header[column])
	if a.header[column] == "" {
		note = fmt.Sprintf("described by %s, whose column %d names the rows", a.path, column+1)
	}
	if hits < len(names) {
		note += fmt.Sprintf(", %d of them not", len(names)-hits)
	}
	if more > 0 {
		note += fmt.Sprintf("; %d of its lines name no row", more)
	}
	return rows, note, nil
}

// rejectAlike rejects names of samples that the column spells in another way,
// such as 01 and 1, TCGA.01 and TCGA-01, or s1 and S1. Otherwise these samples
// would seem to have no description.
func (a *annotations) rejectAlike(path string, names []string, column int) error {
	texts := a.values[column]
	named := make(map[string]bool, len(names))
	for _, name := range names {
		named[parse.Clean(name)] = true
	}
	described := make(map[string]bool, len(texts))
	spelt := make(map[string]string, len(texts))
	for _, text := range texts {
		if described[text] = true; !named[text] && text != "" {
			spelt[sampleKey(text)] = text
		}
	}

	for _, name := range names {
		name = parse.Clean(name)
		if text, is := spelt[sampleKey(name)]; is && name != "" && !described[name] {
			return errs.New(errs.Request, "spell the names of the samples in both files in the same way",
				"%s calls a sample %q, which seems to be %q of %s", a.path, parse.Shorten(text), parse.Shorten(name), path)
		}
	}
	return nil
}

// sampleKey returns what two spellings of the name of a sample have in common:
// its letters and digits regardless of case, without zeros before a number, the
// .0 after a number, or the X that R puts before a digit.
func sampleKey(name string) string {
	key := parse.FoldName(name)
	if _, is := parse.Number(key); is {
		key = strings.TrimSuffix(key, ".0")
	}
	if len(key) > 1 && key[0] == 'x' && key[1] >= '0' && key[1] <= '9' {
		key = key[1:]
	}
	return zerosBefore.ReplaceAllString(punctuation.ReplaceAllString(key, "-"), "$1$2")
}

var (
	punctuation = regexp.MustCompile(`[^\pL\pN+]+`)
	zerosBefore = regexp.MustCompile(`(^|[^0-9])0+([0-9])`)
)

// isTransposed reports whether the annotations have samples as columns: their
// header names the samples, and no column does.
func (a *annotations) isTransposed(names []string) bool {
	hits, wanted := 0, make(map[string]bool, len(a.header))
	for _, name := range names {
		wanted[parse.Clean(name)] = true
	}
	for _, name := range a.header {
		if name != "" && wanted[name] {
			hits++
		}
	}
	described, _ := a.describes(names)
	return hits >= 2 && 2*hits >= len(a.header)-1 && described < hits
}

// hasColumn reports whether there is a column with this name. It reports false
// for "".
func (a *annotations) hasColumn(name string) bool {
	return a != nil && name != "" && slices.Contains(a.header, name)
}

// hasLabel reports whether a column could be the label.
func (a *annotations) hasLabel(q query) bool {
	return a != nil && slices.ContainsFunc(a.header, func(name string) bool { return strings.TrimSpace(name) != "" && q.isLabel(name) })
}
