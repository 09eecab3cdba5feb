package read

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

const textHead = 1 << 16

// textFile is a text file. It is read as UTF-8, whatever its compression and
// encoding.
type textFile struct {
	*input
	packing    textPacking
	coding     textCoding
	isWestern  bool // not UTF-8, so it is read as Windows-1252
	skip       int  // number of lines above the table
	unreported int  // how many of these only name the separator
	// bareQuotes means that quotes between tabs are ordinary characters, except
	// around a whole field.
	bareQuotes bool
	// head holds the first bytes of the text, at most 64 kB, without a byte
	// order mark.
	head []byte

	stream   io.Reader // the text from its beginning; nil once it has been read
	sniffing bool
	first    []byte    // the first lines, while we search for separator and header
	rest     io.Reader // the text after these lines; nil once it has been read
}

type textPacking struct{ name, magic string }

type textCoding struct {
	mark   string // byte order mark
	endian unicode.Endianness
	wide   bool // UTF-16
}

// textPackings returns the compressions that we unpack.
func textPackings() []textPacking {
	return []textPacking{{"gzip", "\x1f\x8b"}, {"zstd", "\x28\xb5\x2f\xfd"}}
}

// textCodings returns the encodings that have a byte order mark.
func textCodings() []textCoding {
	return []textCoding{{mark: "\ufeff"}, {"\xff\xfe", unicode.LittleEndian, true}, {"\xfe\xff", unicode.BigEndian, true}}
}

// errNotUTF8 ends the reading of a text if its head looked like UTF-8 but the
// rest is not.
var errNotUTF8 = errors.New("it is not UTF-8")

// errBareQuote ends the reading of a text with a quote where RFC 4180 allows no
// quote.
var errBareQuote = errors.New("a quote inside a field")

// readText reads a text. It reads it again if something after its head shows
// that it is not UTF-8, or that its quotes are ordinary characters. read must
// then start over.
func readText[R any](t *textFile, read func(*textFile) (R, error)) (r R, err error) {
	r, err = read(t)
	for range 2 {
		switch {
		case errors.Is(err, errNotUTF8) && !t.isWestern:
			t.isWestern = true
		case errors.Is(err, errBareQuote) && !t.bareQuotes:
			t.bareQuotes = true
		default:
			return r, err
		}
		t.stream, t.first, t.rest = nil, nil, nil
		r, err = read(t)
	}
	return r, err
}

// WholeText returns a small text file as UTF-8, whatever its compression and
// encoding, without a byte order mark. The error comes from the system, or says
// why the file is not text.
func WholeText(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	whole, err := openText(&input{bytes.NewReader(content), path, int64(len(content))})
	if err != nil {
		return "", err
	}
	return readText(whole, func(t *textFile) (string, error) {
		if bytes.IndexByte(t.head, 0) >= 0 {
			return "", errs.New(errs.Request, "name a text file", "%s is not text", path)
		}
		r, err := t.reader()
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(r)
		if err != nil && !errors.Is(err, errNotUTF8) {
			err = t.unreadable(err)
		}
		return string(text), err
	})
}

// openText detects compression and encoding from the first bytes. These remain
// in the stream. It does not check whether they are text.
func openText(in *input) (*textFile, error) {
	t := &textFile{input: in}
	magic := make([]byte, 4)
	if _, err := in.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, t.unreadable(err)
	}
	for _, p := range textPackings() {
		if bytes.HasPrefix(magic, []byte(p.magic)) {
			t.packing = p
		}
	}

	unpacked, err := t.unpack()
	if err != nil {
		return nil, err
	}
	raw := bufio.NewReaderSize(unpacked, textHead)
	head, err := raw.Peek(textHead)
	if err != nil && !errors.Is(err, io.EOF) && (len(head) == 0 || !errors.Is(err, io.ErrUnexpectedEOF)) {
		return nil, t.unreadable(err)
	}

	for _, c := range textCodings() {
		if bytes.HasPrefix(head, []byte(c.mark)) {
			t.coding = c
		}
	}
	t.head = bytes.Clone(head[len(t.coding.mark):])
	if t.coding.wide {
		// The decoder replaces invalid code units by �, and so it returns no
		// error.
		t.head, _ = unicode.UTF16(t.coding.endian, unicode.IgnoreBOM).NewDecoder().Bytes(t.head)
	}
	t.isWestern = !t.coding.wide && !utf8.Valid(wholeRunes(t.head)) && bytes.IndexByte(t.head, 0) < 0
	t.stream, err = t.decode(raw)
	return t, err
}

