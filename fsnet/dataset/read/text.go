package read

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

const (
	// maxUnpacked is how many times its size a packed file may unpack to. It is the most that gzip can gain.
	maxUnpacked = 1032
	// maxTextLine is how many bytes a line of a packed file may have.
	maxTextLine = 1 << 28

	textHead = 1 << 16
)

// A textFile is a text file as UTF-8, however it is packed and encoded.
type textFile struct {
	path    string
	file    io.ReadSeeker
	size    int64 // of the file
	maxLine int   // bytes; 0 where the file itself is the bound
	packing textPacking
	coding  textCoding
	western bool   // it is no UTF-8
	above   int    // lines above the table, which are not read
	silent  int    // of these, one that only names the separator, of which nothing is told
	known   bool   // what can be known of the encoding before all is read
	Head    []byte // the first bytes of the text, at most 64 kB, without a byte order mark
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

// readText opens a text and reads it. Where what shows that it is no UTF-8 lies behind its head it is read again, in the encoding that it would
// have been read in had the head shown it: so read must begin anew.
func readText[R any](path string, file io.ReadSeeker, read func(*textFile) (R, error)) (R, error) {
	t, err := openText(path, file)
	if err != nil {
		var none R
		return none, err
	}
	r, err := read(t)
	if errors.Is(err, errNotUTF8) {
		t.western = true
		return read(t)
	}
	return r, err
}

// openText finds out how a file is packed and encoded. It reads the first bytes, and does not ask whether they are text.
func openText(path string, file io.ReadSeeker) (*textFile, error) {
	t := &textFile{path: path, file: file}
	var err error
	if t.size, err = file.Seek(0, io.SeekEnd); err != nil {
		return nil, fault.Wrap(err, fault.Request, "copy it to a file first", "%s cannot be read twice", path)
	}
	head, err := t.peek(8)
	if err != nil {
		return nil, err
	}
	for _, p := range textPackings() {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			t.packing, t.maxLine = p, maxTextLine
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
		notes = append(notes, count.Of(n, "line")+" above its header not read")
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
		return fault.New(fault.Request, `save it as "CSV UTF-8"`, "%s has the line ends of old Macs, which are not read", t.path)
	case t.Packed():
		return fault.New(fault.Request, "unpack it, and name the file in it", "%s is packed with %s and holds no text", t.path, t.packing.name)
	}
	return fault.New(fault.Request, "name a table of text; a binary file needs its own extension", "%s is not text", t.path)
}

// reader reads the text from its beginning.
func (t *textFile) reader() (io.Reader, error) {
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return nil, fault.Wrap(err, fault.Request, "copy it to a file first", "%s cannot be read twice", t.path)
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
	if t.Packed() {
		r = &boundedReader{r: r, left: max(1<<20, maxUnpacked*t.size), path: t.path, times: maxUnpacked}
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
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case t.Packed():
		return fault.Wrap(err, fault.Request, "copy or download it again", "%s is damaged or incomplete: unpacking it (%s) stopped", t.path,
			t.packing.name)
	}
	return fault.Wrap(err, fault.Failed, "try again", "%s cannot be read", t.path)
}

// boundedReader ends what unpacks without end.
type boundedReader struct {
	r     io.Reader
	left  int64
	path  string
	times int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fault.New(fault.Request, "if that is right, unpack it first and name what it unpacks to",
			"%s unpacks to more than %d times its size", b.path, b.times)
	}
	return n, err
}
