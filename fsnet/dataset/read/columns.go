package read

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
)

// columnsFormat reads tables whose columns have types: a column a feature, and what a text table has.
func columnsFormat(name string, extensions []string, begins func([]byte) bool, open func(string, Input) (*columnTable, error)) Format {
	return Format{
		Name: name, extensions: extensions, begins: begins,
		read: func(ctx context.Context, path string, file Input, q query) (*Frame, error) {
			from, err := open(path, file)
			if err != nil {
				return nil, err
			}
			return readColumns(ctx, path, from, q)
		},
		columns: func(_ context.Context, path string, file Input) ([]string, error) {
			from, err := open(path, file)
			if err != nil {
				return nil, err
			}
			return columnNames(from), nil
		},
	}
}

func columnNames(from *columnTable) []string {
	var names []string
	for _, c := range from.columns {
		names = append(names, parse.Clean(c.Name))
	}
	return names
}

// readColumns reads a table whose columns have types; the keys mean what they mean for a text table.
func readColumns(ctx context.Context, path string, from *columnTable, q query) (*Frame, error) {
	t := &table{ctx: ctx, path: path, header: columnNames(from)}
	if len(t.header) == 0 {
		return nil, errs.New(errs.Request, "check how it was made", "%s holds no columns", path)
	}
	label, err := q.labelAmong(t.header, t.path, "columns")
	if err != nil {
		return nil, err
	}
	if label == "" && !q.predicts() {
		return nil, t.noLabelAmong(from, q.Label)
	}
	roles, err := t.roles(label, q)
	if err != nil {
		return nil, err
	}
	if index := from.Index(); index >= 0 && roles[index] == isFeature && q.Samples == "" {
		roles[index] = isSample
		if roles[0] == isUnsure {
			roles[0] = isFeature
		}
	}
	r := &Frame{}
	t.only(q, roles, r)
	if err := t.checkWords(from, roles); err != nil {
		return nil, err
	}
	return r, t.readAs(r, from, roles, q)
}

func (t *table) readAs(r *Frame, from *columnTable, roles []role, q query) error {
	var texts, numbers []int
	for j, role := range roles {
		switch role {
		case isFeature:
			numbers = append(numbers, j)
		case isLabel, isSample, isUnsure, isCovariate, isDescription:
			texts = append(texts, j)
		case isOther:
		}
	}
	rounded := make(Rounding, len(numbers))
	read, x, err := from.Read(t.ctx, texts, numbers, rounded, func(cells int) error { return checkMemory(t.path, cells, len(numbers)) })
	if err != nil {
		return err
	}
	r.X = x
	r.NoteLost(rounded, r.Features)
	covariates := make([]covariate, len(q.Covariates))
	for i, j := range texts {
		values := read[i]
		for k, text := range values {
			if values[k] = parse.Clean(text); roles[j] == isLabel && parse.IsMissing(text) {
				values[k] = ""
			}
		}
		switch roles[j] {
		case isLabel:
			r.LabelName, r.Labels = fmt.Sprintf("column %q", t.header[j]), values
		case isCovariate:
			covariates[slices.Index(q.Covariates, t.header[j])] = covariate{name: t.header[j], values: values, text: from.columns[j].Kind == textKind}
		case isSample, isUnsure:
			r.Samples = values
		case isFeature, isDescription, isOther:
		}
		if slices.Contains(t.describing, j) {
			r.tell(t.header[j], values)
		}
	}
	if err := r.settleFirst(t, roles[0]); err != nil {
		return err
	}
	return r.add(covariates, t.path, q)
}