// wholeRunes returns the beginning of a text without a last character that is
// cut in two.
func wholeRunes(head []byte) []byte {
	for cut := len(head) - 1; cut >= 0 && len(head)-cut < utf8.UTFMax; cut-- {
		if utf8.RuneStart(head[cut]) {
			if !utf8.FullRune(head[cut:]) {
				return head[:cut]
			}
			break
		}
	}
	return head
}

// note returns what users should know about how the text was read, or "". Excel
// in western countries saves plain CSV as Windows-1252.
func (t *textFile) note() string {
	var notes []string
	if t.isWestern {
		notes = append(notes, "not in UTF-8: read as Windows-1252, so check names with accents")
	}
	if n := t.skip - t.unreported; n > 0 {
		notes = append(notes, phrase.Count(n, "line")+" above its header not read")
	}
	return strings.Join(notes, "; ")
}

// isPacked reports whether the file is compressed.
func (t *textFile) isPacked() bool { return t.packing.name != "" }

// check rejects files that are not text.
func (t *textFile) check() error {
	switch {
	case bytes.IndexByte(t.head, 0) < 0 && (bytes.IndexByte(t.head, '\n') >= 0 || !bytes.Contains(t.head, []byte("\r"))):
		return nil
	case bytes.IndexByte(t.head, 0) < 0:
		return errs.New(errs.Request, `save it as "CSV UTF-8"`, "%s has the line ends of old Macs, which are not read", t.path)
	case t.isPacked():
		return errs.New(errs.Request, "unpack it, and name the file in it", "%s is packed with %s and holds no text", t.path, t.packing.name)
	}
	return errs.New(errs.Request, "name a table of text; a binary file needs its own extension", "%s is not text", t.path)
}

// reader returns the text from its beginning, unpacked, in UTF-8 and without
// its byte order mark. Reading fails with errNotUTF8 if the bytes are not
// UTF-8.
func (t *textFile) reader() (io.Reader, error) {
	if r := t.stream; r != nil {
		t.stream = nil
		return r, nil
	}
	r, err := t.unpack()
	if err != nil {
		return nil, err
	}
	return t.decode(r)
}

// unpack returns the bytes of the text from their beginning.
func (t *textFile) unpack() (r io.Reader, err error) {
	if _, err := t.Seek(0, io.SeekStart); err != nil {
		return nil, errs.Wrap(err, errs.Request, "copy it to a file first", "%s cannot be read twice", t.path)
	}
	switch t.packing.name {
	case "gzip":
		r, err = gzip.NewReader(t.Input)
	case "zstd":
		// It decodes in the caller's goroutine. The largest window is the one
		// that zstd itself unpacks without a flag.
		r, err = zstd.NewReader(t.Input, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(1<<27))
	default:
		return t.Input, nil
	}
	return r, t.unreadable(err)
}

// decode returns bytes as UTF-8, without their byte order mark.
func (t *textFile) decode(r io.Reader) (io.Reader, error) {
	if _, err := io.CopyN(io.Discard, r, int64(len(t.coding.mark))); err != nil {
		return nil, t.unreadable(err)
	}
	switch {
	case t.coding.wide:
		return unicode.UTF16(t.coding.endian, unicode.IgnoreBOM).NewDecoder().Reader(r), nil
	case t.isWestern:
		return charmap.Windows1252.NewDecoder().Reader(r), nil
	}
	return &utf8Only{r: r}, nil
}

// utf8Only fails with errNotUTF8 if a text is not UTF-8.
type utf8Only struct {
	r    io.Reader
	rest []byte // the beginning of a character
}

// Read passes on what it reads. A character that the end of the text cuts in
// two is not UTF-8 either.
func (u *utf8Only) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.rest = append(u.rest, p[:n]...)
	whole := wholeRunes(u.rest)
	if !utf8.Valid(whole) || errors.Is(err, io.EOF) && len(whole) < len(u.rest) {
		return 0, errNotUTF8
	}
	u.rest = append(u.rest[:0], u.rest[len(whole):]...)
	return n, err
}

// textSize estimates the bytes of text in the file. It returns 0 if they are
// unknown. A gzip file ends with the size of its last member. It may claim
// anything, so we ignore a claim of more compression than any table can reach.
func (t *textFile) textSize() int64 {
	const mostPacked = 32 // how many times smaller
	switch {
	case t.packing.name == "gzip":
		end := make([]byte, 4)
		if _, err := t.ReadAt(end, t.size-int64(len(end))); err != nil {
			return 0
		}
		if size := int64(binary.LittleEndian.Uint32(end)); size >= t.size && size <= mostPacked*t.size {
			return size
		}
		return 0
	case t.isPacked():
		return 0
	case t.coding.wide:
		return t.size / 2
	}
	return t.size
}

