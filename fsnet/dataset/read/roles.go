package read

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// role is the purpose of a column.
type role int

const (
	isFeature role = iota
	isLabel
	isSample
	isCovariate
	isDescription // describes the rows, such as their groups
	isOther       // left out
	// isFirst is the first column. It names the samples if its values look like
	// names, otherwise it is a feature.
	isFirst
)

// roles are the purposes of the columns of a table.
type roles struct {
	roles []role // by column
	label int    // column of the label, or −1
	// described holds the columns of [config.Settings.RowColumns], in that
	// order, whatever other role they have.
	described []int
	features  []int    // columns of the features, in order
	names     []string // names of the features
	others    []string // features that the model does not need
	// covariates holds the columns of the covariates in the order of the query,
	// or −1 if rows to predict lack the column.
	covariates []int
}

// frame decides what the columns of a table are for, in a training or for rows
// to predict, and reads them as numbers, labels and names.
func (t *table) frame(ctx context.Context, q query) (*Frame, error) {
	for _, name := range q.Ignore {
		if t.find(name) >= 0 {
			continue
		}
		if row := slices.Index(t.samples, name); row >= 0 && t.omit != nil {
			t.omit([]int{row})
		} else if !q.predicts() {
			return nil, t.missingColumnError("ignore", name)
		}
	}

	t.omitDescriptions(q)
	p, err := t.roles(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := t.checkFeatures(ctx, p); err != nil {
		return nil, err
	}

	thin := t.thin != nil && t.rows >= 0 && 4*int64(t.rows)*int64(len(t.features())) > q.Dense
	out, err := t.numbers(ctx, p, q, thin)
	if err != nil {
		return nil, err
	}

	r := &Frame{X: out.x, Features: p.names, Others: p.others, Samples: t.samples, Lines: out.lines, Untyped: t.untyped, Headed: t.headed && t.omit != nil}
	r.Notes = append(r.Notes, t.notes...)
	if t.described != "" {
		r.Notes = append(r.Notes, t.described)
	}
	if q.predicts() {
		r.Words = map[string][]string{}
	}

	if thin {
		if r.Source, err = t.thin(ctx); err != nil {
			return nil, err
		}
		if len(p.features) < len(t.features()) {
			r.Source = sparse.NewPart(r.Source, nil, p.features)
		}
		r.Notes = append(r.Notes, "it stays sparse")
	}

	if t.shape == byLines && p.label >= 0 {
		why := fmt.Sprintf("%q is one of its lines", t.columns[p.label].Name)
		if t.columns[p.label].Beside {
			why = "its header names samples"
		}
		r.Notes = append(r.Notes, "read with one line per feature, because "+why)
	}

	r.NoteLost(out.rounded, p.names)
	first, covariates := []string(nil), make([]covariate, len(q.Covariates))
	for k, j := range out.texts {
		name, words := t.columns[j].Name, out.words[k]
		for i := range words {
			words[i] = parse.Clean(words[i])
		}

		switch p.roles[j] {
		case isLabel:
			r.LabelName, r.Labels = t.labelName(name), blankMissing(words)
		case isSample:
			r.Samples = words
		case isFirst:
			first = words
		case isCovariate:
			i := slices.Index(p.covariates, j)
			covariates[i] = covariate{name: q.Covariates[i], values: words, isText: out.stored[k]}
		case isFeature, isDescription, isOther:
		}

		for i, c := range q.RowColumns() {
			if p.described[i] == j {
				r.describe(c.Column, words) // spelt as the user spelt it
			}
		}
	}

	if t.shape == beside {
		r.Notes = append(r.Notes, repeatedNames(r.Samples)...)
	}
	if len(t.columns) > 0 && p.roles[0] == isSample && t.columns[0].Name == "" {
		r.Notes = append(r.Notes, "the first column, without a name, names the samples")
	}

	if first != nil {
		if err := t.useFirst(r, first, q); err != nil {
			return nil, err
		}
	}

	if t.unnamed && len(p.features) == len(t.features()) && !q.predicts() && len(covariates) == 0 {
		r.Features = nil
	}
	return r, r.addCovariates(covariates, t.where(), q)
}

// omitDescriptions leaves out columns that describe features by numbers, such
// as their Entrez number. It does so in a table with a line for each feature,
// and only if the annotations do not describe the column as a sample.
func (t *table) omitDescriptions(q query) {
	if t.omit == nil || t.shape != byLines || q.annotations == nil {
		return
	}

	var rows []int
	var names []string
	for row, name := range t.samples {
		if !describesFeatures(name) {
			continue
		}
		if hits, _ := q.annotations.describes([]string{name}); hits == 0 {
			rows, names = append(rows, row), append(names, name)
		}
	}

	if rows != nil && len(rows) < len(t.samples) {
		t.omit(rows)
		t.note(parse.Quote(names) + " " + map[bool]string{true: "describes the features, and is no sample", false: "describe the features, and are no samples"}[len(names) == 1])
	}
}

// describesFeatures reports whether a column with this name holds a number
// about each gene.
func describesFeatures(name string) bool {
	switch strings.NewReplacer("_", "", ".", "", " ", "", "-", "").Replace(strings.ToLower(name)) {
	case "entrezgeneid", "entrezid", "entrez", "geneid", "ncbigeneid", "hgncid", "start", "end", "length", "genelength", "strand", "width":
		return true
	}
	return false
}

// repeatedNames returns a note if cells share a name, and nil otherwise.
func repeatedNames(names []string) []string {
	seen := make(map[string]bool, len(names))
	again, first := 0, ""
	for _, name := range names {
		if seen[name] {
			if again++; first == "" {
				first = name
			}
		}
		seen[name] = true
	}
	if again == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %s the name of another row, such as %q: if they are not the same cell twice, adata.obs_names_make_unique() makes the names different",
		phrase.Count(again, "row"), map[bool]string{true: "has", false: "have"}[again == 1], parse.Shorten(first))}
}

