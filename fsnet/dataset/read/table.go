package read

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// table is the decoded content of a file: samples × columns. [table.frame]
// decides what the columns are for.
type table struct {
	path    string
	shape   shape
	columns []column
	samples []string // names of the rows, if no column has them
	rows    int      // −1 if the number is known only after reading
	index   string   // the column that names the rows according to the file; may be ""
	label   string   // the variable that holds the classes by default
	notes   []string
	// untyped reports whether the file does not distinguish texts from numbers.
	// Then 1 and 1.0 are one class, group or fold.
	untyped bool
	unnamed bool          // features have no names in the file
	points  *parse.Points // points of the numbers that are stored as text; nil if there are no such numbers
	first   string        // the first value of the first column, in an untyped file

	describer string        // path of the annotations, for messages; may be ""
	described string        // a note about the annotations, set when they are read
	remedy    string        // what to do if the label is missing
	pandas    func() string // returns how to read the file in Python; may be nil
	variables *variableFile

	read   func(ctx context.Context, out *output) error
	headed bool // the header names the samples
	// thin reads the matrix without its zeros. It is nil if the matrix is
	// stored with them.
	thin func(ctx context.Context) (sparse.Source, error)
	// look passes all values to c. It is nil if columns are read one by one.
	look func(ctx context.Context, c *candidates) error
	// omit leaves out rows from now on. The rows must ascend. It may be nil.
	omit func(rows []int)
	// explain adds to an error where else the table may be. It may be nil.
	explain func(err error) error
	// close ends the reading. It may be nil.
	close func()
}

