package read

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// seriesFormat reads GEO's series matrices: label= names a characteristic of the samples.
func seriesFormat() Format {
	return expressionFormat("GEO series matrix", nil, beginsSeries, openSeries)
}

// gctFormat reads GCT files; the classes of 1.2, which has none, come from NAME.cls beside NAME.gct.
func gctFormat() Format {
	return expressionFormat("GCT", []string{".gct"}, beginsGCT, openGCT)
}

type matrixReader func(ctx context.Context, path string, text *textFile) (*expressionMatrix, error)

func expressionFormat(name string, extensions []string, begins func([]byte) bool, open matrixReader) Format {
	return Format{
		Name: name, extensions: extensions, text: true, begins: begins,
		read: func(ctx context.Context, path string, file Input, q query) (*Frame, error) {
			return readText(path, file, func(text *textFile) (*Frame, error) {
				m, err := open(ctx, path, text)
				if err != nil {
					return nil, err
				}
				if _, onDisk := file.(*os.File); len(m.About) == 0 && onDisk {
					if err := classesBeside(m, path, q); err != nil {
						return nil, err
					}
				}
				return noted(text.Note())(readExpression(m, path, q))
			})
		},
		columns: func(ctx context.Context, path string, file Input) ([]string, error) {
			return readText(path, file, func(text *textFile) ([]string, error) {
				m, err := open(ctx, path, text)
				if err != nil {
					return nil, err
				}
				return m.Names(), nil
			})
		},
	}
}

// readExpression reads a table of expression with a characteristic of its samples as label.
func readExpression(m *expressionMatrix, path string, q query) (*Frame, error) {
	if q.Samples != "" && !q.predicts() {
		return nil, fault.New(fault.Request, "leave samples= out: its header names the samples", "%s has a column for each sample", path)
	}
	label, err := labelOf(m, path, q)
	if err != nil {
		return nil, err
	}
	n := len(m.Samples)
	r := &Frame{Samples: m.Samples}
	if label != nil {
		r.LabelName, r.Labels = fmt.Sprintf("%q", label.Name), make([]string, n)
		for i, text := range label.Values {
			if !parse.IsMissing(text) {
				r.Labels[i] = parse.Clean(text)
			}
		}
	}
	if m.Note != "" {
		r.Notes = append(r.Notes, m.Note)
	}
	var covariates []covariate
	for _, name := range q.Covariates {
		c := m.Lookup(name)
		if c == nil && q.predicts() {
			continue
		}
		if c == nil {
			return nil, fault.New(fault.Request, "name one of "+parse.Quoted(m.Names()),
				"%s has no characteristic %q (covariates)", path, name)
		}
		covariates = append(covariates, covariate{name: name, values: slices.Clone(c.Values)})
	}
	for _, column := range q.RowColumns() {
		c := m.Lookup(column.Column)
		if c == nil {
			return nil, fault.New(fault.Request, "name one of "+parse.Quoted(m.Names()),
				"%s has no characteristic %q (%s)", path, column.Column, column.Key)
		}
		r.tell(column.Column, c.Values)
	}
	var rounded Rounding
	features, lines, err := m.Values(func(features int) error { return checkMemory(path, 2*features*n, features) },
		func(feature int, text string) (float32, bool) {
			if feature == len(rounded) {
				rounded = append(rounded, make(Rounding, 1)...)
			}
			x, ok := parse.Number(text)
			return rounded.Round(feature, x), ok
		})
	if err != nil {
		return nil, err
	}
	r.NoteLost(rounded, features)
	for j, name := range features {
		if features[j] = parse.Clean(name); features[j] == "" {
			return nil, fault.New(fault.Request, "begin every line of numbers with the name of its feature",
				"%s: feature %d has no name", path, j+1)
		}
	}
	r.Features = features
	r.X = transposed(lines, n)
	return r, r.add(covariates, path, q)
}

// labelOf finds the characteristic that is the label: the one asked for, or the only one that is called like a label. Without one it
// offers those that could be, but for rows to predict, which need none.
func labelOf(m *expressionMatrix, path string, q query) (*characteristic, error) {
	asked := q.Label
	if asked != "" {
		if c := m.Lookup(asked); c != nil {
			return c, nil
		}
	}
	named := slices.DeleteFunc(m.Names(), func(name string) bool { return !parse.NamesLabel(name) })
	if asked == "" && len(named) == 1 {
		return m.Lookup(named[0]), nil
	}
	if q.predicts() && (asked != "" || len(named) == 0) {
		return nil, nil
	}
	remedy := "write the matrix as a table with a line of classes, called label"
	if could := newCandidates(m.Names()).among(func(j int) []string { return m.About[j].Values }); len(could) > 0 {
		remedy = "name a characteristic of the samples with label=; it could be " + parse.Quoted(could)
	}
	if asked == "" {
		return nil, fault.New(fault.Request, remedy,
			"%s describes its samples in %d ways, but does not say which of them is the label", path, len(m.About))
	}
	return nil, fault.New(fault.Request, suggest.DidYouMeanOr(asked, m.Names(), remedy), "%s has no characteristic %q (label)", path, asked)
}

// classesBeside takes the classes from NAME.cls beside NAME.gct where the file itself tells nothing of its samples.
func classesBeside(m *expressionMatrix, path string, q query) error {
	base, ok := strings.CutSuffix(UnpackedName(path), ".gct")
	if !ok {
		return nil
	}
	content, err := os.ReadFile(base + ".cls")
	if errors.Is(err, fs.ErrNotExist) {
		if q.predicts() {
			return nil
		}
		return fault.New(fault.Request, "put the classes beside it in "+base+".cls, or save it as GCT 1.3 with a row of classes",
			"%s holds no classes", path)
	}
	if err != nil {
		return fault.Wrap(err, fault.Request, "make it readable, or move it away", "the classes cannot be read")
	}
	c, err := parseCLS(base+".cls", content, len(m.Samples))
	if err == nil {
		m.About = append(m.About, *c)
	}
	return err
}
