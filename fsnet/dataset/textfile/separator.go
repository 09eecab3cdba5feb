package textfile

import (
	"errors"
	"io"
)

// Table reads the text with the separator that fits. The extension .csv prefers the comma, any other the tab.
func (t *Text) Table(csv bool) (*Lines, error) {
	separator, err := t.findSeparator(csv)
	if err != nil {
		return nil, err
	}
	return t.Lines(separator)
}

// findSeparator reads the header and the line after it with each separator in turn, quotes and all, and takes the one that cuts both into
// the same number of fields (or the second into one more, as R writes it). Where several do, or none does, it is the one that makes most
// fields of the header; a tie goes to the comma in a .csv and to the tab elsewhere, and never to the bar, which names hold as well. A
// space, as R's write.table writes it, separates only where no other does and both lines agree.
func (t *Text) findSeparator(csv bool) (rune, error) {
	order := []rune{',', ';', '\t'}
	if !csv {
		order = []rune{'\t', ',', ';'}
	}
	found, most := order[0], 1
	agrees := false
	for _, separator := range append(order, '|', ' ') {
		lines, err := t.Lines(separator)
		if err != nil {
			return 0, err
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
	return found, nil
}
