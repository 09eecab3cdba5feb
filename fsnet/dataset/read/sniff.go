package read

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
)

// Input is a file, or what a reader gave in memory.
type Input interface {
	io.ReadSeeker
	io.ReaderAt
}

// formats lists the kinds of files. What a file is is told by its first bytes (Format.begins), and where these do not tell by its
// extension.
func formats() []Format {
	return []Format{matFormat(), tableFormat(), numpyFormat(), arrayFormat(), excelFormat(), parquetFormat(), arrowFormat(),
		seriesFormat(), gctFormat(), hdf5Format()}
}

// A stranger is a kind of file that is known and not read.
type stranger struct{ begins, what, remedy string }

func strangers() []stranger {
	return []stranger{
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Excel file", "save it in Excel as .xlsx without a password, or as .csv"},
		{"RDX", "an R workspace", "write the table in R with write.csv(table, file)"},
		{"X\n\x00\x00", "an R object", "write the table in R with write.csv(table, file)"},
		{"\x80\x04\x95", "a Python pickle", "write the table in Python with to_csv or to_parquet"},
		{"\x80\x05\x95", "a Python pickle", "write the table in Python with to_csv or to_parquet"},
		{"$FL2", "an SPSS file", "save it in SPSS as .csv"},
		{"<stata_dta>", "a Stata file", "write it in Stata with export delimited"},
		{"FEA1", "a Feather file of version 1", "write it again, as version 2 or Parquet: pandas.read_feather(file).to_parquet(other)"},
		{"BZh", "packed with bzip2", "unpack it with bunzip2"},
		{"\xfd7zXZ\x00", "packed with xz", "unpack it with unxz"},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it and name the file in it"},
		{"Rar!\x1a\x07", "a RAR archive", "unpack it and name the file in it"},
		{"%PDF-", "a PDF", "ask for the table itself, such as a .csv file"},
		{"^DATABASE", geoSOFT, seriesInstead}, {"^SERIES", geoSOFT, seriesInstead}, {"^SAMPLE", geoSOFT, seriesInstead}, {"^PLATFORM", geoSOFT, seriesInstead},
		{"^DATASET", geoSOFT, seriesInstead}, {"^Annotation", geoSOFT, seriesInstead},
		{"##fileformat=VCF", "a VCF file of variants", "write the genotypes as a table, such as with plink2 --export A, and add a column of classes"},
		{"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file", "save it as .xlsx or .csv"}, // the first member of a zip
		{"PK\x03\x04", "a zip archive", "unpack it and name the file in it"},
	}
}

const (
	geoSOFT       = "a SOFT file of GEO"
	seriesInstead = "take the series matrix of the same series, GSE…_series_matrix.txt.gz"
)

// zipHead is how many bytes stand before the name of the first member of a zip archive.
const zipHead = 30

// headSize is how many bytes of a file formats are told by.
const headSize = 1 << 12

// FormatOf finds the format of what path names and file holds: by content, and where that does not tell by extension.
func FormatOf(path, extension string, file Input) (Format, error) {
	head := make([]byte, headSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Format{}, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	text, err := openText(path, file)
	if err != nil {
		return Format{}, err
	}
	head = head[:n]
	for _, f := range formats() {
		if f.begins != nil && (f.text && f.begins(text.Head) || !f.text && f.begins(head)) {
			return f, nil
		}
	}
	for _, s := range strangers() {
		if begins := []byte(s.begins); bytes.HasPrefix(text.Head, begins) || len(text.Head) > zipHead && bytes.HasPrefix(text.Head[zipHead:], begins) {
			return Format{}, fault.New(fault.Request, s.remedy, "%s is %s, which cannot be read", path, s.what)
		}
	}
	if text.Packed() {
		extension = filepath.Ext(UnpackedName(path))
	}
	for _, f := range formats() {
		if slices.Contains(f.extensions, strings.ToLower(extension)) {
			return f.unpacked(path, text)
		}
	}
	switch err := text.CheckText(); {
	case err == nil:
		return tableFormat(), nil
	case text.Packed():
		return Format{}, err
	}
	return Format{}, fault.New(fault.Request, "files that can be read end in "+strings.Join(Extensions(), " "), "%s: the extension %q is not known", path, extension)
}

// unpacked refuses a packed file of a format that is not text.
func (f Format) unpacked(path string, text *textFile) (Format, error) {
	if text.Packed() && !f.text {
		return f, fault.New(fault.Request, "unpack it, and name the file in it", "%s is a packed %s file", path, f.Name)
	}
	return f, nil
}
