package read

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// numbers reads the columns of the roles. If thin is set, it leaves out
// features, because a sparse matrix provides them.
func (t *table) numbers(ctx context.Context, p *roles, q query, thin bool) (*output, error) {
	var texts, numbers []int
	for j, role := range p.roles {
		switch role {
		case isFeature:
			if !thin {
				numbers = append(numbers, j)
			}
		case isLabel, isSample, isFirst, isCovariate, isDescription:
			texts = append(texts, j)
		case isOther:
		}
	}
	if err := t.checkReadable(texts); err != nil {
		return nil, err
	}

	for {
		out := newOutput(texts, numbers, func(cells int) error { return checkMemory(t.path, cells, len(numbers)) })
		out.names = slices.IndexFunc(texts, func(j int) bool { return p.roles[j] == isSample || p.roles[j] == isFirst })
		if err := t.read(ctx, out); err != nil {
			return nil, err
		}
		if out.wrong.count == 0 {
			return out, t.checkPoints(p, out, q)
		}
		rows := t.describingColumns(p, out)
		if rows == nil {
			return nil, t.notNumber(p, out, q)
		}

		var names []string
		wrong := out.wrong.count
		for _, row := range rows {
			names = append(names, t.samples[row])
			wrong -= out.wrong.texts[row]
		}
		t.omit(rows)
		t.note(parse.Quote(names) + " describe the features, and are no samples")
		if wrong == 0 && t.describer == "" { // annotations are matched with the remaining samples
			out.removeRows(rows)
			return out, t.checkPoints(p, out, q)
		}
	}
}

// checkPoints rejects numbers with points that may separate thousands. It looks
// at features and at columns of texts that are read as numbers.
func (t *table) checkPoints(p *roles, out *output, q query) error {
	if t.points == nil {
		return nil
	}
	for k, j := range out.texts {
		if role := p.roles[j]; out.stored[k] || role != isCovariate && (role != isLabel || !q.Regression()) {
			continue
		}
		var c parse.PointColumn
		for _, text := range out.words[k] {
			if _, is := parse.Number(text); is {
				t.points.Add(&c, text)
			}
		}
		t.points.Close(c)
	}
	return doubtfulPoints(t.path, t.points)
}

// doubtfulPoints returns the error for points that may separate thousands, or
// nil.
func doubtfulPoints(path string, points *parse.Points) error {
	text := points.Doubtful()
	if text == "" {
		return nil
	}
	return errs.New(errs.Request, "write numbers without separators between thousands; or, if these are decimal points, whole numbers with one, such as 1.0",
		"%s: the point of %q may be a decimal point or separate thousands, since other numbers of its column are whole", path, text)
}

// noNumber says that a text is not a number, and which character keeps it from
// being one.
func noNumber(text string) string {
	what := fmt.Sprintf("%q is not a number", parse.Shorten(text))
	if odd := parse.Oddity(text); odd != "" {
		what += " because of " + odd
	}
	return what
}

// describingColumns returns the rows that hold words, but no number and no
// class, in a table with a line for each feature. In the file these are columns
// that describe features, so the caller should omit them. It returns nil if
// there are no rows like that, if all rows are like that, or if the table
// cannot omit rows.
func (t *table) describingColumns(p *roles, out *output) (rows []int) {
	if t.omit == nil || t.shape != byLines {
		return nil
	}

	labels := []string(nil)
	if k := slices.Index(out.texts, p.label); k >= 0 {
		labels = out.words[k]
	}

	for row := range t.rows {
		if out.wrong.texts[row] > 0 && out.wrong.numbers[row] == 0 && (labels == nil || parse.IsMissing(labels[row])) {
			rows = append(rows, row)
		}
	}

	if len(rows) == t.rows {
		return nil
	}
	return rows
}

