// Package markers makes small tables for which it is known which features
// should be found: a gene that one class expresses, one for each of five
// classes, or fifty copies of one together with another that is needed. A
// [Table] is a function of its name and a seed. Start reading with [New].
package markers

import (
	"encoding/csv"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/num"
)

// Group says what a table asks of a method.
type Group string

// The groups.
const (
	Lone          Group = "lone"          // a single feature tells most of it: find that one
	Complementary Group = "complementary" // several features each tell a part: find all of them
	Hard          Group = "hard"          // linear methods hardly see it, or don't see it at all
	Pairs         Group = "pairs"         // two tell together what neither tells alone: find both
)

// Table is a made table.
type Table struct {
	Name    string
	What    string // what should be found, in words
	Group   Group
	K       int        // features to select
	Markers [][]string // for each marker, the names of the columns that hold it
	Columns []string
	X       []float32 // rows × columns; NaN if a value is missing
	Labels  []string  // class of each row; nil if Target holds a quantity
	Target  []float64
}

// All lists the tables' names.
func All() []string {
	list := kinds()
	names := make([]string, len(list))
	for i, k := range list {
		names[i] = k.name
	}
	return names
}

// New makes a table. ok is false if no table has this name.
func New(name string, seed int64) (t Table, ok bool) {
	list := kinds()
	at := slices.IndexFunc(list, func(k kind) bool { return k.name == name })
	if at < 0 {
		return t, false
	}
	k := list[at]
	b := &builder{Table: Table{Name: name, What: k.what, Group: k.group, K: k.k}, r: num.RNG(seed, "markers "+name)}
	k.fill(b)
	return b.finished(), true
}

// Found returns the share of the markers among the selected columns. If there
// are more than K markers, K counts as all of them.
func (t Table) Found(selected []string) float64 {
	found := 0
	for _, marker := range t.Markers {
		if slices.ContainsFunc(marker, func(name string) bool { return slices.Contains(selected, name) }) {
			found++
		}
	}
	return float64(found) / float64(min(t.K, len(t.Markers)))
}

// Dataset returns the table as a data set. Missing values are NaN, and
// missing=mean fills them in.
func (t Table) Dataset() (*dataset.Dataset, error) {
	if t.Target != nil {
		return dataset.NewRegression(t.Name, t.X, t.Columns, t.Target)
	}
	return dataset.New(t.Name, t.X, t.Columns, t.Labels)
}

// WriteCSV writes the table, with the columns sample and label before the
// others.
func (t Table) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	if err := w.Write(append([]string{"sample", "label"}, t.Columns...)); err != nil {
		return err
	}
	i := 0
	for row := range slices.Chunk(t.X, len(t.Columns)) {
		cells := []string{"s" + strconv.Itoa(i)}
		if t.Target != nil {
			cells = append(cells, strconv.FormatFloat(t.Target[i], 'g', -1, 64))
		} else {
			cells = append(cells, t.Labels[i])
		}
		for _, v := range row {
			text := ""
			if v == v {
				text = strconv.FormatFloat(float64(v), 'e', -1, 32) // a reader may take the point of 100.002 for one of thousands
			}
			cells = append(cells, text)
		}
		if err := w.Write(cells); err != nil {
			return err
		}
		i++
	}
	w.Flush()
	return w.Error()
}

// builder fills a table column by column.
type builder struct {
	Table
	r       *rand.Rand
	class   []int       // of each row
	columns [][]float64 // one for each feature
	target  func(i int) float64
}

// rows sets the rows' classes. sizes holds the number of rows of each class,
// one class after another.
func (b *builder) rows(sizes ...int) {
	for c, size := range sizes {
		for range size {
			b.class = append(b.class, c)
		}
	}
}

// is returns 1 if row i has class c, and 0 otherwise.
func (b *builder) is(i, c int) float64 {
	if b.class[i] == c {
		return 1
	}
	return 0
}

// side returns 1 if row i has class 1, and −1 otherwise.
func (b *builder) side(i int) float64 { return 2*b.is(i, 1) - 1 }

func (b *builder) normal() float64 { return b.r.NormFloat64() }

// values returns a value for each row.
func (b *builder) values(value func(i int) float64) []float64 {
	list := make([]float64, len(b.class))
	for i := range list {
		list[i] = value(i)
	}
	return list
}

// fill adds d columns of one distribution, called g0, g1 and so on.
func (b *builder) fill(d int, value func() float64) {
	for range d {
		b.Columns = append(b.Columns, "g"+strconv.Itoa(len(b.columns)))
		b.columns = append(b.columns, b.values(func(int) float64 { return value() }))
	}
}

// set replaces the values of column j.
func (b *builder) set(j int, value func(i int) float64) { b.columns[j] = b.values(value) }

// add adds to the values of column j.
func (b *builder) add(j int, value func(i int) float64) {
	old := b.columns[j]
	b.set(j, func(i int) float64 { return old[i] + value(i) })
}

// mark names column j as a separate marker.
func (b *builder) mark(j int, name string) {
	b.Columns[j] = name
	b.Markers = append(b.Markers, []string{name})
}

// marker replaces column j by a marker.
func (b *builder) marker(j int, name string, value func(i int) float64) {
	b.set(j, value)
	b.mark(j, name)
}

// shifted shifts the rows of class c in column j, and names the column as a
// marker.
func (b *builder) shifted(j int, name string, c int, shift float64) {
	b.add(j, func(i int) float64 { return shift * b.is(i, c) })
	b.mark(j, name)
}

// finished returns the table of the columns.
func (b *builder) finished() Table {
	b.X = make([]float32, 0, len(b.class)*len(b.columns))
	for i := range b.class {
		for _, column := range b.columns {
			b.X = append(b.X, float32(column[i]))
		}
	}
	if b.target != nil {
		b.Target = b.values(b.target)
		return b.Table
	}
	for _, c := range b.class {
		b.Labels = append(b.Labels, string(rune('a'+c)))
	}
	return b.Table
}

// poisson draws a count with this mean.
func (b *builder) poisson(mean float64) float64 {
	count, product := 0.0, b.r.Float64()
	for limit := math.Exp(-mean); product > limit; count++ {
		product *= b.r.Float64()
	}
	return count
}

// chance returns 1 with probability p, and 0 otherwise.
func (b *builder) chance(p float64) float64 {
	if b.r.Float64() < p {
		return 1
	}
	return 0
}
