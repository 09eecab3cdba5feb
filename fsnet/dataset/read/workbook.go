package read

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
)

const (
	maxPart    = 4 << 30 // bytes that a part of the file may unpack to
	maxToken   = 1 << 20 // bytes of a tag, or of a text between two
	maxShared  = 1 << 28 // bytes of the texts that cells share
	maxColumns = 1 << 14 // Excel's
	maxRows    = 1 << 20 // Excel's
	maxCell    = 1 << 16 // bytes of a cell; Excel's are 32,767 characters
)

// workbook is the first sheet of a workbook.
type workbook struct {
	Sheet  string   // its name
	Others []string // the names of the other sheets
	Above  int      // rows above the header, which are not read

	path      string
	files     *zip.Reader
	part      string // of the sheet
	shared    []string
	maxShared int    // bytes of them
	dates     []bool // of each cell style, whether it shows a date
	base      int64  // days before day 0 of a date

	rows *sheetRows
}

// beginsWorkbook says whether a file with this beginning is a workbook.
func beginsWorkbook(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(head) < 30 {
		return false
	}
	return slices.ContainsFunc([]string{"[Content_Types].xml", "_rels/", "xl/", "docProps/"},
		func(first string) bool { return bytes.HasPrefix(head[30:], []byte(first)) })
}

// openWorkbook finds the first sheet and reads what all sheets share, at most so many bytes of texts; name is for errors.
func openWorkbook(name string, file io.ReaderAt, size int64, shared int) (*workbook, error) {
	files, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "copy or download it again", "%s is damaged or not an Excel workbook", name)
	}
	b := &workbook{path: name, files: files, maxShared: shared}
	for _, read := range []func() error{b.readSheets, b.readShared, b.readStyles} {
		if err := read(); err != nil {
			return nil, b.damaged(err)
		}
	}
	return b, b.Restart()
}

func (b *workbook) damaged(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	return fault.Wrap(err, fault.Request, "open it in Excel and save it again, or save it as .csv", "%s is damaged", b.path)
}

// decode gives the elements of a part to a function until that is done; a part that is missing has none.
func (b *workbook) decode(part string, element func(*xmlDecoder, xml.StartElement) error) error {
	file, err := b.open(part)
	if file == nil || err != nil {
		return err
	}
	defer file.Close()
	decoder := file.decoder()
	for {
		token, err := decoder.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := element(decoder, start); err != nil {
				return err
			}
		}
	}
}

// open opens a part of the file; it is nil where there is none.
func (b *workbook) open(name string) (*bookPart, error) {
	for _, f := range b.files.File {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		file, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return &bookPart{ReadCloser: file, book: b.path, name: name, left: maxPart}, nil
	}
	return nil, nil
}

// bookPart is a part of the file, unpacked as far as its bounds go.
type bookPart struct {
	io.ReadCloser
	book, name  string
	left, token int64 // bytes that may follow, and that were read since the last token
}

func (p *bookPart) Read(to []byte) (int, error) {
	n, err := p.ReadCloser.Read(to)
	p.left -= int64(n)
	if p.token += int64(n); p.left < 0 || p.token > maxToken {
		return 0, fault.New(fault.Request, "save the sheet as .csv",
			"%s: its part %s unpacks to more than %d GB, or has a text of more than %d kB", p.book, p.name, maxPart>>30, maxToken>>10)
	}
	return n, err
}

// xmlDecoder reads the tags and texts of a part. It does not ask whether tags match, and so remembers none of them.
type xmlDecoder struct {
	xml  *xml.Decoder
	part *bookPart
}

func (p *bookPart) decoder() *xmlDecoder { return &xmlDecoder{xml.NewDecoder(p), p} }

func (d *xmlDecoder) next() (xml.Token, error) {
	d.part.token = 0
	return d.xml.RawToken()
}

// inside is next where the part may not end.
func (d *xmlDecoder) inside() (xml.Token, error) {
	token, err := d.next()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return token, err
}

// skip goes to the end of an element that has begun.
func (d *xmlDecoder) skip() error {
	for depth := 1; depth > 0; {
		token, err := d.inside()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

func xmlAttribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readSheets finds the parts of the sheets.
func (b *workbook) readSheets() error {
	parts := map[string]string{} // by relation
	err := b.decode("xl/_rels/workbook.xml.rels", func(_ *xmlDecoder, e xml.StartElement) error {
		if e.Name.Local == "Relationship" && strings.HasSuffix(xmlAttribute(e, "Type"), "/worksheet") {
			target := xmlAttribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			parts[xmlAttribute(e, "Id")] = strings.TrimPrefix(target, "/")
		}
		return nil
	})
	if err != nil {
		return err
	}
	const from1900, from1904 = 25569, 24107 // days before 1970
	b.base = from1900
	err = b.decode("xl/workbook.xml", func(_ *xmlDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if on := xmlAttribute(e, "date1904"); on == "1" || on == "true" {
				b.base = from1904
			}
		case "sheet":
			part, ok := parts[xmlAttribute(e, "id")]
			switch {
			case !ok: // a sheet that is a chart
			case b.part == "":
				b.Sheet, b.part = xmlAttribute(e, "name"), part
			default:
				b.Others = append(b.Others, xmlAttribute(e, "name"))
			}
		}
		return nil
	})
	if err == nil && b.part == "" {
		return fault.New(fault.Request, "name a .xlsx file with a table on its first sheet", "%s holds no sheet", b.path)
	}
	return err
}

// readShared reads the texts that cells share.
func (b *workbook) readShared() error {
	size := 0
	return b.decode("xl/sharedStrings.xml", func(d *xmlDecoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := sheetPhrase(d)
		if err != nil {
			return err
		}
		if size += len(text) + 16; size > b.maxShared {
			return fault.New(fault.Request, "save the sheet as .csv", "%s: its texts take more than %d MB", b.path, b.maxShared>>20)
		}
		b.shared = append(b.shared, text)
		return nil
	})
}

// sheetPhrase is the text of an element that has begun: of its t elements, without those that say how it is pronounced.
func sheetPhrase(d *xmlDecoder) (string, error) {
	var text strings.Builder
	inText, aloud := false, 0
	for depth := 1; depth > 0; {
		token, err := d.inside()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			inText = e.Name.Local == "t"
			if e.Name.Local == "rPh" {
				aloud = depth
			}
		case xml.EndElement:
			if depth == aloud {
				aloud = 0
			}
			depth--
			inText = false
		case xml.CharData:
			if inText && aloud == 0 {
				if text.Len()+len(e) > maxCell {
					return "", errors.New("a text is longer than Excel allows")
				}
				text.Write(e)
			}
		}
	}
	return text.String(), nil
}