// blankMissing returns a copy of texts in which missing ones are "".
func blankMissing(texts []string) []string {
	list := slices.Clone(texts)
	for i, text := range list {
		if parse.IsMissing(text) {
			list[i] = ""
		}
	}
	return list
}

// labelName describes the column of classes for users.
func (t *table) labelName(name string) string {
	switch t.shape {
	case byLines:
		if !t.columns[t.find(name)].Beside {
			return fmt.Sprintf("row %q", name)
		}
	case byVariables:
		return "variable " + name
	case byColumns, beside:
	}
	return fmt.Sprintf("column %q", name)
}

// features returns the columns that may be features.
func (t *table) features() []int {
	var list []int
	for j, c := range t.columns {
		if !c.Beside {
			list = append(list, j)
		}
	}
	return list
}

// roles decides what each column is for.
func (t *table) roles(ctx context.Context, q query) (*roles, error) {
	p := &roles{roles: make([]role, len(t.columns)), label: -1}
	for j, c := range t.columns {
		if c.Beside || slices.Contains(q.Ignore, c.Name) {
			p.roles[j] = isOther
		}
	}

	var err error
	if p.label, err = t.findLabel(ctx, q); err != nil {
		return nil, err
	}

	if p.label >= 0 {
		p.roles[p.label] = isLabel
		for j, c := range t.columns { // a label in the annotations replaces one in the table
			if t.columns[p.label].Beside && !c.Beside && c.Name == t.columns[p.label].Name {
				p.roles[j] = isOther
			}
		}
	}

	free := func(j int) bool { return p.roles[j] == isFeature || p.roles[j] == isOther }
	switch {
	case q.annotations.hasColumn(q.Samples), q.predicts() && (t.headed || t.find(q.Samples) < 0):
		q.Samples = "" // the column is in the annotations, or not needed
	case q.Samples != "" && t.headed:
		return nil, errs.New(errs.Request, "leave samples= out: its header names the samples", "%s has a column for each sample", t.path)
	}

	if q.Samples != "" {
		j, err := t.namedColumn("samples", q.Samples)
		switch {
		case err != nil:
			return nil, err
		case !free(j):
			return nil, errs.New(errs.Request, "name another column with samples=", "%s: column %q is the label or a covariate", t.where(), q.Samples)
		}
		p.roles[j] = isSample
	}

	for _, name := range q.Covariates {
		if q.predicts() && t.find(name) < 0 {
			p.covariates = append(p.covariates, -1)
			continue // the file may have its features instead, such as sex=f
		}
		j, err := t.namedColumn("covariates", name)
		if err != nil {
			return nil, err
		}
		if !free(j) {
			return nil, errs.New(errs.Request, "take it out of covariates", "%s: column %q is named twice, as a covariate and as label, samples or covariate", t.where(), name)
		}
		p.roles[j], p.covariates = isCovariate, append(p.covariates, j)
	}

	for _, c := range q.RowColumns() {
		j, err := t.namedColumn(c.Key, c.Column)
		if err != nil {
			return nil, err
		}
		if free(j) {
			p.roles[j] = isDescription
		}
		p.described = append(p.described, j)
	}

	if index := t.find(t.index); t.index != "" && index >= 0 && p.roles[index] == isFeature && !slices.Contains(p.roles, isSample) {
		p.roles[index] = isSample
		if first := t.columns[0]; t.columns[index].Kind == integerKind && index > 0 && (first.Kind == textKind || namesRows(first.Name)) {
			p.roles[index] = isOther // pandas numbered the rows, and the first column names them
		}
	}

	t.setFirst(p, q)
	if err := t.setNames(ctx, p, q); err != nil {
		return nil, err
	}
	t.setFeatures(p, q)
	return p, nil
}

