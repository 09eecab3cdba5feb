package read

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

const (
	textHead = 1 << 16
)

// A textFile is a text file as UTF-8, however it is packed and encoded.
type textFile struct {
	path    string
	file    io.ReadSeeker
	size    int64 // of the file
	packing textPacking
	coding  textCoding
	western bool   // it is no UTF-8
	above   int    // lines above the table, which are not read
	silent  int    // of these, one that only names the separator, of which nothing is told
	known   bool   // what can be known of the encoding before all is read
	bare    bool   // separated by tabs, a quote is a character like others, unless it stands around a whole field
	Head    []byte // the first bytes of the text, at most 64 kB, without a byte order mark

	sniffing bool
	first    []byte    // the first lines, while it is found out how they are cut
	rest     io.Reader // what follows these, until it is read
}

type textPacking struct{ name, magic string }

type textCoding struct {
	mark   string // the bytes that it begins with
	endian unicode.Endianness
	wide   bool // UTF-16
}

func textPackings() []textPacking {
	return []textPacking{{"gzip", "\x1f\x8b"}, {"zstd", "\x28\xb5\x2f\xfd"}}
}

func textCodings() []textCoding {
	return []textCoding{{mark: "\ufeff"}, {"\xff\xfe", unicode.LittleEndian, true}, {"\xfe\xff", unicode.BigEndian, true}}
}

// errNotUTF8 ends the reading of a text whose head gave no sign that it is in another encoding.
var errNotUTF8 = errors.New("it is not UTF-8")

// errBareQuote ends the reading of a text in which a quote stands where none may.
var errBareQuote = errors.New("a quote inside a field")

// readText opens a text and reads it. Where what shows that it is no UTF-8, or that its quotes quote nothing, lies behind its head it is read
// again, as it would have been read had the head shown it: so read must begin anew.
func readText[R any](path string, file io.ReadSeeker, read func(*textFile) (R, error)) (R, error) {
	t, err := openText(path, file)
	if err != nil {
		var none R
		return none, err
	}
	r, err := read(t)
	for range 2 {
		switch {
		case errors.Is(err, errNotUTF8) && !t.western:
			t.western = true
		case errors.Is(err, errBareQuote) && !t.bare:
			t.bare = true
		default:
			return r, err
		}
		t.first, t.rest = nil, nil
		r, err = read(t)
	}
	return r, err
}