// notNumber returns the error for the values that are not numbers, which
// out.wrong has counted.
func (t *table) notNumber(p *roles, out *output, q query) error {
	w := out.wrong
	c := t.columns[out.numbers[w.column]]

	where := fmt.Sprintf("%s, column %q", Place(out.lines, w.row), c.Name)
	if t.samples != nil && t.shape == byLines {
		where = fmt.Sprintf("line %d (%q), column %q", c.Line, parse.Shorten(c.Name), t.samples[w.row])
	}

	what := fmt.Sprintf("%s: %s: %s", t.path, where, noNumber(w.text))
	if rest := w.count - 1; rest > 0 && len(w.others) > 0 && out.rounded[w.column].hasValue {
		what += fmt.Sprintf(", nor %s %s, such as %s", phrase.Be(rest), phrase.Count(rest, "other value"), parse.Quote(w.others))
	}

	var words []string
	if k := slices.Index(out.texts, 0); k >= 0 && p.roles[0] == isFirst && t.whyNotNames(out.words[k], out.lines) != "" {
		words = append(words, t.columns[0].Name)
	}
	for k, j := range out.numbers {
		if w.columns[k] > 0 && !out.rounded[k].hasValue {
			words = append(words, t.columns[j].Name)
		}
	}

	if lines := t.headings(out); lines != nil && !q.predicts() {
		return errs.New(errs.Request, "take "+lineList(lines)+" out", "%s: %s, %q: it seems to hold units, types or a second header, not a sample",
			t.path, Place(out.lines, w.row), parse.Shorten(w.text))
	}

	remedy := forValue(w.text)
	if at := out.numbers[w.column]; at == 0 && t.shape == byColumns && 2*w.columns[w.column] > len(out.lines) && !q.predicts() && isWord(w.text) {
		remedy = forWords([]string{c.Name}, c.Name, t.shape)
	} else if !out.rounded[w.column].hasValue && !q.predicts() && isWord(w.text) {
		remedy = forWords(words, "", t.shape)
	}
	return errs.New(errs.Request, remedy, "%s", what)
}

// headings returns the lines of words between the header and the first line of
// numbers: units, or a second header.
func (t *table) headings(out *output) (lines []int) {
	const most = 3
	if t.shape != byColumns || out.lines == nil || isLimit(out.wrong.text) {
		return nil
	}

	for row := 0; row < min(most, len(out.lines)-1); row++ {
		if out.wrong.numbers[row] > 0 || out.wrong.texts[row] < 2 {
			break
		}
		lines = append(lines, out.lines[row])
	}

	if lines != nil && out.wrong.numbers[len(lines)] == 0 {
		return nil
	}
	return lines
}

// aboveHeader returns an error if a line below the header names the columns,
// including the label, and nil otherwise.
func (t *table) aboveHeader(ctx context.Context, q query) error {
	const most = 4 // how many lines below the header are examined
	if t.shape != byColumns || t.look == nil || len(t.columns) > maxColumns {
		return nil
	}

	out := newOutput(num.Indices(len(t.columns)), nil, func(int) error { return nil })
	out.rows = most
	if t.read(ctx, out) != nil {
		return nil //nolint:nilerr // noLabel reads all lines, and reports what is wrong with them
	}

	for row, line := range out.lines {
		names, numbers, label := 0, 0, false
		for _, words := range out.words {
			_, isNumber := parse.Number(words[row])
			switch {
			case words[row] == "":
			case isNumber:
				numbers++
			default:
				names++
				label = label || q.isLabel(words[row])
			}
		}

		if !label || numbers > 0 || names < 2 {
			continue
		}

		lines := []int{t.columns[0].Line}
		lines = append(lines, out.lines[:row]...)
		if row+1 < len(out.lines) {
			filled := 0
			for _, words := range out.words {
				if words[row+1] != "" {
					filled++
				}
			}
			if filled < 2 && len(out.words) > 2 {
				lines = append(lines, out.lines[row+1])
			}
		}
		return errs.New(errs.Request, "take "+lineList(lines)+" out", "%s: line %d names the columns, but is not the first one", t.path, line)
	}
	return nil
}

// lineList names lines, as in "line 1" or "lines 1 and 3".
func lineList(lines []int) string {
	var texts []string
	for _, line := range lines {
		texts = append(texts, strconv.Itoa(line))
	}
	if last := len(texts) - 1; last > 0 {
		return "lines " + strings.Join(texts[:last], ", ") + " and " + texts[last]
	}
	return "line " + strings.Join(texts, "")
}

// isLimit reports whether a text stands for a value beyond a limit of
// measurement: <LOD, < 0.5, ND.
func isLimit(text string) bool {
	switch strings.ToLower(strings.NewReplacer(".", "", "/", "", " ", "", "-", "").Replace(text)) {
	case "nd", "bdl", "lod", "blod", "loq", "bloq", "lloq", "blq", "uloq", "alq", "aboveloq", "belowlod", "belowloq", "notdetected", "undetected",
		"undetermined", "trace":
		return true
	}
	return text != "" && strings.ContainsAny(text[:1], "<>") || strings.HasPrefix(text, "≤") || strings.HasPrefix(text, "≥")
}