// note adds a note, unless it is empty or repeated.
func (t *table) note(text string) {
	if text != "" && !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// shape is the layout of a table in its file. Messages depend on it.
type shape int

const (
	byColumns   shape = iota // a column for each feature, with columns that describe the rows among them
	byLines                  // a line for each feature, with lines that describe the samples among them
	beside                   // a matrix, with separate descriptions of its rows
	byVariables              // named variables
)

// column is a column of a table.
type column struct {
	Name   string
	Kind   columnKind
	Holds  string // what otherKind holds, for users: dates, lists
	Beside bool   // describes the rows and is not a feature
	Line   int    // line of the column or its name in a text; otherwise 0
}

// columnKind is the type of the values of a column.
type columnKind int

const (
	otherKind columnKind = iota
	mixedKind            // texts or numbers, in an untyped file
	textKind
	boolKind
	integerKind
	realKind
)

// memoryCheck is called before numbers are allocated. If it returns an error,
// reading stops.
type memoryCheck func(numbers int) error

// output receives some columns of a table as texts, "" if missing, and others
// as numbers, row by row, NaN if missing.
type output struct {
	texts, numbers []int
	names          int // position in texts of the column that names the rows, or −1

	rows    int        // number of rows to read; 0 reads all
	words   [][]string // by position in texts, with an entry for each row
	stored  []bool     // by position in texts: the file stores the column as text
	x       []float32  // rows × numbers
	lines   []int      // the line of each row in a text file
	rounded Rounding   // rounding of the numbers
	room    memoryCheck
	wrong   *wrongNumbers
}

// newOutput returns an empty output for some columns as texts and others as
// numbers.
func newOutput(texts, numbers []int, room memoryCheck) *output {
	return &output{texts: texts, numbers: numbers, names: -1, words: make([][]string, len(texts)), stored: make([]bool, len(texts)),
		rounded: make(Rounding, len(numbers)), room: room, wrong: &wrongNumbers{columns: map[int]int{}, texts: map[int]int{}}}
}

// places returns the position in some of each of the columns, or −1.
func places(columns int, some []int) []int {
	positions := make([]int, columns)
	for j := range positions {
		positions[j] = -1
	}
	for k, j := range some {
		positions[j] = k
	}
	return positions
}

// grow makes room for more rows of numbers and returns the index in x of the
// first one. It returns an error if memory has no room.
func (o *output) grow(rows int) (int, error) {
	begin := len(o.x)
	need := rows * len(o.numbers)
	if rows < 0 || len(o.numbers) > 0 && need/len(o.numbers) != rows {
		return 0, errors.New("it has more rows than can be counted")
	}
	if err := o.room(begin + need); err != nil {
		return 0, err
	}
	if begin+need > cap(o.x) {
		grown := make([]float32, begin, max(begin+need, min(begin+begin/4, begin+1<<26)))
		copy(grown, o.x)
		o.x = grown
	}
	o.x = o.x[:begin+need]
	return begin, nil
}

// setNumbers copies the wanted numbers from a matrix of rows × columns. If all
// columns are wanted, it keeps x itself.
func (o *output) setNumbers(rows, columns int, x []float32, rounded Rounding) error {
	if len(o.numbers) == columns {
		o.x, o.rounded = x, rounded
		return nil
	}

	if _, err := o.grow(rows); err != nil {
		return err
	}

	for i := range rows {
		for k, j := range o.numbers {
			o.x[i*len(o.numbers)+k] = x[i*columns+j]
		}
	}
	for k, j := range o.numbers {
		o.rounded[k] = rounded[j]
	}
	return nil
}

// readMatrix sets t.read for a matrix of t.rows × columns numbers and separate
// columns of texts. text returns the k-th of these columns, k ≥ 0, and whether
// the file stores it as text.
func (t *table) readMatrix(columns int, text func(k int) (texts []string, isText bool, err error),
	matrix func(ctx context.Context, room memoryCheck) ([]float32, Rounding, error)) {
	t.read = func(ctx context.Context, out *output) (err error) {
		for k, j := range out.texts {
			if out.words[k], out.stored[k], err = text(j - columns); err != nil {
				return err
			}
		}

		if len(out.numbers) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		x, rounded, err := matrix(ctx, out.room)
		if err != nil {
			return err
		}
		return out.setNumbers(t.rows, columns, x, rounded)
	}
}

// wrongNumbers counts the values of a table that should be numbers but are not.
// column and row locate the first one.
type wrongNumbers struct {
	column, row int    // the first one
	text        string // the first
	count       int
	others      []string    // a few different ones
	columns     map[int]int // how many, by column
	texts       map[int]int // how many, by row
	numbers     []int       // how many values are numbers, by row
}

// add counts a value that should be a number but is not. column is its position
// among the numbers.
func (w *wrongNumbers) add(column, row int, text string) {
	const mostShown = 4
	if w.count++; w.count == 1 {
		w.column, w.row, w.text = column, row, strings.Clone(text)
	} else if text != w.text && len(w.others) < mostShown && !slices.Contains(w.others, text) {
		w.others = append(w.others, strings.Clone(text))
	}
	w.columns[column]++
	w.texts[row]++
}

// removeRows removes rows from what was read. The rows must ascend and must not
// hold any number.
func (o *output) removeRows(rows []int) {
	width, to := len(o.numbers), 0
	for row := range len(o.wrong.numbers) {
		if slices.Contains(rows, row) {
			continue
		}
		copy(o.x[to*width:(to+1)*width], o.x[row*width:])
		for _, words := range o.words {
			words[to] = words[row]
		}
		to++
	}
	o.x = o.x[:to*width]
	for k := range o.words {
		o.words[k] = o.words[k][:to]
	}
}

// where returns the file that describes the rows, for messages.
func (t *table) where() string {
	if t.describer != "" {
		return t.describer
	}
	return t.path
}

// find returns the column with a name, or −1. Columns that describe the rows
// take precedence, and their names also match in another case.
func (t *table) find(name string) int {
	for _, fits := range []func(c column) bool{
		func(c column) bool { return c.Beside && c.Name == name },
		func(c column) bool { return !c.Beside && c.Name == name },
		func(c column) bool { return c.Beside && strings.EqualFold(c.Name, name) },
	} {
		if j := slices.IndexFunc(t.columns, fits); j >= 0 {
			return j
		}
	}
	return -1
}

// names returns the names of the columns that pass a test.
func (t *table) names(pass func(c column) bool) []string {
	names := make([]string, 0, len(t.columns))
	for _, c := range t.columns {
		if pass(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// describes reports whether the column describes the rows and is not a feature.
func (c column) describes() bool { return c.Beside }

// anyColumn returns true. It is a test for [table.names] that every column
// passes.
func anyColumn(column) bool { return true }

// namedColumn returns the column that the user named with a key. It rejects an
// unknown or ambiguous name, and a feature of a matrix.
func (t *table) namedColumn(key, name string) (int, error) {
	j := t.find(name)
	if j < 0 {
		return 0, t.missingColumnError(key, name)
	}
	if (t.shape == beside || t.shape == byVariables) && !t.columns[j].Beside {
		return 0, errs.New(errs.Request, "name a column that describes its rows", "%s: %q is a feature", t.path, parse.Shorten(name))
	}

	again := slices.IndexFunc(t.columns[j+1:], func(c column) bool { return c.Name == name && c.Beside == t.columns[j].Beside })
	switch {
	case again < 0:
		return j, nil
	case t.shape == byLines:
		return 0, errs.New(errs.Request, "give them different names", "%s: line %d is the second one called %q", t.path, t.columns[j+1+again].Line, name)
	}
	return 0, errs.New(errs.Request, "give them different names", "%s has several columns %q (%s)", t.path, name, key)
}

// readColumns reads columns as texts. It returns the values of each column by
// row.
func (t *table) readColumns(ctx context.Context, columns ...int) ([][]string, error) {
	if err := t.checkReadable(columns); err != nil {
		return nil, err
	}
	out := newOutput(columns, nil, func(int) error { return nil })
	if err := t.read(ctx, out); err != nil {
		return nil, err
	}
	return out.words, nil
}

// checkReadable rejects columns that hold neither numbers nor words.
func (t *table) checkReadable(columns []int) error {
	for _, j := range columns {
		if c := t.columns[j]; c.Kind == otherKind {
			return errs.New(errs.Request, fmt.Sprintf("leave it out with ignore=%s, or take the column out", phrase.Typed(c.Name)),
				"%s: column %q holds %s, neither numbers nor words", t.path, c.Name, c.Holds)
		}
	}
	return nil
}