// setFirst decides what the first column is for in a table with a column for
// each feature, or leaves the decision to its values.
func (t *table) setFirst(p *roles, q query) {
	if t.shape != byColumns || len(t.columns) == 0 || p.roles[0] != isFeature || slices.Contains(p.roles, isSample) {
		return
	}
	name := t.columns[0].Name
	switch kind := t.columns[0].Kind; {
	case name == "" && kind == mixedKind:
		p.roles[0] = isSample
	case q.predicts() && q.wants(name):
	case kind == textKind, kind == mixedKind && isWord(t.first), namesRows(name) && kind != otherKind:
		p.roles[0] = isFirst
	}
}

// setNames makes a column behind the first the names of the rows if the first
// does not hold them: it is called sample or the like, and its values are
// different words.
func (t *table) setNames(ctx context.Context, p *roles, q query) error {
	if t.shape != byColumns || slices.Contains(p.roles, isSample) || slices.Contains(p.roles, isFirst) {
		return nil
	}
	for j, c := range t.columns {
		if p.roles[j] != isFeature || !namesRows(c.Name) || c.Kind != textKind && c.Kind != mixedKind || q.predicts() && q.wants(c.Name) {
			continue
		}
		read, err := t.readColumns(ctx, j)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, text := range read[0] {
			seen[text] = isWord(text) && !parse.IsMissing(text)
		}
		if len(seen) == len(read[0]) && !slices.Contains(slices.Collect(maps.Values(seen)), false) {
			p.roles[j] = isSample
			t.note(fmt.Sprintf("the column %q names the samples", c.Name))
			return nil
		}
	}
	return nil
}

// setFeatures lists the columns that are features. For rows to predict it
// renames repeated names, as a training does, and keeps only the panel.
func (t *table) setFeatures(p *roles, q query) {
	p.features, p.names = make([]int, 0, len(p.roles)), make([]string, 0, len(p.roles))
	for j, role := range p.roles {
		if role == isFeature {
			p.features, p.names = append(p.features, j), append(p.names, t.columns[j].Name)
		}
	}

	if !q.predicts() || t.thin != nil {
		return
	}

	names, _ := parse.Unique(p.names)
	features := p.features
	p.features, p.names = nil, nil
	for i, name := range names {
		if q.wants(name) {
			p.features, p.names = append(p.features, features[i]), append(p.names, name)
		} else {
			p.roles[features[i]], p.others = isOther, append(p.others, name)
		}
	}
}

// isWord reports whether a text is a word rather than a value or a misspelt
// value: 12-345 is a word, 1.234,5 and <LOD are not.
func isWord(text string) bool {
	_, isNumber := parse.Number(text)
	_, isTruth := parse.IsTruth(text)
	return !isNumber && !isTruth && !isLimit(text) && parse.Oddity(text) == "" && strings.Trim(strings.TrimLeft(text, "+-"), "0123456789.,%' ") != ""
}