// unreadable explains an error of reading or unpacking. It returns nil, or an
// error that is explained already, unchanged.
func (t *textFile) unreadable(err error) error {
	if t.isPacked() { // explain returns nil for nil
		return explain(err, "copy or download it again", "%s is damaged or incomplete: unpacking it (%s) stopped", t.path, t.packing.name)
	}
	if ok, e := isExplained(err); ok {
		return e
	}
	return errs.Wrap(err, errs.Failed, "try again", "%s cannot be read", t.path)
}

// textLines are the lines of a text, split into fields. Fields may be quoted as
// in RFC 4180. Empty lines are skipped.
type textLines struct {
	Separator rune

	text   *textFile
	in     *bufio.Reader
	long   []byte   // holds a line that is longer than in
	fields []string // fields of the last record
	line   int      // number of the last record, from 1
	next   int      // number of the next line

	quotes quoteStyle
	fresh  bool // nothing has been read yet

	base    int64 // offset of the next line
	records int
	ends    [2]int64 // offsets after the first two records
}

// quoteStyle says what a quote means in a line.
type quoteStyle int

const (
	plainQuotes quoteStyle = iota // an ordinary character
	outerQuotes                   // removed around whole fields, in which quotes may or may not be doubled
	csvQuotes                     // as in RFC 4180
)

// Lines returns the lines of the text, split at a separator.
func (t *textFile) Lines(separator rune) (*textLines, error) {
	l := &textLines{Separator: separator, text: t}
	return l, l.Restart()
}

// PlainLines is [textFile.Lines] with quotes as ordinary characters.
func (t *textFile) PlainLines(separator rune) (*textLines, error) {
	l := &textLines{Separator: separator, text: t}
	return l, l.begin()
}

// Restart goes back to the first line after the skipped ones, unless nothing
// has been read since.
func (l *textLines) Restart() error {
	if l.fresh {
		return nil
	}
	if err := l.begin(); err != nil {
		return err
	}
	l.fresh, l.quotes = true, csvQuotes
	if l.Separator == '\t' && l.text.bareQuotes {
		l.quotes = outerQuotes
	}
	return nil
}

// begin opens the text after its skipped lines and treats quotes as ordinary
// characters.
func (l *textLines) begin() error {
	r, err := l.text.begin()
	if err != nil {
		return err
	}
	*l = textLines{Separator: l.Separator, text: l.text, in: bufio.NewReaderSize(r, 1<<16), next: 1}
	for range l.text.skip {
		line, err := l.rawLine()
		if err != nil {
			return l.text.unreadable(err)
		}
		l.next++
		l.base += int64(len(line))
	}
	return nil
}

// begin returns the text from its beginning. While sniffing, it returns only
// the first lines. The next time it returns these and what follows them, and
// after that it reads the file again.
func (t *textFile) begin() (io.Reader, error) {
	switch {
	case t.sniffing:
		return bytes.NewReader(t.first), nil
	case t.rest != nil:
		r := io.MultiReader(bytes.NewReader(t.first), t.rest)
		t.first, t.rest = nil, nil
		return r, nil
	}
	return t.reader()
}

// sniff buffers the first lines: as many as may precede a header, and as many
// below it as hasHeader compares. It stops early at lines that are too long for
// a title.
func (t *textFile) sniff() error {
	const leastLines, leastLong, leastBytes, mostBytes = mostAbove + linesAlike + 2, linesAlike + 2, 1 << 20, 1 << 28
	r, err := t.reader()
	if err != nil {
		return err
	}
	size := int64(2 * leastBytes)
	if !t.isPacked() {
		size = min(size, t.size+1)
	}

	t.first = make([]byte, 0, size)
	in := bufio.NewReaderSize(r, 1<<16)
	t.rest = in
	for lines, long, begin := 0, 0, 0; lines < leastLines && long < leastLong || len(t.first) < leastBytes; {
		part, err := in.ReadSlice('\n')
		t.first = append(t.first, part...)
		switch {
		case errors.Is(err, io.EOF), len(t.first) >= mostBytes:
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return t.unreadable(err)
		}

		lines++
		if len(t.first)-begin >= longTitle {
			long++
		}
		begin = len(t.first)
	}
	return nil
}