// WholeText returns a small file as UTF-8, however it is packed and encoded, without a byte order mark. The error is that of the system, or
// says why the file is not text.
func WholeText(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return readText(path, bytes.NewReader(content), func(t *textFile) (string, error) {
		if bytes.IndexByte(t.Head, 0) >= 0 {
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

// openText finds out how a file is packed and encoded. It reads the first bytes, and does not ask whether they are text.
func openText(path string, file io.ReadSeeker) (*textFile, error) {
	t := &textFile{path: path, file: file}
	var err error
	if t.size, err = sizeOf(path, file); err != nil {
		return nil, err
	}
	head, err := t.peek(8)
	if err != nil {
		return nil, err
	}
	for _, p := range textPackings() {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			t.packing = p
		}
	}
	if head, err = t.peek(4); err != nil {
		return nil, err
	}
	for _, c := range textCodings() {
		if bytes.HasPrefix(head, []byte(c.mark)) {
			t.coding = c
		}
	}
	if t.Head, err = t.peek(textHead); err != nil {
		return nil, err
	}
	t.western, t.known = !t.coding.wide && !utf8.Valid(wholeRunes(t.Head)) && bytes.IndexByte(t.Head, 0) < 0, true
	return t, nil
}

// wholeRunes is a beginning of a text without a character that it cuts in two.
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

// Note is what a person should know of the way the text is read, or "". What is not UTF-8 is what Excel saves as plain CSV in western
// countries.
func (t *textFile) Note() string {
	var notes []string
	if t.western {
		notes = append(notes, "not in UTF-8: read as Windows-1252, so check names with accents")
	}
	if n := t.above - t.silent; n > 0 {
		notes = append(notes, phrase.Count(n, "line")+" above its header not read")
	}
	return strings.Join(notes, "; ")
}

// peek is the beginning of the text as far as it is known how to read it.
func (t *textFile) peek(size int) ([]byte, error) {
	r, err := t.reader()
	if err != nil {
		return nil, err
	}
	head := make([]byte, size)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, t.unreadable(err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && n == 0 && t.Packed() {
		return nil, t.unreadable(err)
	}
	return head[:n], nil
}

// Packed says whether the file has to be unpacked.
func (t *textFile) Packed() bool { return t.packing.name != "" }

// CheckText refuses what is not text.
func (t *textFile) CheckText() error {
	switch {
	case bytes.IndexByte(t.Head, 0) < 0 && (bytes.IndexByte(t.Head, '\n') >= 0 || !bytes.Contains(t.Head, []byte("\r"))):
		return nil
	case bytes.IndexByte(t.Head, 0) < 0:
		return errs.New(errs.Request, `save it as "CSV UTF-8"`, "%s has the line ends of old Macs, which are not read", t.path)
	case t.Packed():
		return errs.New(errs.Request, "unpack it, and name the file in it", "%s is packed with %s and holds no text", t.path, t.packing.name)
	}
	return errs.New(errs.Request, "name a table of text; a binary file needs its own extension", "%s is not text", t.path)
}

func (t *textFile) reader() (io.Reader, error) {
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return nil, errs.Wrap(err, errs.Request, "copy it to a file first", "%s cannot be read twice", t.path)
	}
	var r io.Reader = t.file
	var err error
	switch t.packing.name {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		// One goroutine, the caller's; a window as large as zstd itself unpacks unasked.
		r, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(1<<27))
	}
	if err != nil {
		return nil, t.unreadable(err)
	}
	if t.coding.mark != "" {
		if _, err := io.CopyN(io.Discard, r, int64(len(t.coding.mark))); err != nil {
			return nil, t.unreadable(err)
		}
	}
	if t.coding.wide {
		r = unicode.UTF16(t.coding.endian, unicode.IgnoreBOM).NewDecoder().Reader(r)
	}
	switch {
	case t.western:
		r = charmap.Windows1252.NewDecoder().Reader(r)
	case t.known && !t.coding.wide:
		r = &utf8Only{r: r}
	}
	return r, nil
}

// utf8Only ends with errNotUTF8 where a text is none.
type utf8Only struct {
	r    io.Reader
	rest []byte // the beginning of a character
}

func (u *utf8Only) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.rest = append(u.rest, p[:n]...)
	ended := wholeRunes(u.rest)
	if !utf8.Valid(ended) || errors.Is(err, io.EOF) && len(ended) < len(u.rest) {
		return 0, errNotUTF8
	}
	u.rest = append(u.rest[:0], u.rest[len(ended):]...)
	return n, err
}

// textSize is about how many bytes of text the file holds; 0 where it does not tell.
func (t *textFile) textSize() int64 {
	switch {
	case t.Packed():
		return 0
	case t.coding.wide:
		return t.size / 2
	}
	return t.size
}

func (t *textFile) unreadable(err error) error {
	var known *errs.Error
	switch {
	case errors.As(err, &known):
		return err
	case t.Packed():
		return errs.Wrap(err, errs.Request, "copy or download it again", "%s is damaged or incomplete: unpacking it (%s) stopped", t.path,
			t.packing.name)
	}
	return errs.Wrap(err, errs.Failed, "try again", "%s cannot be read", t.path)
}

// textLines are the lines of a text, cut into fields. A field may be quoted as in RFC 4180; empty lines are passed over.
type textLines struct {
	Separator rune

	text *textFile
	in   *bufio.Reader
	long []byte // a line longer than the buffer of in
	line int    // of the last record, counted from 1
	next int    // of the line that comes; of quoted lines the first one

	quoted *csv.Reader // nil where a quote is a character like others
	strip  bool        // but for those around a whole field
	base   int64       // where quoted began, or the next line does

	fresh   bool // nothing has been read
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
	if l.fresh {
		return nil
	}
	if err := l.begin(); err != nil {
		return err
	}
	l.fresh = true
	if l.Separator == '\t' && l.text.bare {
		l.strip = true
		return nil
	}
	l.quoted = csv.NewReader(l.in)
	l.quoted.Comma, l.quoted.FieldsPerRecord, l.quoted.ReuseRecord = l.Separator, -1, true
	return nil
}

func (l *textLines) begin() error {
	r, err := l.text.begin()
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

// begin is the text from its beginning: its first lines while it is found out how they are cut, then these with what follows, and later the file
// once more.
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

// sniff reads the first lines: as many as may stand above a header and as are looked at below it, of which lines that are no titles are the
// last.
func (t *textFile) sniff() error {
	const leastLines, leastLong, leastBytes, mostBytes = mostAbove + linesAlike + 2, linesAlike + 2, 1 << 20, 1 << 28
	r, err := t.reader()
	if err != nil {
		return err
	}
	size := int64(2 * leastBytes)
	if !t.Packed() {
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

// Line is the line on which the last record began, counted from 1.
func (l *textLines) Line() int { return l.line }

// Read returns the fields of the next line; the slice is good until the next call. At the end it is io.EOF.
func (l *textLines) Read() ([]string, error) {
	l.fresh = false
	fields, err := l.record()
	if err != nil {
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil, err
		case errors.As(err, &bad) && l.Separator == '\t' && !l.text.sniffing:
			return nil, errBareQuote
		case errors.As(err, &bad):
			return nil, errs.New(errs.Request, `quote a field as "…" as a whole, and write a quote in it as ""`, "%s: line %d: %v", l.text.path,
				l.next-1+bad.Line, bad.Err)
		}
		return nil, l.text.unreadable(err)
	}
	if l.records < len(l.ends) {
		if l.ends[l.records] = l.base; l.quoted != nil {
			l.ends[l.records] += l.quoted.InputOffset()
		}
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
		l.base += int64(len(line))
		if line = trimEnd(line); len(line) == 0 {
			continue
		}
		fields := strings.Split(string(line), string(l.Separator))
		if l.strip {
			stripQuotes(fields)
		}
		return fields, nil
	}
}

// stripQuotes takes the quotes off that stand around whole fields, in which another one is doubled or stands as it is.
func stripQuotes(fields []string) {
	for i, field := range fields {
		if n := len(field); n > 1 && field[0] == '"' && field[n-1] == '"' {
			fields[i] = strings.ReplaceAll(field[1:n-1], `""`, `"`)
		}
	}
}

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
		}
	}
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
	t.sniffing = false
	return t.Lines(separator)
}

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
		fields, same := t.cuts(separator)
		if fields < 2 || separator == ' ' && (most > 1 || !same) {
			continue
		}
		if same && !agrees || same == agrees && fields > most {
			found, most, agrees = separator, fields, same
		}
	}
	if !agrees && !t.bare && slices.Contains(order, '\t') { // perhaps its quotes quote nothing
		t.bare = true
		if fields, same := t.cuts('\t'); fields > 1 && same {
			return '\t'
		}
		t.bare = false
	}
	return found
}