// namesRows reports whether a column with this name probably names the rows.
func namesRows(name string) bool {
	switch strings.ToLower(name) {
	case "id", "sample", "samples", "sample_id", "sampleid", "sample id", "sample-id",
		// of pandas, R and Cell Ranger
		"index", "unnamed: 0", "rownames", "row.names", "row_names", "barcode", "barcodes":
		return true
	}
	return false
}

// findLabel returns the column of classes. If there is no label, it returns −1
// for rows to predict, and an error for a training.
func (t *table) findLabel(ctx context.Context, q query) (int, error) {
	if t.shape == byVariables {
		name := cmp.Or(q.Label, t.label)
		j := t.find(name)
		switch {
		case j < 0 && !q.predicts():
			return -1, t.missingColumnError("label", name)
		case j >= 0 && !t.columns[j].Beside && !q.predicts():
			_, err := t.namedColumn("label", name) // rejects a feature
			return -1, err
		case j >= 0 && !t.columns[j].Beside:
			j = -1
		}
		return j, nil
	}

	describing := t.names(column.describes)
	label, err := q.labelAmong(describing, t.where(), "columns")
	if err == nil && label == "" && q.Label != "" && t.find(q.Label) >= 0 && t.columns[t.find(q.Label)].Beside && (!q.predicts() || !q.wants(q.Label)) {
		label = q.Label // find ignores case
	}

	if err == nil && label == "" && t.shape != beside {
		kind := "columns"
		if t.shape == byLines {
			kind = "rows"
		}
		label, err = q.labelAmong(t.names(func(c column) bool { return !c.Beside }), t.path, kind)
	}

	switch {
	case err != nil:
		return -1, err
	case label != "":
		return t.find(label), nil
	case q.predicts():
		return -1, nil
	}
	return -1, t.noLabel(ctx, q)
}

// labelAmong returns the label among the names of columns or rows, or "" if no
// name is one. It rejects several labels. path and kind are used in that
// message.
func (q query) labelAmong(names []string, path, kind string) (string, error) {
	found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" || !q.isLabel(name) })
	if len(found) > 1 {
		remedy := "say which with label="
		if found[0] == found[1] {
			remedy = "give them different names"
		}
		return "", errs.New(errs.Request, remedy, "%s: the %s %s could all be the label", path, kind, parse.Quote(found))
	}
	return strings.Join(found, ""), nil
}

// noLabel returns the error for a table without a label. It suggests columns
// that could be the label.
func (t *table) noLabel(ctx context.Context, q query) error {
	if err := t.aboveHeader(ctx, q); err != nil {
		return err
	}
	if t.shape != beside && q.annotations == nil {
		if names := t.numberedNames(); len(names) > len(t.columns)/2 {
			return errs.New(errs.Request, "put a header above it that names every column", "%s has no label, and line %d looks like a sample: %d of its %s are numbers",
				t.path, t.columns[0].Line, len(names), phrase.Count(len(t.columns), "name"))
		}
	}

	if q.Label != "" && t.shape == beside {
		return t.missingColumnError("label", q.Label)
	}
	could := q.annotations.labels()
	if could == nil {
		var err error
		if could, err = t.couldBeLabel(ctx); err != nil {
			return err
		}
	}

	remedy := cmp.Or(t.remedy, "add a column of classes, name one with label=, or a table that has one for each sample with annotations=FILE")
	if len(could) > 0 {
		remedy = "name the column of classes with label=; it could be " + parse.Quote(could)
	}

	switch {
	case q.Label != "":
		return errs.New(errs.Request, phrase.DidYouMeanOr(q.Label, t.names(anyColumn), remedy), "%s has no column or row %q (label)", t.where(), q.Label)
	case t.shape == beside && len(t.columns) == len(t.features()):
		return errs.New(errs.Request, remedy, "%s holds no classes", t.path)
	case t.shape == beside || q.annotations != nil:
		return errs.New(errs.Request, remedy, "%s: no column that describes its rows is called label, class, y, target or diagnosis", t.where())
	}
	return errs.New(errs.Request, remedy, "%s: no column or row is called label, class, y, target or diagnosis", t.path)
}

