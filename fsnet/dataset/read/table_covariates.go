package read

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/namelist"
)

// covariate is a column that was asked for by name: words become one 0/1 feature a value, numbers stay. Numbers that a file holds as text are
// words, and so are those that are codes.
type covariate struct {
	name   string
	values []string // of each row
	text   bool     // in the file
	mixed  bool     // some are no text there
}

// add takes the text of the next row. Cells of a workbook have types of their own: a column is text where all that are there are.
func (c *covariate) add(text string, isText bool) {
	there := !parse.IsMissing(text)
	if there && !isText {
		c.text, c.mixed = false, true
	}
	c.text = c.text || there && !c.mixed
	c.values = append(c.values, text)
}

// add appends the covariates' features after all others, so that the others keep their places.
func (r *Frame) add(covariates []covariate, path string, q query) error {
	var names []string
	var columns [][]float32
	for _, c := range covariates {
		features := r.features
		if q.predicts() {
			features = q.features
		}
		n, x, err := features(c, path)
		if err != nil {
			return err
		}
		names, columns = append(names, n...), append(columns, x...)
	}
	switch {
	case len(columns) == 0:
	case r.Source != nil:
		r.Source, r.Features = sparse.NewWidened(r.Source, columns), append(r.Features, names...)
	default:
		r.widen(len(r.Features), names, columns)
	}
	return nil
}

// features of a covariate: name=value for each value of words in the order of the alphabet, missing where the word is missing.
func (r *Frame) features(c covariate, path string) (names []string, columns [][]float32, err error) {
	numbers, rounded := make([]float32, len(c.values)), make(Rounding, 1)
	numeric := !c.text
	var words []string
	for i, text := range c.values {
		x, ok := parse.Number(text)
		numbers[i] = rounded.Round(0, x)
		numeric = numeric && ok && !parse.IsCode(text)
		if !parse.IsMissing(text) {
			words = append(words, text)
		}
	}
	if numeric || words == nil {
		r.NoteLost(rounded, []string{c.name})
		return []string{c.name}, [][]float32{numbers}, nil
	}
	present := len(words)
	slices.Sort(words)
	words = slices.Compact(words)
	if present > 2 && len(words) == present {
		return nil, nil, fault.New(fault.Request, "if it names the rows, use samples="+namelist.Word(c.name), "%s: covariate %q has another value in every row, such as %q", path, c.name, parse.Shorten(words[0]))
	}
	for _, value := range words {
		column := make([]float32, len(c.values))
		for i, text := range c.values {
			switch {
			case text == value:
				column[i] = 1
			case parse.IsMissing(text):
				column[i] = float32(math.NaN())
			}
		}
		names, columns = append(names, fmt.Sprintf("%s=%s", c.name, value)), append(columns, column)
	}
	return names, columns, nil
}

// features of a panel that a covariate has, for rows to predict: the words that the training had are those that the panel names.
func (q query) features(c covariate, path string) (names []string, columns [][]float32, err error) {
	for _, name := range q.panel {
		value, isWord := strings.CutPrefix(name, c.name+"=")
		if !isWord && name != c.name || c.values == nil {
			continue
		}
		column := make([]float32, len(c.values))
		for i, text := range c.values {
			switch x, isNumber := parse.Number(text); {
			case isWord && text == value:
				column[i] = 1
			case isWord && !parse.IsMissing(text):
			case isWord || isNumber:
				column[i] = float32(x)
			default:
				return nil, nil, fault.New(fault.Request, "correct it: the covariate is a number in the training", "%s: row %d, covariate %q: %q is not a number",
					path, i+1, c.name, parse.Shorten(text))
			}
		}
		names, columns = append(names, name), append(columns, column)
	}
	return names, columns, nil
}
