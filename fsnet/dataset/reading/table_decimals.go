package reading

import (
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
)

// decimals watches how a table writes its numbers, where the comma does not separate fields. A table has either decimal commas or decimal
// points: one that has both is refused, since "1,234" beside "0.5" is a thousand and more.
type decimals struct {
	path         string
	comma, point string // where the first of each stands; "" where there is none
	sure         bool   // a comma was seen that cannot stand before thousands
}

// number reads a number of the table.
func (t *table) number(text string) (float32, bool) {
	x, ok := word.Number(text)
	if t.decimals == nil {
		return x, ok
	}
	return t.decimals.number(text, x, ok, t.line)
}

// number takes what was read of a text without commas in mind, and reads it again where it has one.
func (d *decimals) number(text string, x float32, ok bool, line int) (float32, bool) {
	if ok {
		if d.point == "" && strings.IndexByte(text, '.') >= 0 {
			d.point = strconv.Quote(word.Shorten(text)) + " on line " + strconv.Itoa(line)
		}
		return x, true
	}
	dotted, ok := withPoint(text)
	if !ok {
		return x, false
	}
	if d.comma == "" {
		d.comma = strconv.Quote(word.Shorten(text)) + " on line " + strconv.Itoa(line)
	}
	d.sure = d.sure || !thousands(text)
	return word.Number(dotted)
}

// withPoint is a number with a decimal comma written with a point; ok says that it is one.
func withPoint(text string) (dotted string, ok bool) {
	if strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return "", false
	}
	dotted = strings.Replace(text, ",", ".", 1)
	_, ok = word.Number(dotted)
	return dotted, ok
}

// thousands says whether the comma of a number may stand before thousands: 1,234 or -12,000, and not 0,123.
func thousands(text string) bool {
	whole, rest, _ := strings.Cut(strings.TrimLeft(text, "+-"), ",")
	digits := func(r rune) bool { return r < '0' || r > '9' }
	return len(rest) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' && !strings.ContainsFunc(whole+rest, digits)
}

// settleDecimals refuses a table that mixes commas and points, and writes labels, covariates and names of rows that are numbers with
// points, as features are.
func (t *table) settleDecimals(r *Reading, covariates []covariate) error {
	d := t.decimals
	if d == nil {
		return nil
	}
	switch {
	case d.comma != "" && d.point != "":
		return fault.New(fault.Request, "write every number with a decimal point, and none with a separator of thousands", "%s: %s has a comma, %s a point", d.path, d.comma, d.point)
	case d.comma != "" && !d.sure:
		return fault.New(fault.Request, "write numbers with a decimal point, and none with a separator of thousands", "%s: the comma of %s may be a decimal one or stand before thousands, as in all its numbers with a comma", d.path, d.comma)
	case d.comma != "":
		r.Notes = append(r.Notes, "with decimal commas")
	case d.point != "":
		return nil
	}
	withPoints(r.Labels)
	withPoints(r.Samples)
	for _, c := range covariates {
		withPoints(c.values)
	}
	return nil
}

// withPoints writes a list of numbers with decimal points, if all that are there are numbers.
func withPoints(list []string) {
	out := slices.Clone(list)
	for i, text := range list {
		if word.IsMissing(text) {
			continue
		}
		if _, ok := word.Number(text); ok {
			continue
		}
		dotted, ok := withPoint(text)
		if !ok {
			return
		}
		out[i] = dotted
	}
	copy(list, out)
}
