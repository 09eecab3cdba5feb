package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
)

// otherLayout explains the error of a table that cannot be read because its
// layout is another one: a line for each value, or annotations with a column
// for each sample. It returns any other error unchanged.
func (t *table) otherLayout(ctx context.Context, q query, err error) error {
	var e *errs.Error
	if ctx.Err() != nil || !errors.As(err, &e) || e.Kind != errs.Request {
		return err
	}
	if q.annotations != nil {
		for _, names := range [][]string{t.samples, t.names(func(c column) bool { return !c.Beside }), t.firstTexts(ctx)} {
			if q.annotations.isTransposed(names) {
				return errs.New(errs.Request, "transpose it: write a line for each sample, with its name in the first column",
					"%s has a column for each sample, such as %s", q.annotations.path, parse.Quote(q.annotations.header[max(0, len(q.annotations.header)-2):]))
			}
		}
		return err
	}
	return cmp.Or(t.longError(ctx, q), err)
}

// longError returns the error for a table with a line for each value, or nil.
func (t *table) longError(ctx context.Context, q query) error {
	long := t.longForm(ctx, q)
	if long == nil {
		return nil
	}
	return errs.New(errs.Request, "write a line for each sample, in Python: "+long.pivotScript(t.pandas()),
		"%s has a line for each value: %q repeats for every %s, and %q holds the numbers", t.path, long.sample, parse.Shorten(long.feature), long.value)
}

// firstTexts returns the values of the first column of a table with a line for
// each sample, or nil.
func (t *table) firstTexts(ctx context.Context) []string {
	if t.shape != byColumns || len(t.columns) == 0 || t.columns[0].Kind == otherKind || t.columns[0].Beside {
		return nil
	}
	read, err := t.readColumns(ctx, 0)
	if err != nil {
		return nil
	}
	return read[0]
}

// longForm names the columns of a table with a line for each value.
type longForm struct {
	sample, feature, value string
	// about holds the label and the columns of words that describe the samples.
	// Columns of numbers would become features.
	about []string
}

// longForm recognises a table with a line for each value of each sample. It
// returns nil for other tables. In such a table two columns, the sample and the
// feature, repeat and together name each line once, for at least half of all
// pairs, and a column of numbers holds the values. The rows of a donor at
// several times look similar, but they have many columns of numbers, and no
// column is called gene or the like.
func (t *table) longForm(ctx context.Context, q query) *longForm {
	const mostColumns, leastLines, mostValues, leastFeatures = 64, 8, 8, 4
	if t.shape != byColumns || t.pandas == nil || len(t.columns) < 3 || len(t.columns) > mostColumns {
		return nil
	}
	readable := num.Indices(len(t.columns))
	readable = slices.DeleteFunc(readable, func(j int) bool { return t.columns[j].Kind == otherKind || t.columns[j].Name == "" })
	texts, err := t.readColumns(ctx, readable...)
	if err != nil || len(texts) < 3 || len(texts[0]) < leastLines {
		return nil
	}

	n := len(texts[0])
	kinds := make([]longColumn, len(texts))
	var keys []int
	for k, column := range texts {
		kinds[k] = newLongColumn(t.columns[readable[k]].Name, column)
		if kinds[k].words && kinds[k].different == n {
			return nil // it names the rows
		}
		if c := kinds[k]; c.different >= 2 && 2*c.different <= n && c.missing == 0 && (c.words || c.nameRank(sampleWords()) > 0 || c.nameRank(featureWords()) > 0) {
			keys = append(keys, k)
		}
	}

	best, bestScore := [2]int{-1, -1}, -1
	for _, sample := range keys {
		for _, feature := range keys {
			a, b := kinds[sample], kinds[feature]
			if sample == feature || b.nameRank(sampleWords()) > 0 || q.isLabel(a.name) || q.isLabel(b.name) || b.nameRank(featureWords()) == 0 && b.different < leastFeatures || 2*n < a.different*b.different || n > a.different*b.different || !nameLines(texts[sample], texts[feature]) || !isConstant(texts[sample], texts, q, kinds) {
				continue
			}
			score := 8*a.nameRank(sampleWords()) + 8*b.nameRank(featureWords())
			if sample < feature {
				score++
			}
			if score > bestScore {
				best, bestScore = [2]int{sample, feature}, score
			}
		}
	}
	if best[0] < 0 {
		return nil
	}

	value, values := -1, 0
	for k, c := range kinds {
		if k == best[0] || k == best[1] || !c.numbers || c.different < 2 || constantWithin(texts[best[0]], texts[k]) || constantWithin(texts[best[1]], texts[k]) {
			continue
		}
		values++
		if value < 0 || cmp.Or(cmp.Compare(c.nameRank(valueWords()), kinds[value].nameRank(valueWords())), cmp.Compare(c.different, kinds[value].different)) > 0 {
			value = k
		}
	}
	if value < 0 || values > mostValues || values > 1 && kinds[best[1]].nameRank(featureWords()) == 0 {
		return nil
	}

	long := &longForm{kinds[best[0]].name, kinds[best[1]].name, kinds[value].name, nil}
	for k, c := range kinds {
		if k != best[0] && k != best[1] && k != value && (c.words || q.isLabel(c.name)) && c.different > 1 && c.missing == 0 && constantWithin(texts[best[0]], texts[k]) {
			long.about = append(long.about, c.name)
		}
	}
	return long
}

