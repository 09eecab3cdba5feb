package read

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"fsnetlab/fsnet/fault"
)

// textLines are the lines of a text, cut into fields. A field may be quoted as in RFC 4180; empty lines are passed over.
type textLines struct {
	Separator rune

	text *textFile
	in   *bufio.Reader
	long []byte // a line longer than the buffer of in
	line int    // of the last record, counted from 1
	next int    // of the line that comes; of quoted lines the first one

	quoted *csv.Reader // nil where a quote is a character like others
	base   int64       // where quoted began

	records int
	ends    [2]int64 // offsets after the first two records
}

// Lines reads the text from its beginning with one separator.
func (t *textFile) Lines(separator rune) (*textLines, error) {
	l := &textLines{Separator: separator, text: t}
	return l, l.Restart()
}

// PlainLines is Lines where a quote is a character like others.
func (t *textFile) PlainLines(separator rune) (*textLines, error) {
	l := &textLines{Separator: separator, text: t}
	return l, l.begin()
}

// Restart begins with the first line again.
func (l *textLines) Restart() error {
	if err := l.begin(); err != nil {
		return err
	}
	l.quoted = csv.NewReader(l.limited())
	l.quoted.Comma, l.quoted.FieldsPerRecord, l.quoted.ReuseRecord = l.Separator, -1, true
	return nil
}

// begin passes over the lines above the table.
func (l *textLines) begin() error {
	r, err := l.text.reader()
	if err != nil {
		return err
	}
	*l = textLines{Separator: l.Separator, text: l.text, in: bufio.NewReaderSize(r, 1<<16), next: 1}
	for range l.text.above {
		line, err := l.raw()
		if err != nil {
			return l.text.unreadable(err)
		}
		l.next++
		l.base += int64(len(line))
	}
	return nil
}

// Line is the line on which the last record began, counted from 1.
func (l *textLines) Line() int { return l.line }

// Read returns the fields of the next line; the slice is good until the next call. At the end it is io.EOF.
func (l *textLines) Read() ([]string, error) {
	fields, err := l.record()
	if err != nil {
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil, err
		case errors.As(err, &bad):
			return nil, fault.New(fault.Request, `quote a field as "…" as a whole, and write a quote in it as ""`, "%s: line %d: %v", l.text.path,
				l.next-1+bad.Line, bad.Err)
		}
		return nil, l.text.unreadable(err)
	}
	if l.records < len(l.ends) && l.quoted != nil {
		l.ends[l.records] = l.base + l.quoted.InputOffset()
	}
	l.records++
	return fields, nil
}

func (l *textLines) record() ([]string, error) {
	if l.quoted != nil {
		fields, err := l.quoted.Read()
		if err == nil {
			line, _ := l.quoted.FieldPos(0)
			l.line = l.next - 1 + line
		}
		return fields, err
	}
	for {
		line, err := l.raw()
		if err != nil {
			return nil, err
		}
		l.line = l.next
		l.next++
		if line = trimEnd(line); len(line) > 0 {
			return strings.Split(string(line), string(l.Separator)), nil
		}
	}
}

// raw is the next line with its end.
func (l *textLines) raw() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if err == nil && len(l.long) == 0 {
			return part, nil
		}
		l.long = append(l.long, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(l.long) > 0:
			return l.long, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case l.text.Packed() && len(l.long) > l.text.maxLine:
			return nil, l.tooLong()
		}
	}
}

func (l *textLines) tooLong() error {
	return fault.New(fault.Request, "check how it was made; if that is right, unpack it first", "%s: line %d has more than %d million bytes",
		l.text.path, max(l.line+1, l.next), l.text.maxLine/1_000_000)
}

// limited is what follows, as encoding/csv may read it: of a packed text not more than a line may have in one record.
func (l *textLines) limited() io.Reader {
	if !l.text.Packed() {
		return l.in
	}
	return &limitedRecord{lines: l}
}

type limitedRecord struct {
	lines   *textLines
	read    int64
	records int
	at      int64 // read when records grew last
}

func (r *limitedRecord) Read(p []byte) (int, error) {
	if r.records != r.lines.records {
		r.records, r.at = r.lines.records, r.read
	}
	if r.read-r.at > int64(r.lines.text.maxLine) {
		return 0, r.lines.tooLong()
	}
	n, err := r.lines.in.Read(p)
	r.read += int64(n)
	return n, err
}

// trimEnd takes the end of a line off as encoding/csv does: \n, \r\n, and a \r at the end of the text.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// Estimate is about how many numbers follow the header, where each line has so many: 0 where the file does not tell. It is asked after two
// records have been read.
func (l *textLines) Estimate(features int) int {
	left, line := l.text.textSize()-l.ends[0], l.ends[1]-l.ends[0]
	if left <= 0 || line <= 0 {
		return 0
	}
	lines := left/line + 1
	lines += lines / 16 // later lines may be shorter
	// A number takes at least two bytes with its separator, whatever the first line looks like.
	return int(min(lines*int64(features), left/2+1))
}