// numberedNames returns the names that are numbers with a decimal point.
func (t *table) numberedNames() []string {
	return slices.DeleteFunc(t.names(anyColumn), func(name string) bool {
		_, ok := parse.Number(name)
		return !ok || !strings.Contains(name, ".")
	})
}

// couldBeLabel lists the columns that could be the label, for a message. It
// reads the table.
func (t *table) couldBeLabel(ctx context.Context) ([]string, error) {
	const mostBeside, mostIntegers = 200, 64 // columns to read at most

	c := newCandidates(t.names(anyColumn))
	if t.look != nil {
		err := t.look(ctx, c)
		return c.labels(), err
	}

	besides, integers := 0, 0
	for j, column := range t.columns {
		switch {
		case column.Beside:
			besides++
		case column.Kind == integerKind:
			integers++
		}
		if column.Beside && besides > mostBeside || !column.Beside && (column.Kind == realKind || column.Kind == otherKind || column.Kind == mixedKind ||
			column.Kind == integerKind && integers > mostIntegers || t.shape == beside) {
			continue
		}
		read, err := t.readColumns(ctx, j)
		if err != nil {
			if column.Beside && ctx.Err() == nil {
				continue // matters only if the user names it
			}
			return nil, err
		}
		for _, text := range read[0] {
			if c.add(j, text); c.excluded[j] {
				break
			}
		}
	}
	return c.labels(), nil
}

// candidates finds columns that could be the label: those with few different
// words or whole numbers that repeat.
type candidates struct {
	names    []string
	rows     []int // by column; includes missing values
	values   []map[string]bool
	hasWords []bool // some value is not a number
	excluded []bool
}

// newCandidates returns candidates among columns with these names, before any
// value was added.
func newCandidates(names []string) *candidates {
	n := len(names)
	return &candidates{names, make([]int, n), make([]map[string]bool, n), make([]bool, n), make([]bool, n)}
}

// add adds the next value of a column. A fraction excludes the column, and so
// do too many different values.
func (c *candidates) add(column int, text string) {
	const mostWords, mostNumbers = 100, 10
	c.rows[column]++
	text = strings.TrimSpace(text)
	if c.excluded[column] || parse.IsMissing(text) || c.values[column][text] {
		return
	}

	x, isNumber := parse.Number(text)
	if c.values[column] == nil {
		c.values[column] = map[string]bool{}
	}
	c.values[column][strings.Clone(text)] = true
	c.hasWords[column] = c.hasWords[column] || !isNumber

	n := len(c.values[column])
	if isNumber && x != math.Trunc(x) || n > mostWords || n > mostNumbers && !c.hasWords[column] {
		c.excluded[column], c.values[column] = true, nil
	}
}

// labels returns the columns that could be the label: they have at least two
// different values, and each occurs in two rows on average. Columns of words
// come first.
func (c *candidates) labels() []string {
	var words, numbers []string
	for j, name := range c.names {
		switch n := len(c.values[j]); {
		case n < 2 || n > c.rows[j]/2 || name == "":
		case c.hasWords[j]:
			words = append(words, name)
		default:
			numbers = append(numbers, name)
		}
	}
	return slices.Concat(words, numbers)
}

// missingColumnError returns the error for a key that names no column.
func (t *table) missingColumnError(key, name string) error {
	names := slices.DeleteFunc(t.names(anyColumn), func(name string) bool { return name == "" })
	switch {
	case t.variables != nil:
		_, err := t.variables.variable(name, key)
		return err
	case t.describer == "" && t.shape == byColumns:
		return errs.New(errs.Request, phrase.DidYouMeanOr(name, names, "name a column of the header"), "%s has no column %q (%s)", t.path, name, key)
	case t.describer == "" && t.shape == byLines:
		return errs.New(errs.Request, phrase.DidYouMeanOr(name, names, "name a line of the table"), "%s has no line %q (%s)", t.path, name, key)
	}

	describing := slices.DeleteFunc(t.names(column.describes), func(name string) bool { return name == "" })
	remedy := cmp.Or(t.remedy, "it has no columns")
	if len(describing) > 0 {
		remedy = "it has " + parse.Quote(describing)
	}
	return errs.New(errs.Request, phrase.DidYouMeanOr(name, describing, remedy), "%s has no column %q (%s) that describes its rows", t.where(), parse.Shorten(name), key)
}

