package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// parquetFormat reads Parquet files: a column a feature, and what a text table has.
func parquetFormat() Format {
	return columnsFormat("Parquet", []string{".parquet", ".pq"}, beginsParquet, func(path string, file Input) (*columnTable, error) { return openParquet(path, file) })
}

// arrowFormat reads Arrow files and streams, such as Feather version 2, in the same way.
func arrowFormat() Format {
	return columnsFormat("Arrow", []string{".feather", ".arrow", ".arrows", ".ipc"}, beginsArrow, func(path string, file Input) (*columnTable, error) { return openArrow(path, file) })
}

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
	for _, c := range from.Columns() {
		names = append(names, parse.Clean(c.Name))
	}
	return names
}

// readColumns reads a table whose columns have types; the keys mean what they mean for a text table.
func readColumns(ctx context.Context, path string, from *columnTable, q query) (*Frame, error) {
	t := &table{ctx: ctx, path: path, header: columnNames(from)}
	if len(t.header) == 0 {
		return nil, fault.New(fault.Request, "check how it was made", "%s holds no columns", path)
	}
	label, err := t.oneOf(t.header, q.isLabel, "columns")
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

// readAs reads the columns for what they are there for.
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
			covariates[slices.Index(q.Covariates, t.header[j])] = covariate{name: t.header[j], values: values, text: from.Columns()[j].Kind == textKind}
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
	for j, c := range from.Columns() {
		if roles[j] == isFeature && c.Kind == textKind {
			words = append(words, t.header[j])
		}
		if t.header[j] == "" && j > 0 && roles[j] == isFeature {
			return fault.New(fault.Request, "name every column", "%s: column %d has no name", t.path, j+1)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return fault.New(fault.Request, forWords(words, ""), "%s: column %q holds words, not numbers", t.path, parse.Shorten(words[0]))
}

// noLabelAmong offers the columns that could be the label.
func (t *table) noLabelAmong(from *columnTable, asked string) error {
	var failed error
	left := 64 // columns of whole numbers that are looked at
	could := newCandidates(t.header).among(func(j int) []string {
		kind := from.Columns()[j].Kind
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
