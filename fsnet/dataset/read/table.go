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
)

// A table holds what a reader found in a file: samples × columns, decoded, with nothing decided.
// [table.frame] decides what the columns are for.
type table struct {
	path    string
	shape   shape
	columns []column
	samples []string // names of the rows where they stand beside the columns; else nil
	rows    int      // −1 where their number is known once they are read
	index   string   // the column that names the rows, as the file says; "" where it does not
	label   string   // the variable with the classes, unless the user names another
	notes   []string
	untyped bool   // the file does not say what is text: 1 and 1.0 are one class, group or fold
	unnamed bool   // features have no names in the file
	first   string // of a file without types: the first value of its first column

	describer string // what describes the rows, for messages: the file itself, or a table of annotations
	remedy    string // where nothing could be the label
	variables *variableFile

	read    func(ctx context.Context, out *output) error
	headed  bool                                             // the header names the samples
	thin    func(ctx context.Context) (sparse.Source, error) // instead of numbers; nil where the matrix is stored dense
	look    func(ctx context.Context, c *candidates) error   // shows all values to candidates; nil where columns are read one by one
	omit    func(rows []int)                                 // leaves rows out from now on; nil where that is not had
	ignore  func(name string) bool                           // leaves out a row by its name, and says whether there is one; nil where that is not had
	another func(err error) error                            // adds to an error where else the table may be; nil where nowhere
	close   func()                                           // ends the reading; nil where nothing is to be closed
}

// shape says how a file holds a table, which decides the words of messages.
type shape int

const (
	byColumns   shape = iota // a column a feature, and columns that tell something of the rows among them
	byLines                  // a line a feature, likewise
	beside                   // a matrix, and beside it what describes its rows
	byVariables              // variables by name
)

// A column of a table.
type column struct {
	Name   string
	Kind   columnKind
	Holds  string // for people, where Kind is otherKind: dates, lists
	Beside bool   // it describes the rows, and is no feature
	Line   int    // of a text in which it is a line; else 0
}

// columnKind says what a column holds.
type columnKind int

const (
	otherKind columnKind = iota
	mixedKind            // of a file without types: what its texts look like
	textKind
	boolKind
	integerKind
	realKind
)

// memoryCheck is called before so many numbers are allocated; its error ends the reading.
type memoryCheck func(numbers int) error

// output receives some columns of a table as texts, "" for a missing one, and some as numbers, row
// by row, NaN for a missing one.
type output struct {
	texts, numbers []int
	names          int // which of texts names the rows, or −1

	rows    int        // how many are read at the most; 0: all
	words   [][]string // by column of texts, one a row
	stored  []bool     // by column of texts: the file stores it as text
	x       []float32  // rows × numbers
	lines   []int      // of each row, for text files
	rounded Rounding   // of the numbers
	room    memoryCheck
	wrong   *wrongNumbers // nil: the first one ends the reading
}

func newOutput(texts, numbers []int, room memoryCheck) *output {
	return &output{texts: texts, numbers: numbers, names: -1, words: make([][]string, len(texts)), stored: make([]bool, len(texts)),
		rounded: make(Rounding, len(numbers)), room: room}
}

// places returns for each of so many columns its position in some, −1 for the others.
func places(columns int, some []int) []int {
	at := make([]int, columns)
	for j := range at {
		at[j] = -1
	}
	for k, j := range some {
		at[j] = k
	}
	return at
}

// more makes room for more rows of numbers and returns the place of the first.
func (o *output) more(rows int) (int, error) {
	at := len(o.x)
	need := rows * len(o.numbers)
	if rows < 0 || len(o.numbers) > 0 && need/len(o.numbers) != rows {
		return 0, errors.New("it has more rows than can be counted")
	}
	if err := o.room(at + need); err != nil {
		return 0, err
	}
	if at+need > cap(o.x) {
		grown := make([]float32, at, max(at+need, min(at+at/4, at+1<<26)))
		copy(grown, o.x)
		o.x = grown
	}
	o.x = o.x[:at+need]
	return at, nil
}

// matrix fills the numbers from a matrix of so many rows and columns, which read returns whole.
func (o *output) matrix(rows, columns int, read func() (x []float32, rounded Rounding, err error)) error {
	x, rounded, err := read()
	if err != nil {
		return err
	}
	if len(o.numbers) == columns {
		o.x, o.rounded = x, rounded
		return nil
	}
	if _, err := o.more(rows); err != nil {
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

// errNotNumber ends the reading at a value that should be a number and is not.
var errNotNumber = errors.New("not a number")

// wrongNumbers counts the values of a whole table that should be numbers and are not.
type wrongNumbers struct {
	column, row int    // of the first
	text        string // the first
	count       int
	others      []string // a few different texts beside the first
	columns     map[int]int
	texts       map[int]int // by row
	numbers     map[int]int // by row, those that are
}

// judge counts a value of a row and of a column, by its position among the numbers. While wrong is
// nil, callers need not call it for numbers.
func (o *output) judge(column, row int, text string, isNumber bool) error {
	w := o.wrong
	switch {
	case w == nil && !isNumber:
		return errNotNumber
	case w == nil || parse.IsMissing(text):
		return nil
	case isNumber:
		w.numbers[row]++
		return nil
	}
	const mostShown = 4
	if w.count++; w.count == 1 {
		w.column, w.row, w.text = column, row, strings.Clone(text)
	} else if text != w.text && len(w.others) < mostShown && !slices.Contains(w.others, text) {
		w.others = append(w.others, strings.Clone(text))
	}
	w.columns[column]++
	w.texts[row]++
	return nil
}

// where names the file that describes the rows, for messages.
func (t *table) where() string {
	if t.describer != "" {
		return t.describer
	}
	return t.path
}

// find returns the column of a name, or −1. Columns that describe the rows come first; their names
// also match in another case.
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

// names returns the names of the columns that pass.
func (t *table) names(pass func(c column) bool) []string {
	names := make([]string, 0, len(t.columns))
	for _, c := range t.columns {
		if pass(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

func (c column) describes() bool { return c.Beside }

func anyColumn(column) bool { return true }

// named returns the column that a key names. It refuses a name that several columns have, or none.
func (t *table) named(key, name string) (int, error) {
	j := t.find(name)
	if j < 0 {
		return 0, t.lacks(key, name)
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

// readColumns reads columns as texts.
func (t *table) readColumns(ctx context.Context, columns ...int) ([][]string, error) {
	if err := t.readable(columns); err != nil {
		return nil, err
	}
	out := newOutput(columns, nil, func(int) error { return nil })
	if err := t.read(ctx, out); err != nil {
		return nil, err
	}
	return out.words, nil
}

// readable refuses columns that hold neither numbers nor words.
func (t *table) readable(columns []int) error {
	for _, j := range columns {
		if c := t.columns[j]; c.Kind == otherKind {
			return errs.New(errs.Request, fmt.Sprintf("leave it out with ignore=%s, or take the column out", typed(c.Name)),
				"%s: column %q holds %s, neither numbers nor words", t.path, c.Name, c.Holds)
		}
	}
	return nil
}
