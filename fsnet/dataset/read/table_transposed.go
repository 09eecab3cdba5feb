package read

import (
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/namelist"
	"fsnetlab/internal/suggest"
)

// readTransposed reads a table that has a line for each feature and a column for each sample: the first field of a line is its name, and
// the header names the samples. Label and covariates are lines.
func (t *table) readTransposed(label string, q query) (*Frame, error) {
	n := len(t.header) - 1
	r := &Frame{LabelName: fmt.Sprintf("row %q", label), Samples: slices.Clone(t.header[1:])}
	names, err := t.wantedLines(label, q)
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, fmt.Sprintf("read with one line per feature, because %q is one of its lines", label))
	if q.Samples != "" && !q.predicts() {
		return nil, fault.New(fault.Request, "leave samples= out: its header names the samples", "%s has a line for each feature, since label %q is a line of it", t.path, label)
	}
	covariates, describing := make([]covariate, len(q.Covariates)), rowColumns(q)
	var lines [][]float32
	var rounded Rounding
	at := 0
	err = t.each(func(record []string) error {
		name, fields := parse.Own(record[0]), record[1:]
		if c := slices.Index(q.Covariates, name); c >= 0 || name == label || slices.Contains(describing, name) {
			texts, line := make([]string, n), covariate{name: name}
			for i, field := range fields {
				texts[i] = parse.Own(field)
				line.add(texts[i], t.isText(1+i))
			}
			if slices.Contains(describing, name) {
				if r.Described[name] != nil {
					return t.twice(name)
				}
				r.tell(name, texts)
			}
			switch {
			case name == label:
				for i, text := range texts {
					if parse.IsMissing(text) {
						texts[i] = ""
					}
				}
				r.Labels = texts
			case c >= 0 && covariates[c].values != nil:
				return t.twice(name)
			case c >= 0:
				covariates[c] = line
			}
			return nil
		}
		if q.predicts() {
			name, at = names[at], at+1
			if !q.wants(name) {
				r.Others = append(r.Others, name)
				return nil
			}
		}
		if name == "" {
			return fault.New(fault.Request, "begin every line with the name of its feature", "%s: line %d has no name", t.path, t.line)
		}
		if len(lines)%256 == 0 {
			if err := checkMemory(t.path, (len(lines)+1)*n, len(lines)); err != nil {
				return err
			}
		}
		values, kinds := make([]float32, n), make(truths, 1)
		rounded = append(rounded, make(Rounding, 1)...)
		for i, field := range fields {
			text := strings.TrimSpace(field)
			x, ok := kinds.number(t, 0, text)
			if !ok {
				return fault.New(fault.Request,
					"correct it, or leave it empty and use missing=mean or missing=drop; covariates="+namelist.Typed(name)+" makes 0/1 features of a line of words",
					"%s: line %d (%q), column %q: %q is not a number", t.path, t.line, parse.Shorten(name), t.header[1+i], parse.Shorten(text))
			}
			values[i] = rounded.Round(len(lines), x)
		}
		r.Features, lines = append(r.Features, name), append(lines, values)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.NoteLost(rounded, r.Features)
	for c, name := range q.Covariates {
		if covariates[c].values == nil && !q.predicts() {
			return nil, t.noLine("covariates", name, r.Features)
		}
	}
	for _, c := range q.RowColumns() {
		if r.Described[c.Column] == nil {
			return nil, t.noLine(c.Key, c.Column, r.Features)
		}
	}
	if err := t.settleDecimals(r, covariates); err != nil {
		return nil, err
	}
	r.X = transposed(lines, n)
	return r, r.add(covariates, t.path, q)
}

// wantedLines are the names of the lines of features as a training calls them, for rows to predict.
func (t *table) wantedLines(label string, q query) ([]string, error) {
	if !q.predicts() {
		return nil, nil
	}
	describing := rowColumns(q)
	names, err := t.rowNames(func(name string) bool {
		return name != label && !slices.Contains(q.Covariates, name) && !slices.Contains(describing, name)
	})
	names, _ = parse.Unique(names)
	return names, err
}

// transposed is n rows of the numbers that stand in lines, one a feature.
func transposed(lines [][]float32, n int) []float32 {
	x := make([]float32, 0, n*len(lines))
	for i := range n {
		for _, line := range lines {
			x = append(x, line[i])
		}
	}
	return x
}

func (t *table) twice(name string) error {
	return fault.New(fault.Request, "give them different names", "%s: line %d is the second one called %q", t.path, t.line, name)
}

// noLine says that there is no line of the name that a key gives.
func (t *table) noLine(key, name string, lines []string) error {
	return fault.New(fault.Request, suggest.DidYouMeanOr(name, lines, "name a line of the table"), "%s has no line %q (%s)", t.path, name, key)
}