// Line returns the line number of the last record, from 1.
func (l *textLines) Line() int { return l.line }

// Read returns the fields of the next line that is not empty, or io.EOF. They
// are valid until the next call. It returns errBareQuote if quotes between tabs
// turn out to be ordinary characters.
func (l *textLines) Read() ([]string, error) {
	l.fresh = false
	for {
		line, err := l.rawLine()
		if errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil {
			return nil, l.text.unreadable(err)
		}
		l.countLine(line)
		l.line = l.next - 1
		if line = trimEnd(line); len(line) == 0 {
			continue
		}

		if !l.splitLine(line) {
			if l.fields, err = l.cutQuoted(line); err != nil {
				return nil, err
			}
		}
		if l.records < len(l.ends) {
			l.ends[l.records] = l.base
		}
		l.records++
		return l.fields, nil
	}
}

// countLine counts a line that was read.
func (l *textLines) countLine(line []byte) {
	l.next++
	l.base += int64(len(line))
}

// splitLine splits a line into fields that share its bytes: copying each line
// of a wide table would take as much memory as its numbers. It returns false if
// encoding/csv has to read the line because it has quotes inside a field, or
// around a field that continues in the next line.
func (l *textLines) splitLine(line []byte) bool {
	l.fields = l.fields[:0]
	rest, separator := unsafe.String(unsafe.SliceData(line), len(line)), string(l.Separator)
	if l.quotes != csvQuotes || !strings.Contains(rest, `"`) {
		for {
			field, after, more := strings.Cut(rest, separator)
			if l.fields = append(l.fields, field); !more {
				break
			}
			rest = after
		}
		if l.quotes == outerQuotes {
			stripQuotes(l.fields)
		}
		return true
	}

	for {
		field, after, more := "", "", false
		if quoted, is := strings.CutPrefix(rest, `"`); is {
			end := strings.IndexByte(quoted, '"')
			if end < 0 {
				return false
			}
			field = quoted[:end]
			if after = quoted[end+1:]; after != "" {
				if after, more = strings.CutPrefix(after, separator); !more {
					return false
				}
			}
		} else if field, after, more = strings.Cut(rest, separator); strings.Contains(field, `"`) {
			return false
		}
		if l.fields = append(l.fields, field); !more {
			return true
		}
		rest = after
	}
}

// cutQuoted splits a record with quotes as encoding/csv does. The record begins
// with line and may continue in the next ones.
func (l *textLines) cutQuoted(line []byte) ([]string, error) {
	r := csv.NewReader(&followingLines{l, slices.Concat(line, []byte("\n"))})
	r.Comma, r.FieldsPerRecord = l.Separator, -1
	fields, err := r.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad) && l.Separator == '\t' && !l.text.sniffing:
		return nil, errBareQuote
	case errors.As(err, &bad):
		return nil, errs.New(errs.Request, `quote a field as "…" as a whole, and write a quote in it as ""`, "%s: line %d: %v", l.text.path,
			l.line-1+bad.Line, bad.Err)
	case err != nil:
		return nil, l.text.unreadable(err)
	}
	return fields, nil
}

// followingLines reads a line and, only if more is requested, the lines after
// it.
type followingLines struct {
	*textLines
	rest []byte
}

// Read reads from the current line, or from the next one if that is used up.
func (f *followingLines) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		line, err := f.rawLine()
		if err != nil {
			return 0, err
		}
		f.countLine(line)
		f.rest = line
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// stripQuotes removes quotes around whole fields. Quotes inside of them may or
// may not be doubled.
func stripQuotes(fields []string) {
	for i, field := range fields {
		if n := len(field); n > 1 && field[0] == '"' && field[n-1] == '"' {
			fields[i] = strings.ReplaceAll(field[1:n-1], `""`, `"`)
		}
	}
}

// rawLine returns the next line including its end, or io.EOF. It is valid until
// the next call.
func (l *textLines) rawLine() ([]byte, error) {
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
		}
	}
}

// trimEnd removes the end of a line as encoding/csv does: \n, \r\n, or a \r at
// the end of the text.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// Estimate returns roughly how many numbers follow the header, given the number
// of features in a line. It returns 0 if that is unknown. Two records must have
// been read.
func (l *textLines) Estimate(features int) int {
	left, line := l.text.textSize()-l.ends[0], l.ends[1]-l.ends[0]
	if left <= 0 || line <= 0 {
		return 0
	}
	lines := left/line + 1
	lines += lines / 16 // some lines further down may be shorter
	// A number and its separator take at least two bytes, whatever the first
	// line suggests.
	return int(min(lines*int64(features), left/2+1))
}

