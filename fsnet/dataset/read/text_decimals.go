package read

import (
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// decimals watches how a table writes its numbers, where the comma does not separate fields. A table has either decimal commas or decimal
// points: one that has both is refused, since "1,234" beside "0.5" is a thousand and more. A nil one takes decimal points alone.
type decimals struct {
	comma, point string // where the first of each stands; "" where there is none
	sure         bool   // a comma was seen that cannot stand before thousands
}

// Number reads a number on a line of the table.
func (d *decimals) Number(text string, line int) (float64, bool) {
	x, ok := parse.Number(text)
	switch {
	case d == nil:
		return x, ok
	case ok:
		if d.point == "" && strings.IndexByte(text, '.') >= 0 {
			d.point = strconv.Quote(parse.Shorten(text)) + " on line " + strconv.Itoa(line)
		}
		return x, true
	}
	dotted, ok := parse.WithPoint(text)
	if !ok {
		return x, false
	}
	if d.comma == "" {
		d.comma = strconv.Quote(parse.Shorten(text)) + " on line " + strconv.Itoa(line)
	}
	d.sure = d.sure || !parse.MayBeThousands(text)
	return parse.Number(dotted)
}

// Settle says what the numbers had, commas or points, neither where all are whole. It refuses a table that has both, or whose commas may
// separate thousands. A table in which the comma separates fields has points.
func (d *decimals) Settle(path string) (commas, points bool, err error) {
	switch {
	case d == nil:
		return false, true, nil
	case d.comma != "" && d.point != "":
		return true, true, fault.New(fault.Request, "write every number with a decimal point and without separators between thousands",
			"%s: %s has a comma, %s a point", path, d.comma, d.point)
	case d.comma != "" && !d.sure:
		return true, false, fault.New(fault.Request, "write numbers with a decimal point and without separators between thousands",
			"%s: the comma of %s may be a decimal comma or separate thousands, and so may that of every other number", path, d.comma)
	}
	return d.comma != "", d.point != "", nil
}