// pivotScript returns the line of Python that writes the table with a line for
// each sample.
func (l *longForm) pivotScript(read string) string {
	index := make([]string, 0, 1+len(l.about))
	for _, name := range append([]string{l.sample}, l.about...) {
		index = append(index, fmt.Sprintf("%q", name))
	}
	return fmt.Sprintf(`%s.pivot(index=[%s], columns=%q, values=%q).to_csv("wide.csv")`, read, strings.Join(index, ", "), l.feature, l.value)
}

// longColumn describes a column of a table that may be long.
type longColumn struct {
	name               string
	different, missing int
	words, numbers     bool // some value is a word; all values are numbers
}

// newLongColumn examines the values of a column.
func newLongColumn(name string, texts []string) longColumn {
	c := longColumn{name: name, numbers: true}
	seen := map[string]bool{}
	for _, text := range texts {
		if parse.IsMissing(text) {
			c.missing++
			continue
		}
		_, isNumber := parse.Number(strings.Replace(text, ",", ".", 1))
		c.words, c.numbers = c.words || !isNumber, c.numbers && isNumber
		seen[text] = true
	}
	c.different = len(seen)
	return c
}

// sampleWords returns words in the names of columns that hold samples.
func sampleWords() []string {
	return []string{"sample", "subject", "patient", "donor", "barcode", "cell", "run", "participant", "individual"}
}

// featureWords returns words in the names of columns that hold features.
func featureWords() []string {
	return []string{"assay", "gene", "symbol", "feature", "protein", "analyte", "marker", "metabolite", "compound", "probe", "target", "variable", "taxon", "otu"}
}

// valueWords returns words in the names of columns that hold measurements.
func valueWords() []string {
	return []string{"npx", "value", "intensity", "expression", "abundance", "count", "quant", "level", "tpm", "fpkm", "rfu", "result", "concentration", "measurement"}
}

// nameRank returns 2 if the name begins with one of the words, 1 if it contains
// one, and 0 otherwise.
func (c longColumn) nameRank(words []string) (rank int) {
	name := strings.ToLower(c.name)
	for _, word := range words {
		if at := strings.Index(name, word); at >= 0 {
			rank = max(rank, 1)
			if at == 0 {
				rank = 2
			}
		}
	}
	return rank
}

// isConstant reports whether the label, if there is one, is the same in all
// lines of a sample.
func isConstant(sample []string, texts [][]string, q query, kinds []longColumn) bool {
	for k, column := range kinds {
		if q.isLabel(column.name) && !constantWithin(sample, texts[k]) {
			return false
		}
	}
	return true
}

// nameLines reports whether the values of two columns together identify each
// line.
func nameLines(a, b []string) bool {
	seen := make(map[[2]string]bool, len(a))
	for i := range a {
		pair := [2]string{a[i], b[i]}
		if seen[pair] {
			return false
		}
		seen[pair] = true
	}
	return true
}

// constantWithin reports whether a column has a single value for each value of
// another column.
func constantWithin(key, column []string) bool {
	first := make(map[string]string, len(key))
	for i, name := range key {
		if before, seen := first[name]; seen && before != column[i] {
			return false
		}
		first[name] = column[i]
	}
	return true
}