const (
	mostAbove  = 32   // lines that may be skipped above a header
	longTitle  = 4096 // bytes of a line that is too long for a title
	linesAlike = 8    // lines below a header that must have as many fields as it has
)

// Table returns the lines from the header on, split at the separator that fits.
// A text without lines has no header, but that is not an error. With the
// extension .csv the comma is preferred, otherwise the tab.
//
// It skips what may precede the header: a line sep=; for Excel, lines that
// begin with # (unless the last of them names the columns, as #OTU ID does),
// and titles, because they leave most columns empty.
func (t *textFile) Table(csv bool) (*textLines, error) {
	if err := t.sniff(); err != nil {
		return nil, err
	}
	t.sniffing = true
	defer func() { t.sniffing = false }()
	first, err := t.firstLines()
	if err != nil {
		return nil, err
	}
	order := []rune{',', ';', '\t', '|', ' '}
	if !csv {
		order = []rune{'\t', ',', ';', '|', ' '}
	}

	t.skip, t.unreported = 0, 0
	if len(first) > 0 {
		if match := regexp.MustCompile(`(?i)^"?sep=([^"\s]|\t)"?[,;\t ]*$`).FindStringSubmatch(first[0]); match != nil {
			order, t.skip, t.unreported = []rune(match[1])[:1], 1, 1
		}
	}

	last := -1 // line with a #
	for at := t.skip; at < len(first) && (first[at] == "" || first[at][0] == '#'); at++ {
		if first[at] != "" {
			last = at
		}
	}

	if last >= 0 {
		t.skip = last
		fields := 1
		for _, separator := range order {
			if n, same := t.countFields(separator, last); same && separator != ' ' {
				fields = max(fields, n)
			}
		}
		if fields < 2 || t.areExplanations(order, first, last) || fields == 2 && (strings.HasPrefix(first[last], "# ") || strings.HasPrefix(first[last], "##")) {
			t.skip = last + 1
		}
	}

	separator, ok := t.hasHeader(order)
	for above := t.skip; !ok && above+1 < len(first) && len(first[above]) < longTitle; {
		above++
		before := t.skip
		t.skip = above
		if found, is := t.hasHeader(order); is && t.areTitles(found, before, above) {
			separator = found
			break
		}
		t.skip = before
	}
	t.sniffing = false
	return t.Lines(separator)
}

// areExplanations reports whether the lines with a # up to line last explain
// the columns of the header below them, as in files of cBioPortal. There are
// several with as many fields as the line below, or one of them is a line of
// numbers, and the line below holds only words.
func (t *textFile) areExplanations(order []rune, first []string, last int) bool {
	for _, separator := range order {
		list, err := t.records(separator, last, 2)
		if err != nil || len(list) < 2 || len(list[0]) < 2 || len(list[1]) != len(list[0]) {
			continue
		}
		numbers := [2]int{}
		for i, fields := range list {
			for _, field := range fields {
				if _, is := parse.Number(strings.TrimLeft(field, "#")); is && !parse.IsMissing(field) {
					numbers[i]++
				}
			}
		}

		above := 0
		if last > 0 && strings.HasPrefix(first[last-1], "#") {
			above, _ = t.countFields(separator, last-1)
		}

		if numbers[1] == 0 && (numbers[0] == len(list[0]) || above == len(list[0])) {
			return true
		}
	}
	return false
}

