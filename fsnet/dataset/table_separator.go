package dataset

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"fsnetlab/fsnet/fault"
)

// findSeparator reads the header and the line after it with each separator in turn, quotes and all, and takes the one that cuts both into
// the same number of fields (or the second into one more, as R writes it). Where several do, or none does, it is the one that makes most
// fields of the header; a tie goes to the comma in a .csv and to the tab elsewhere.
func (t *table) findSeparator(begin int64) (rune, error) {
	order := []rune{',', ';', '\t'}
	if !strings.HasSuffix(strings.ToLower(t.path), ".csv") {
		order = []rune{'\t', ',', ';'}
	}
	found, most := order[0], 1
	agrees := false
	for _, separator := range order {
		lines, err := t.linesFrom(begin, separator)
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
		if same && !agrees || same == agrees && fields > most {
			found, most, agrees = separator, fields, same
		}
	}
	return found, nil
}

// linesFrom reads the lines from a place in the file on.
func (t *table) linesFrom(begin int64, separator rune) (*csv.Reader, error) {
	if err := t.seek(begin); err != nil {
		return nil, err
	}
	lines := csv.NewReader(t.file)
	lines.Comma = separator
	lines.FieldsPerRecord = -1 // checked in next, with a message of our own
	lines.ReuseRecord = true
	return lines, nil
}

func (t *table) seek(to int64) error {
	if _, err := t.file.Seek(to, io.SeekStart); err != nil {
		return fault.Wrap(err, fault.Request, "copy it to a file first", "%s cannot be read twice", t.path)
	}
	return nil
}
