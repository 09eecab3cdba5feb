package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
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
			return nil, errs.New(errs.Request, "take it out of covariates", "%s: column %q is named twice, as a covariate and as label or covariate", t.path, name)
		}
		roles[j] = isCovariate
	}
	if q.Samples != "" {
		j, err := t.namedColumn("samples", q.Samples)
		if err != nil {
			return nil, err
		}
		if roles[j] != isFeature {
			return nil, errs.New(errs.Request, "name another column with samples=", "%s: column %q is the label or a covariate", t.path, q.Samples)
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
			return nil, errs.New(errs.Request, "name every column", "%s: line %d: column 1 has no name", t.path, t.top)
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
			return errs.New(errs.Request, fmt.Sprintf("make the names different, use samples=%s to take them as they are, or take the column out", phrase.Word(t.header[0])),
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
	return errs.New(errs.Request, remedy, "%s: line %d, column %q: %q is not a number", t.path, t.line, t.header[column], parse.Shorten(value))
}

// forWords is what to do about columns that hold words.
func forWords(columns []string, first string) string {
	if len(columns) == 1 && columns[0] == first {
		return fmt.Sprintf("samples=%[1]s if it names the rows, groups=%[1]s if it says whose rows these are, such as a donor's, "+
			"covariates=%s makes 0/1 features of its words; otherwise take the column out", phrase.Word(first), phrase.Typed(first))
	}
	list := phrase.Typed(columns[:min(len(columns), 8)]...)
	if len(columns) > 8 {
		list += " (and others)"
	}
	return "covariates=" + list + " makes 0/1 features of words, groups= names the column that says whose rows these are, such as " +
		"a donor's, samples= the one with the names of the rows, label= the one with the classes; otherwise take the column out"
}

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
		return nil, nil, errs.New(errs.Request, "if it names the rows, use samples="+phrase.Word(c.name), "%s: covariate %q has another value in every row, such as %q", path, c.name, parse.Shorten(words[0]))
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
	for _, name := range q.Panel {
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
				return nil, nil, errs.New(errs.Request, "correct it: the covariate is a number in the training", "%s: row %d, covariate %q: %q is not a number",
					path, i+1, c.name, parse.Shorten(text))
			}
		}
		names, columns = append(names, name), append(columns, column)
	}
	return names, columns, nil
}

func (t *table) number(text string) (float64, bool) { return t.decimals.Number(text, t.line) }

// truths are features whose values are True and False, as pandas, R and Excel write truth values.
type truths []truthKind

type truthKind struct{ numbers, truth bool }

func (f truths) number(t *table, feature int, text string) (float64, bool) {
	x, ok := t.number(text)
	if !ok && len(text) < 6 {
		if ok = strings.EqualFold(text, "true"); ok {
			x = 1
		} else if ok = strings.EqualFold(text, "false"); ok {
			x = 0
		}
		f[feature].truth = f[feature].truth || ok
	} else if x == x {
		f[feature].numbers = true
	}
	return x, ok && (!f[feature].truth || !f[feature].numbers)
}

// settleDecimals refuses a table that mixes commas and points, and writes labels, covariates and names of rows that are numbers with
// points, as features are.
func (t *table) settleDecimals(r *Frame, covariates []covariate) error {
	commas, points, err := t.decimals.Settle(t.path)
	if err != nil || points {
		return err
	}
	if commas {
		r.Notes = append(r.Notes, "with decimal commas")
	}
	parse.WithPoints(r.Labels)
	parse.WithPoints(r.Samples)
	for _, c := range covariates {
		parse.WithPoints(c.values)
	}
	return nil
}

// roomFor makes room for the numbers of a table whose lines have so many of them. The lines are estimated from the length of the file and
// of its first line of data, so that nothing is copied as the table grows. It refuses a table that memory cannot hold.
func (t *table) roomFor(features int) ([]float32, error) {
	cells := t.lines.Estimate(features)
	if err := checkMemory(t.path, cells, features); err != nil {
		return nil, err
	}
	return make([]float32, 0, cells), nil
}

// moreRoom makes room for another line, where the file did not tell how many there are.
func (t *table) moreRoom(x []float32, features int) ([]float32, error) {
	if len(x)+features <= cap(x) {
		return x, nil
	}
	if err := checkMemory(t.path, len(x)+len(x)/4+features, features); err != nil {
		return nil, err
	}
	return slices.Grow(x, len(x)/4+features), nil
}

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
		return nil, errs.New(errs.Request, "leave samples= out: its header names the samples", "%s has a line for each feature, since label %q is a line of it", t.path, label)
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
			return errs.New(errs.Request, "begin every line with the name of its feature", "%s: line %d has no name", t.path, t.line)
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
				return errs.New(errs.Request,
					"correct it, or leave it empty and use missing=mean or missing=drop; covariates="+phrase.Typed(name)+" makes 0/1 features of a line of words",
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
	return errs.New(errs.Request, "give them different names", "%s: line %d is the second one called %q", t.path, t.line, name)
}

// noLine says that there is no line of the name that a key gives.
func (t *table) noLine(key, name string, lines []string) error {
	return errs.New(errs.Request, phrase.DidYouMeanOr(name, lines, "name a line of the table"), "%s has no line %q (%s)", t.path, name, key)
}