// firstLines returns the first lines, at most mostAbove, without their ends.
// Empty lines are included. It resets skip.
func (t *textFile) firstLines() (lines []string, err error) {
	t.skip = 0
	l, err := t.PlainLines('\t')
	for err == nil && len(lines) < mostAbove {
		var line []byte
		if line, err = l.rawLine(); err == nil {
			lines = append(lines, string(trimEnd(line)))
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		return lines, nil
	}
	return lines, t.unreadable(err)
}

// records returns the fields of up to most lines, starting after the first skip
// lines. It stops at a line that cannot be split.
func (t *textFile) records(separator rune, skip, most int) (list [][]string, err error) {
	defer func(before int) { t.skip = before }(t.skip)
	t.skip = skip
	lines, err := t.Lines(separator)
	for err == nil && len(list) < most {
		var fields []string
		if fields, err = lines.Read(); err == nil {
			list = append(list, cloneFields(fields))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}

// cloneFields copies the fields of a line including their bytes.
func cloneFields(fields []string) []string {
	list := make([]string, len(fields))
	for i, field := range fields {
		list[i] = strings.Clone(field)
	}
	return list
}

// hasHeader returns the separator of the text. It also reports whether the
// first line is a header, that is, names most columns of the lines below it.
func (t *textFile) hasHeader(order []rune) (separator rune, is bool) {
	separator = t.findSeparator(order)
	list, err := t.records(separator, t.skip, 1+linesAlike)
	if err != nil || len(list) < 2 || len(list[0]) < 2 || 2*filledFields(list[0]) < len(list[0]) {
		return separator, false
	}
	for _, below := range list[1:] {
		if len(below) != len(list[1]) || len(below) != len(list[0]) && len(below) != len(list[0])+1 {
			return separator, false
		}
	}
	return separator, true
}

// areTitles reports whether the lines from ≤ i < to leave most columns of the
// header below them empty.
func (t *textFile) areTitles(separator rune, from, to int) bool {
	header, err := t.records(separator, to, 1)
	if err != nil || len(header) == 0 || len(header[0]) < 3 {
		return false
	}
	for at := from; at < to; at++ {
		if title, err := t.records(separator, at, 1); err == nil && len(title) > 0 && filledFields(title[0]) >= max(2, len(header[0])/2) {
			return false
		}
	}
	return true
}

// filledFields counts the fields that are not blank.
func filledFields(fields []string) (n int) {
	for _, field := range fields {
		if strings.TrimSpace(field) != "" {
			n++
		}
	}
	return n
}

// findSeparator splits the header and the line after it at each separator in
// turn, respecting quotes. It returns the separator that splits both into the
// same number of fields (or the second line into one more, as R writes it). If
// there are several, or if no separator does, it chooses the one with most
// fields in the header, and the first in order among these. It never chooses
// the bar that way, since names contain it as well. A space, from write.table
// of R, separates fields only if no other separator does and both lines agree.
func (t *textFile) findSeparator(order []rune) rune {
	found, most := order[0], 1
	agrees := false

	for _, separator := range order {
		fields, same := t.countFields(separator, t.skip)
		if fields < 2 || separator == ' ' && (most > 1 || !same) {
			continue
		}
		if same && !agrees || same == agrees && fields > most {
			found, most, agrees = separator, fields, same
		}
	}
	if !agrees && !t.bareQuotes && slices.Contains(order, '\t') {
		t.bareQuotes = true
		if fields, same := t.countFields('\t', t.skip); fields > 1 && same {
			return '\t'
		}
		t.bareQuotes = false
	}
	return found
}

// countFields returns the number of fields of the line after the first skip
// lines. It also reports whether the line below it, if there is one, has as
// many fields or one more.
func (t *textFile) countFields(separator rune, skip int) (fields int, same bool) {
	list, err := t.records(separator, skip, 2)
	if len(list) == 0 {
		return 0, false
	}
	fields = len(list[0])
	if err != nil || len(list) == 1 {
		return fields, err == nil && separator != ' '
	}
	return fields, len(list[1]) == fields || len(list[1]) == fields+1
}

// decimals tracks how a table writes its numbers if the comma does not separate
// fields. A table has either decimal commas or decimal points. A table with
// both is rejected, because "1,234" in a table with "0.5" is more than a
// thousand. If decimals is nil, only points are accepted.
type decimals struct {
	comma, point string // value and line of the first of each; may be ""
	isSure       bool   // some comma cannot separate thousands
}

// Number parses a number on a line of the table, with a point or, unless d is
// nil, a comma. A truth value is not a number.
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
	d.isSure = d.isSure || !parse.CanBeThousands(text)
	return parse.Number(dotted)
}

// Style reports whether the numbers had commas or points. Both are false if all
// numbers are whole. It rejects a table with both, and one in which all commas
// may separate thousands.
func (d *decimals) Style(path string) (commas, points bool, err error) {
	switch {
	case d == nil:
		return false, true, nil
	case d.comma != "" && d.point != "":
		return true, true, errs.New(errs.Request, "write every number with a decimal point and without separators between thousands",
			"%s: %s has a comma, %s a point", path, d.comma, d.point)
	case d.comma != "" && !d.isSure:
		return true, false, errs.New(errs.Request, "write numbers with a decimal point and without separators between thousands",
			"%s: the comma of %s may be a decimal comma or separate thousands, and so may that of every other number", path, d.comma)
	}
	return d.comma != "", d.point != "", nil
}
