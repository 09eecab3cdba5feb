package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/namelist"
)

// What a column is for.
type role int

const (
	isFeature role = iota
	isLabel
	isSample
	isCovariate
	isDescription // tells something of the row that is no measurement, such as its group
	isOther       // nobody asked for it
	isUnsure      // the first column, named id or sample: sample names if it looks like them, else a feature
)

// readRows reads a table that has a line for each sample.
func (t *table) readRows(label string, q query) (*Frame, error) {
	roles, err := t.roles(label, q)
	if err != nil {
		return nil, err
	}
	r := &Frame{LabelName: fmt.Sprintf("column %q", label)}
	t.only(q, roles, r)
	if r.X, err = t.roomFor(len(r.Features)); err != nil {
		return nil, err
	}
	covariates, rounded := make([]covariate, len(q.Covariates)), make(Rounding, len(r.Features))
	described, kinds := make([][]string, len(t.header)), make(truths, len(r.Features))
	err = t.each(func(record []string) error {
		r.Lines = append(r.Lines, t.line)
		if r.X, err = t.moreRoom(r.X, len(r.Features)); err != nil {
			return err
		}
		first := len(r.X)
		for j, field := range record {
			text := strings.TrimSpace(field)
			switch roles[j] {
			case isFeature:
				x, ok := kinds.number(t, len(r.X)-first, text)
				if !ok {
					return t.notNumber(record, roles, j, len(r.Lines) == 1 && !q.predicts())
				}
				r.X = append(r.X, rounded.Round(len(r.X)-first, x))
			case isLabel:
				if parse.IsMissing(text) {
					text = ""
				}
				r.Labels = append(r.Labels, parse.Own(text))
			case isSample, isUnsure:
				r.Samples = append(r.Samples, parse.Own(text))
			case isCovariate:
				covariates[slices.Index(q.Covariates, t.header[j])].add(parse.Own(text), t.isText(j))
			case isDescription, isOther:
			}
		}
		for _, j := range t.describing {
			described[j] = append(described[j], parse.Own(record[j]))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.NoteLost(rounded, r.Features)
	if err := t.settleDecimals(r, covariates); err != nil {
		return nil, err
	}
	if err := r.settleFirst(t, roles[0]); err != nil {
		return nil, err
	}
	for c, name := range q.Covariates {
		covariates[c].name = name
	}
	for _, j := range t.describing {
		r.tell(t.header[j], described[j])
	}
	return r, r.add(covariates, t.path, q)
}

// only keeps the features that are asked for. Those of a panel are called as in a training, where the second of a name has another one.
func (t *table) only(q query, roles []role, r *Frame) {
	var at []int
	for j, role := range roles {
		if role == isFeature {
			r.Features, at = append(r.Features, t.header[j]), append(at, j)
		}
	}
	if !q.predicts() {
		return
	}
	names, _ := parse.Unique(r.Features)
	r.Features = nil
	for i, name := range names {
		if q.wants(name) {
			r.Features = append(r.Features, name)
		} else {
			roles[at[i]], r.Others = isOther, append(r.Others, name)
		}
	}
}

// roles says what each column is for.
func (t *table) roles(label string, q query) ([]role, error) {
	roles := make([]role, len(t.header))
	if label != "" {
		roles[t.column(label)] = isLabel
	}
	if q.predicts() && t.column(q.Samples) < 0 {
		q.Samples = ""
	}
	for _, name := range q.Covariates {
		if q.predicts() && t.column(name) < 0 {
			continue // what was made of it may be there
		}
		j, err := t.namedColumn("covariates", name)
		if err != nil {
			return nil, err
		}
		if roles[j] != isFeature {
			return nil, fault.New(fault.Request, "take it out of covariates", "%s: column %q is named twice, as a covariate and as label or covariate", t.path, name)
		}
		roles[j] = isCovariate
	}
	if q.Samples != "" {
		j, err := t.namedColumn("samples", q.Samples)
		if err != nil {
			return nil, err
		}
		if roles[j] != isFeature {
			return nil, fault.New(fault.Request, "name another column with samples=", "%s: column %q is the label or a covariate", t.path, q.Samples)
		}
		roles[j] = isSample
	}
	t.describing = nil
	for _, c := range q.RowColumns() {
		j, err := t.namedColumn(c.Key, c.Column)
		if err != nil {
			return nil, err
		}
		if roles[j] == isFeature {
			roles[j] = isDescription
		}
		if !slices.Contains(t.describing, j) {
			t.describing = append(t.describing, j)
		}
	}
	if roles[0] == isFeature {
		switch {
		case t.header[0] == "" && q.Samples == "", q.predicts() && namesRows(t.header[0]) && q.Samples == "" && !q.wants(t.header[0]):
			roles[0] = isSample
		case q.predicts():
		case t.header[0] == "":
			return nil, fault.New(fault.Request, "name every column", "%s: line %d: column 1 has no name", t.path, t.top)
		case namesRows(t.header[0]) && q.Samples == "":
			roles[0] = isUnsure
		}
	}
	return roles, nil
}

// namesRows says whether a column of this name is likely to name the rows.
func namesRows(name string) bool {
	switch strings.ToLower(name) {
	case "id", "sample", "samples", "sample_id", "sampleid", "sample id",
		"index", "unnamed: 0", "rownames", "row.names", "row_names", "barcode", "barcodes": // as pandas, R and Cell Ranger write them
		return true
	}
	return false
}

// settleFirst decides about a first column that is named id or sample: different texts or whole numbers name the rows, anything else is a
// feature. Whole numbers are not left among the features: as a serial number they would give the class away in a sorted file.
func (r *Frame) settleFirst(t *table, first role) error {
	if first != isUnsure {
		if first == isSample && t.header[0] == "" {
			r.Notes = append(r.Notes, "the first column, without a name, names the samples")
		}
		return nil
	}
	names, wrong := map[string]int{}, ""
	looksLikeNames := true
	values := make([]float32, len(r.Samples))
	for i, name := range r.Samples {
		x, isNumber := parse.Number(name)
		values[i] = float32(x)
		looksLikeNames = looksLikeNames && (!isNumber || x != x || x == math.Trunc(x))
		before, twice := names[name]
		switch names[name] = i; {
		case wrong != "":
		case parse.IsMissing(name):
			wrong = fmt.Sprintf("%s, column %q: the sample has no name", Place(r.Lines, i), t.header[0])
		case twice:
			wrong = fmt.Sprintf("%s, column %q: %q also names the sample of %s", Place(r.Lines, i), t.header[0], parse.Shorten(name), Place(r.Lines, before))
		}
	}
	if looksLikeNames && wrong == "" {
		r.Notes = append(r.Notes, fmt.Sprintf("the first column, %q, names the samples", t.header[0]))
		return nil
	}
	for i, name := range r.Samples {
		if _, ok := parse.Number(name); !ok {
			return fault.New(fault.Request, fmt.Sprintf("make the names different, use samples=%s to take them as they are, or take the column out", namelist.Word(t.header[0])),
				"%s: %s", t.path, cmp.Or(wrong, fmt.Sprintf("%s, column %q: %q is not a number", Place(r.Lines, i), t.header[0], parse.Shorten(name))))
		}
	}
	r.Samples = nil
	r.widen(0, []string{t.header[0]}, [][]float32{values})
	return nil
}

// Place says where a row stands, for people: at its line in a text file, and elsewhere at its number, from 1.
func Place(lines []int, row int) string {
	if lines == nil {
		return fmt.Sprintf("row %d", row+1)
	}
	return fmt.Sprintf("line %d", lines[row])
}

// widen inserts columns before a column.
func (r *Frame) widen(before int, names []string, columns [][]float32) {
	n, d := len(columns[0]), len(r.Features)
	x := make([]float32, 0, n*(d+len(columns)))
	for i := range n {
		row := r.X[i*d : (i+1)*d]
		x = append(x, row[:before]...)
		for _, column := range columns {
			x = append(x, column[i])
		}
		x = append(x, row[before:]...)
	}
	r.X, r.Features = x, slices.Insert(r.Features, before, names...)
}

// notNumber says that a feature's value is not a number, and what to do about all such columns of the line at once.
func (t *table) notNumber(record []string, roles []role, column int, firstRow bool) error {
	var words []string
	for j, field := range record {
		if _, ok := t.number(strings.TrimSpace(field)); roles[j] == isFeature && !ok {
			words = append(words, t.header[j])
		}
	}
	value := strings.TrimSpace(record[column])
	remedy := "correct it, or leave it empty and use missing=mean or missing=drop"
	if _, err := strconv.ParseFloat(strings.ReplaceAll(value, ",", ""), 64); err == nil {
		remedy = "write numbers with a decimal point, and with nothing between thousands"
	} else if firstRow {
		remedy = forWords(words, t.header[0])
	}
	return fault.New(fault.Request, remedy, "%s: line %d, column %q: %q is not a number", t.path, t.line, t.header[column], parse.Shorten(value))
}

// forWords is what to do about columns that hold words.
func forWords(columns []string, first string) string {
	if len(columns) == 1 && columns[0] == first {
		return fmt.Sprintf("samples=%[1]s if it names the rows, groups=%[1]s if it says whose rows these are, such as a donor's, "+
			"covariates=%s makes 0/1 features of its words; otherwise take the column out", namelist.Word(first), namelist.Typed(first))
	}
	list := namelist.Typed(columns[:min(len(columns), 8)]...)
	if len(columns) > 8 {
		list += " (and others)"
	}
	return "covariates=" + list + " makes 0/1 features of words, groups= names the column that says whose rows these are, such as " +
		"a donor's, samples= the one with the names of the rows, label= the one with the classes; otherwise take the column out"
}