// cuts is how many fields a separator makes of the header, and whether it makes as many of the line after it, if any, or one more.
func (t *textFile) cuts(separator rune) (fields int, same bool) {
	lines, err := t.Lines(separator)
	if err != nil {
		return 0, false
	}
	header, err := lines.Read()
	if err != nil {
		return 0, false
	}
	fields = len(header)
	first, err := lines.Read()
	return fields, errors.Is(err, io.EOF) && separator != ' ' || err == nil && (len(first) == fields || len(first) == fields+1)
}

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
	d.sure = d.sure || !parse.CanBeThousands(text)
	return parse.Number(dotted)
}

// Settle says what the numbers had, commas or points, neither where all are whole. It refuses a table that has both, or whose commas may
// separate thousands. A table in which the comma separates fields has points.
func (d *decimals) Settle(path string) (commas, points bool, err error) {
	switch {
	case d == nil:
		return false, true, nil
	case d.comma != "" && d.point != "":
		return true, true, errs.New(errs.Request, "write every number with a decimal point and without separators between thousands",
			"%s: %s has a comma, %s a point", path, d.comma, d.point)
	case d.comma != "" && !d.sure:
		return true, false, errs.New(errs.Request, "write numbers with a decimal point and without separators between thousands",
			"%s: the comma of %s may be a decimal comma or separate thousands, and so may that of every other number", path, d.comma)
	}
	return d.comma != "", d.point != "", nil
}
