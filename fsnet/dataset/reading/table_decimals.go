package reading

import (
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
	dotted, ok := word.WithPoint(text)
	if !ok {
		return x, false
	}
	if d.comma == "" {
		d.comma = strconv.Quote(word.Shorten(text)) + " on line " + strconv.Itoa(line)
	}
	d.sure = d.sure || !word.MayBeThousands(text)
	return word.Number(dotted)
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
		return fault.New(fault.Request, "write every number with a decimal point and without separators between thousands", "%s: %s has a comma, %s a point", d.path, d.comma, d.point)
	case d.comma != "" && !d.sure:
		return fault.New(fault.Request, "write numbers with a decimal point and without separators between thousands", "%s: the comma of %s may be a decimal comma or separate thousands, and so may that of every other number", d.path, d.comma)
	case d.comma != "":
		r.Notes = append(r.Notes, "with decimal commas")
	case d.point != "":
		return nil
	}
	word.WithPoints(r.Labels)
	word.WithPoints(r.Samples)
	for _, c := range covariates {
		word.WithPoints(c.values)
	}
	return nil
}
