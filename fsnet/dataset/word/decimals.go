package word

import (
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/fault"
)

// Decimals watches how a table writes its numbers, where the comma does not separate fields. A table has either decimal commas or decimal
// points: one that has both is refused, since "1,234" beside "0.5" is a thousand and more. A nil one takes decimal points alone.
type Decimals struct {
	comma, point string // where the first of each stands; "" where there is none
	sure         bool   // a comma was seen that cannot stand before thousands
}

// Number reads a number on a line of the table.
func (d *Decimals) Number(text string, line int) (float32, bool) {
	x, ok := Number(text)
	switch {
	case d == nil:
		return x, ok
	case ok:
		if d.point == "" && strings.IndexByte(text, '.') >= 0 {
			d.point = strconv.Quote(Shorten(text)) + " on line " + strconv.Itoa(line)
		}
		return x, true
	}
	dotted, ok := WithPoint(text)
	if !ok {
		return x, false
	}
	if d.comma == "" {
		d.comma = strconv.Quote(Shorten(text)) + " on line " + strconv.Itoa(line)
	}
	d.sure = d.sure || !MayBeThousands(text)
	return Number(dotted)
}

// Settle says what the numbers had, commas or points, neither where all are whole. It refuses a table that has both, or whose commas may
// separate thousands. A table in which the comma separates fields has points.
func (d *Decimals) Settle(path string) (commas, points bool, err error) {
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

// WithPoint is a number with a decimal comma written with a point; ok says that it is one.
func WithPoint(text string) (dotted string, ok bool) {
	if strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return "", false
	}
	dotted = strings.Replace(text, ",", ".", 1)
	_, ok = Number(dotted)
	return dotted, ok
}

// MayBeThousands says whether the comma of a number may stand before thousands: 1,234 or -12,000, and not 0,123.
func MayBeThousands(text string) bool {
	whole, rest, _ := strings.Cut(strings.TrimLeft(text, "+-"), ",")
	digits := func(r rune) bool { return r < '0' || r > '9' }
	return len(rest) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' && !strings.ContainsFunc(whole+rest, digits)
}

// WithPoints writes a list of numbers with decimal points, if all that are there are numbers.
func WithPoints(list []string) {
	out := slices.Clone(list)
	for i, text := range list {
		if IsMissing(text) {
			continue
		}
		if _, ok := Number(text); ok {
			continue
		}
		dotted, ok := WithPoint(text)
		if !ok {
			return
		}
		out[i] = dotted
	}
	copy(list, out)
}