// whyNotNames returns why the values of the first column cannot name the
// samples, or "" if they can. Names must all differ, and must not be missing.
// They are words, or whole numbers if the column is called id or the like. Such
// numbers must not become a feature: in a sorted file they would give the class
// away.
func (t *table) whyNotNames(texts []string, lines []int) (wrong string) {
	seen, name := map[string]int{}, t.columns[0].Name
	words, present := countWords(texts)

	halves := false
	for i, text := range texts {
		x, isNumber := parse.Number(text)
		halves = halves || isNumber && x == x && x != math.Trunc(x)
		before, twice := seen[text]
		switch seen[text] = i; {
		case wrong != "":
		case parse.IsMissing(text):
			wrong = fmt.Sprintf("%s, column %q: the sample has no name", Place(lines, i), name)
		case twice:
			wrong = fmt.Sprintf("%s, column %q: %q also names the sample of %s", Place(lines, i), name, parse.Shorten(text), Place(lines, before))
		}
	}

	// whole numbers that serve as names
	codes := namesRows(name) || t.columns[0].Kind == textKind && words == 0
	if wrong == "" && (halves || !codes && 2*words <= present) {
		wrong = "they are numbers"
	}
	return wrong
}

// countWords counts the texts that are words, that is neither numbers nor
// missing, and the texts that are not missing.
func countWords(texts []string) (words, present int) {
	for _, text := range texts {
		if _, isNumber := parse.Number(text); !isNumber {
			words++
		}
		if !parse.IsMissing(text) {
			present++
		}
	}
	return words, present
}

// useFirst turns the first column, with values that are texts, into the names
// of the samples or, if they cannot be names, into a feature. For rows to
// predict it leaves out a column that cannot be names.
func (t *table) useFirst(r *Frame, texts []string, q query) error {
	name := t.columns[0].Name
	wrong := t.whyNotNames(texts, r.Lines)
	if described, _ := q.annotations.describes(texts); wrong == "" || described > 0 || q.predicts() && namesRows(name) {
		r.Samples = texts
		if !q.predicts() {
			r.Notes = append(r.Notes, fmt.Sprintf("the first column, %q, names the samples", name))
		}
		return nil
	}

	if q.predicts() {
		r.Others = append(r.Others, name)
		return nil
	}

	values, rounded := make([]float32, len(texts)), make(Rounding, 1)
	words, present := countWords(texts)
	for i, text := range texts {
		x, isNumber := parse.Number(text)
		if values[i] = rounded.Round(0, x); isNumber {
			continue
		}
		remedy := forWords([]string{name}, name, byColumns)
		if 2*words <= present {
			remedy = forValue(text)
		}
		if namesRows(name) {
			remedy = fmt.Sprintf("make the names different, use samples=%s, which keeps rows of one name together, or leave the column out with ignore=%s", phrase.Word(name), phrase.Typed(name))
		} else {
			wrong = fmt.Sprintf("%s, column %q: %s", Place(r.Lines, i), name, noNumber(text))
		}
		return errs.New(errs.Request, remedy, "%s: %s", t.path, wrong)
	}
	r.NoteLost(rounded, []string{name})
	r.insert(0, []string{name}, [][]float32{values})
	return nil
}

// Place describes the place of a row to users: its line in a text file,
// otherwise its number from 1.
func Place(lines []int, row int) string {
	if lines == nil {
		return fmt.Sprintf("row %d", row+1)
	}
	return fmt.Sprintf("line %d", lines[row])
}