// checkWords refuses features that are words, all at once.
func (t *table) checkWords(from *columnTable, roles []role) error {
	var words []string
	for j, c := range from.columns {
		if roles[j] == isFeature && c.Kind == textKind {
			words = append(words, t.header[j])
		}
		if t.header[j] == "" && j > 0 && roles[j] == isFeature {
			return errs.New(errs.Request, "name every column", "%s: column %d has no name", t.path, j+1)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return errs.New(errs.Request, forWords(words, ""), "%s: column %q holds words, not numbers", t.path, parse.Shorten(words[0]))
}

// noLabelAmong offers the columns that could be the label.
func (t *table) noLabelAmong(from *columnTable, asked string) error {
	var failed error
	left := 64 // columns of whole numbers that are looked at
	could := newCandidates(t.header).among(func(j int) []string {
		kind := from.columns[j].Kind
		if kind == integerKind {
			left--
		}
		if failed != nil || kind == realKind || kind == otherKind || kind == integerKind && left < 0 {
			return nil
		}
		read, _, err := from.Read(t.ctx, []int{j}, nil, nil, func(int) error { return nil })
		if err != nil {
			failed = err
			return nil
		}
		return read[0]
	})
	return cmp.Or(failed, t.noSuchLabel(asked, could))
}

// columnKind is what a column holds.
type columnKind int

const (
	otherKind columnKind = iota
	textKind
	boolKind
	integerKind
	realKind
)

// A typedColumn of a table.
type typedColumn struct {
	Name  string
	Kind  columnKind
	Holds string // for people, where Kind is Other: dates, lists
}

// A columnTable is an open file.
type columnTable struct {
	path    string
	columns []typedColumn
	index   string // the column that pandas says names the rows; "" where there is none
	read    func(ctx context.Context, out *columnOutput) error
}

// memoryCheck is asked before there are so many numbers; its error ends the reading.
type memoryCheck func(numbers int) error

// Index is the column that names the rows, as pandas wrote it, or -1.
func (t *columnTable) Index() int {
	for j, c := range t.columns {
		if c.Name == t.index {
			return j
		}
	}
	return -1
}

func beginsParquet(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) }

func beginsArrow(head []byte) bool {
	return bytes.HasPrefix(head, []byte(arrowMagic)) || len(head) > 8 && bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")) && head[7] == 0 &&
		head[4]&7 == 0
}

// Read reads some columns as texts, "" for a missing one, and some as numbers, row by row, NaN for a missing one. rounded sees those.
func (t *columnTable) Read(ctx context.Context, texts, numbers []int, rounded Rounding, room memoryCheck) (read [][]string, x []float32, err error) {
	for _, j := range append(append([]int(nil), texts...), numbers...) {
		if c := t.columns[j]; c.Kind == otherKind {
			return nil, nil, errs.New(errs.Request, "take the column out", "%s: column %q holds %s, neither numbers nor words", t.path, c.Name,
				c.Holds)
		}
	}
	out := &columnOutput{texts: texts, numbers: numbers, read: make([][]string, len(texts)), rounded: rounded, room: room}
	err = guardDecoder(t.path, func() error { return t.read(ctx, out) })
	if err != nil {
		return nil, nil, err
	}
	return out.read, out.x, nil
}

// columnOutput is what is read of a table.
type columnOutput struct {
	texts, numbers []int
	read           [][]string
	x              []float32
	rounded        Rounding
	room           memoryCheck
}

// more makes room for more rows of numbers and returns the place of the first.
func (o *columnOutput) more(rows int) (int, error) {
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

// guardDecoder makes one line of whatever a decoder does.
func guardDecoder(path string, work func() error) error {
	var known *errs.Error
	err := guard(path, work)
	switch {
	case errors.As(err, &known): // also one that arrow-go has wrapped
		return known
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return damagedColumns(path, err)
}

func damagedColumns(path string, err error) error {
	text := fmt.Sprint(err)
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return errs.Wrap(errors.New(oneLine(text)), errs.Request, "copy or download it again", "%s is damaged", path)
}

func oneLine(text string) string {
	return string(bytes.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, bytes.ToValidUTF8([]byte(text), []byte("?"))))
}

// allocator bounds one piece of memory.
type allocator struct {
	path  string
	limit int
}

func newAllocator(path string, size int64) *allocator {
	return &allocator{path, int(min(1<<31, max(1<<24, 1100*size)))}
}

func (a *allocator) Allocate(size int) []byte {
	if size < 0 || size > a.limit {
		panic(errs.New(errs.Request, "copy or download it again", "%s is damaged: it promises a piece of %d bytes", a.path, size))
	}
	return make([]byte, size)
}

func (a *allocator) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := a.Allocate(size)
	copy(grown, b)
	return grown
}

func (a *allocator) Free([]byte) {}

// pandasIndex reads which column pandas says names the rows.
func pandasIndex(metadata string) string {
	var about struct {
		Columns []any `json:"index_columns"`
	}
	if json.Unmarshal([]byte(metadata), &about) != nil || len(about.Columns) != 1 {
		return ""
	}
	name, _ := about.Columns[0].(string) // an object is a range, which is not stored
	return name
}

func truthText(x bool) string {
	if x {
		return "True"
	}
	return "False"
}

func truthNumber(x bool) float64 {
	if x {
		return 1
	}
	return 0
}

// bigEndian is a whole number in two's complement, as decimals are stored.
func bigEndian(v []byte) *big.Int {
	n := new(big.Int).SetBytes(v)
	if len(v) > 0 && v[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return n
}

// decimalText writes a decimal whose last digits stand behind the point, without zeros at its end.
func decimalText(n *big.Int, digits int) string {
	if digits == 0 {
		return n.String()
	}
	text := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)).FloatString(digits)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