// forValue returns the remedy for a value that is not a number.
func forValue(text string) string {
	const orEmpty = ", or leave it empty and use missing=mean or missing=drop"
	bare := strings.TrimSpace(strings.TrimRight(text, "%"))
	_, isShare := parse.Number(bare)
	switch odd := parse.Oddity(text); {
	case strings.Contains(odd, "invisible"):
		return "take it out"
	case odd != "", hasSeparators(text):
		return "write numbers with a decimal point, and with nothing between thousands"
	case isShare && bare != text:
		return "write such numbers without %" + orEmpty
	case isLimit(text):
		return "write a number for what lies beyond a limit of measurement, such as half the limit" + orEmpty
	}
	return "correct it" + orEmpty
}

// hasSeparators reports whether a text becomes a number if its commas or its
// points are removed: 1,234.5 and 1.234.567,8.
func hasSeparators(text string) bool {
	for _, between := range []string{",", "."} {
		plain := strings.Replace(strings.ReplaceAll(text, between, ""), ",", ".", 1)
		if _, is := parse.Number(plain); is && plain != text && !parse.IsMissing(plain) {
			return true
		}
	}
	return false
}

// forWords returns a remedy for columns, or lines, that hold words. If the only
// one is a table's first column, the remedy suggests that it may name the rows.
// first is then the name of that column, and "" otherwise.
func forWords(columns []string, first string, layout shape) string {
	const most = 8
	if len(columns) == 1 && columns[0] == first {
		return fmt.Sprintf("samples=%[1]s if it names the rows, groups=%[1]s if it says whose rows these are, such as a donor's, "+
			"covariates=%[2]s makes 0/1 features of its words, ignore=%[2]s leaves it out", phrase.Word(first), phrase.Typed(first))
	}

	list := phrase.Typed(columns[:min(len(columns), most)]...)
	if len(columns) > most {
		list += " (and others)"
	}

	if layout == byLines {
		return "correct it, or leave it empty and use missing=mean or missing=drop; covariates=" + list + " makes 0/1 features of a line of words, ignore=" +
			list + " leaves it out"
	}
	return "covariates=" + list + " makes 0/1 features of words, groups= names the column that says whose rows these are, such as " +
		"a donor's, samples= the one with the names of the rows, label= the one with the classes; ignore=" + list + " leaves them out"
}

// checkFeatures rejects features without a name, and features that a typed file
// does not store as numbers.
func (t *table) checkFeatures(ctx context.Context, p *roles) error {

	var words []int
	for _, j := range p.features {
		switch c := t.columns[j]; {
		case c.Name == "" && t.shape == byLines:
			return errs.New(errs.Request, "begin every line with the name of its feature", "%s: line %d has no name", t.path, c.Line)
		case c.Name == "" && t.shape == beside:
			return errs.New(errs.Request, "give it a name", "%s: feature %d of %d has no name", t.path, j+1, len(t.features()))
		case c.Name == "":
			return errs.New(errs.Request, "name every column", "%s: column %d has no name", t.path, j+1)
		case c.Kind == textKind:
			words = append(words, j)
		case c.Kind == otherKind:
			return t.checkReadable([]int{j})
		}
	}

	if words == nil {
		return nil
	}

	for _, j := range words { // each may be a measurement with a few words
		read, err := t.readColumns(ctx, j)
		if err != nil {
			return err
		}

		numbers, wrong := 0, ""
		for _, text := range read[0] {
			_, isNumber := parse.Number(strings.TrimSpace(text))
			switch {
			case parse.IsMissing(strings.TrimSpace(text)):
			case isNumber:
				numbers++
			case wrong == "":
				wrong = text
			}
		}
		name := parse.Shorten(t.columns[j].Name)
		switch {
		case numbers > 0 && wrong == "":
			return errs.New(errs.Request, forWords([]string{t.columns[j].Name}, "", t.shape)+"; a measurement is to be stored as numbers, not as text",
				"%s: column %q holds numbers as text", t.path, name)
		case 2*numbers > len(read[0]):
			return errs.New(errs.Request, forValue(strings.TrimSpace(wrong))+", and store the column as numbers", "%s: column %q: %s", t.path, name, noNumber(strings.TrimSpace(wrong)))
		}
	}

	var names []string
	for _, j := range words {
		names = append(names, t.columns[j].Name)
	}
	return errs.New(errs.Request, forWords(names, "", t.shape), "%s: column %q holds words, not numbers", t.path, parse.Shorten(names[0]))
}