// insert inserts columns, at least one, before a column, in place.
func (r *Frame) insert(before int, names []string, columns [][]float32) {
	n, d, more := len(columns[0]), len(r.Features), len(columns)

	r.X = slices.Grow(r.X, n*more)[:n*(d+more)]
	for i := n - 1; i >= 0; i-- {
		from, to := r.X[i*d:(i+1)*d], r.X[i*(d+more):(i+1)*(d+more)]
		copy(to[before+more:], from[before:])
		copy(to[:before], from[:before])
		for k, column := range columns {
			to[before+k] = column[i]
		}
	}
	r.Features = slices.Insert(r.Features, before, names...)
}

// covariate is a column that the user named. Words become a 0/1 feature for
// each value, numbers stay numbers. Numbers stored as text count as words, and
// so do codes such as 007.
type covariate struct {
	name   string
	values []string // the value in each row; nil if rows to predict have none
	isText bool     // stored as text in the file
}

// words returns the values that are not missing, numbers as their text. It also
// reports whether the covariate is a number: all these values are numbers, and
// are neither codes nor stored as text.
func (c covariate) words() (words []string, isNumber bool) {
	isNumber = !c.isText
	for _, text := range c.values {
		_, ok := parse.Number(text)
		isNumber = isNumber && ok && !parse.IsCode(text)
		if !parse.IsMissing(text) {
			words = append(words, text)
		}
	}
	return words, isNumber || words == nil
}

// addCovariates appends the features of covariates after all others. For rows
// to predict it also sets Words. path is used in messages.
func (r *Frame) addCovariates(covariates []covariate, path string, q query) error {
	var names []string
	var columns [][]float32
	for _, c := range covariates {
		if c.values == nil {
			continue
		}

		if r.Untyped {
			parse.JoinSpellings(c.values)
		}
		parse.SpellTruths(c.values)
		if q.predicts() {
			r.Words[c.name] = blankMissing(c.values)
		}

		n, x, err := r.covariateFeatures(c, path, q)
		if err != nil {
			return err
		}
		names, columns = append(names, n...), append(columns, x...)
	}

	switch {
	case len(columns) == 0:
	case r.Source != nil:
		r.Source, r.Features = sparse.NewWide(r.Source, columns), append(r.Features, names...)
	default:
		r.insert(len(r.Features), names, columns)
	}
	return nil
}

// covariateFeatures returns the features of a covariate. A numeric covariate is
// a feature itself. Otherwise there is a feature name=value for each value, in
// alphabetical order. It is missing in the rows where the covariate is missing.
// For rows to predict the panel decides, because it lists the values of the
// training.
func (r *Frame) covariateFeatures(c covariate, path string, q query) (names []string, columns [][]float32, err error) {
	words, numeric := c.words()
	same := func(a, b string) bool { return a == b }

	if q.predicts() {
		words, numeric, same = nil, slices.Contains(q.Panel, c.name), parse.Same
		for _, name := range q.Panel {
			if value, isWord := strings.CutPrefix(name, c.name+"="); isWord {
				words = append(words, value)
			}
		}
	}

	if numeric {
		numbers, rounded := make([]float32, len(c.values)), make(Rounding, 1)
		for i, text := range c.values {
			x, isNumber := parse.Number(text)
			if !isNumber {
				return nil, nil, errs.New(errs.Request, "correct it: the covariate is a number in the training", "%s: %s, covariate %q: %q is not a number",
					path, Place(r.Lines, i), c.name, parse.Shorten(text))
			}
			numbers[i] = rounded.Round(0, x)
		}
		r.NoteLost(rounded, []string{c.name})
		names, columns = append(names, c.name), append(columns, numbers)
		if !q.predicts() {
			return names, columns, nil
		}
	} else if present := len(words); !q.predicts() {
		slices.Sort(words)
		if words = slices.Compact(words); present > 2 && len(words) == present {
			return nil, nil, errs.New(errs.Request, "if it names the rows, use samples="+phrase.Word(c.name), "%s: covariate %q has another value in every row, such as %q", path, c.name, parse.Shorten(words[0]))
		}
	}

	for _, word := range words {
		column := make([]float32, len(c.values))
		for i, text := range c.values {
			switch {
			case same(text, word):
				column[i] = 1
			case parse.IsMissing(text):
				column[i] = float32(math.NaN())
			}
		}
		names, columns = append(names, c.name+"="+word), append(columns, column)
	}
	return names, columns, nil
}
