package read

import (
	"errors"
	"io"
	"regexp"
	"strings"
)

const (
	mostAbove  = 32   // lines above a header that are passed over
	longTitle  = 4096 // bytes of a line that is no title any more
	linesAlike = 8    // lines below a header that must have as many fields
)

// Table reads the text from its header on, with the separator that fits. The extension .csv prefers the comma, any other the tab.
//
// What may stand above the header is passed over: a line sep=; for Excel, lines that begin with #, but for the last where it names the
// columns (#OTU ID), and titles, which leave most of the columns empty.
func (t *textFile) Table(csv bool) (*textLines, error) {
	first, err := t.firstLines()
	if err != nil {
		return nil, err
	}
	order := []rune{',', ';', '\t', '|', ' '}
	if !csv {
		order = []rune{'\t', ',', ';', '|', ' '}
	}
	t.above, t.silent = 0, 0
	if len(first) > 0 {
		if said := regexp.MustCompile(`(?i)^"?sep=([^"\s]|\t)"?[,;\t ]*$`).FindStringSubmatch(first[0]); said != nil {
			order, t.above, t.silent = []rune(said[1])[:1], 1, 1
		}
	}
	last := -1 // line with a #
	for at := t.above; at < len(first) && (first[at] == "" || first[at][0] == '#'); at++ {
		if first[at] != "" {
			last = at
		}
	}
	if last >= 0 {
		t.above = last
		if fields, same := t.fits(order, last); !same || fields < 2 || fields == 2 && (strings.HasPrefix(first[last], "# ") || strings.HasPrefix(first[last], "##")) {
			t.above = last + 1
		}
	}
	separator, ok := t.headed(order)
	for above := t.above; !ok && above+1 < len(first) && len(first[above]) < longTitle; {
		above++
		before := t.above
		t.above = above
		if found, is := t.headed(order); is && t.titles(found, before, above) {
			separator = found
			break
		}
		t.above = before
	}
	return t.Lines(separator)
}

// firstLines are some lines of the text, without their ends.
func (t *textFile) firstLines() (lines []string, err error) {
	t.above = 0
	l, err := t.PlainLines('\t')
	for err == nil && len(lines) < mostAbove {
		var line []byte
		if line, err = l.raw(); err == nil {
			lines = append(lines, string(trimEnd(line)))
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		return lines, nil
	}
	return lines, t.unreadable(err)
}

// records are the first lines from one on as fields, at most so many; none where they are not cut well.
func (t *textFile) records(separator rune, above, most int) (list [][]string) {
	defer func(before int) { t.above = before }(t.above)
	t.above = above
	lines, err := t.Lines(separator)
	for err == nil && len(list) < most {
		var fields []string
		if fields, err = lines.Read(); err == nil {
			list = append(list, append([]string(nil), fields...))
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return list
}

// fits says whether some separator cuts a line and the one below it into as many fields, and into how many.
func (t *textFile) fits(order []rune, line int) (fields int, same bool) {
	for _, separator := range order {
		two := t.records(separator, line, 2)
		if len(two) == 2 && separator != ' ' && len(two[0]) > fields && (len(two[1]) == len(two[0]) || len(two[1]) == len(two[0])+1) {
			fields, same = len(two[0]), true
		}
	}
	return fields, same
}

// headed is the separator of the text, and whether its first line is a header: it names most columns of the lines below it.
func (t *textFile) headed(order []rune) (separator rune, is bool) {
	separator = t.findSeparator(order)
	list := t.records(separator, t.above, 1+linesAlike)
	if len(list) < 2 || len(list[0]) < 2 || 2*filledFields(list[0]) < len(list[0]) {
		return separator, false
	}
	for _, below := range list[1:] {
		if len(below) != len(list[1]) || len(below) != len(list[0]) && len(below) != len(list[0])+1 {
			return separator, false
		}
	}
	return separator, true
}

// titles says whether lines leave most of the columns empty that the header below them names.
func (t *textFile) titles(separator rune, from, to int) bool {
	header := t.records(separator, to, 1)
	if len(header) == 0 || len(header[0]) < 3 {
		return false
	}
	for at := from; at < to; at++ {
		if one := t.records(separator, at, 1); len(one) > 0 && filledFields(one[0]) >= max(2, len(header[0])/2) {
			return false
		}
	}
	return true
}

// filledFields is how many fields have something in them.
func filledFields(fields []string) (n int) {
	for _, field := range fields {
		if strings.TrimSpace(field) != "" {
			n++
		}
	}
	return n
}

// findSeparator reads the header and the line after it with each separator in turn, quotes and all, and takes the one that cuts both into
// the same number of fields (or the second into one more, as R writes it). Where several do, or none does, it is the one that makes most
// fields of the header; a tie goes to the one that comes first, and never to the bar, which names hold as well. A space, as R's write.table
// writes it, separates only where no other does and both lines agree.
func (t *textFile) findSeparator(order []rune) rune {
	found, most := order[0], 1
	agrees := false
	for _, separator := range order {
		lines, err := t.Lines(separator)
		if err != nil {
			continue
		}
		header, err := lines.Read()
		fields := len(header)
		if err != nil || fields < 2 {
			continue
		}
		first, err := lines.Read()
		same := errors.Is(err, io.EOF) || err == nil && (len(first) == fields || len(first) == fields+1)
		if separator == ' ' && (most > 1 || !same || err != nil) {
			continue
		}
		if same && !agrees || same == agrees && fields > most {
			found, most, agrees = separator, fields, same
		}
	}
	return found
}
