package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// A Format is a kind of file. A new kind is a new file in this package and a line in formats.
type Format struct {
	Name       string // for people
	extensions []string
	begins     func(head []byte) bool // whether a file with this beginning is one, whatever its name; nil where the extension tells
	variables  bool                   // it holds variables by name, or may
	text       bool                   // it is text, which may be packed; begins is asked about what it unpacks to
	open       func(ctx context.Context, path string, file Input, q query) (*table, error)
	openText   func(ctx context.Context, path string, text *textFile, q query) (*table, error) // of what is text, instead of open
	sheets     bool                                                                            // it has sheets
	cells      bool                                                                            // its rows are described beside the matrix
	columns    func(ctx context.Context, path string, file Input) (Titles, error)              // nil where there are none
}

// Options are what a caller asks of a file beside the settings.
type Options struct {
	// Panel are the features that a trained model needs; nil for a training, which takes all. With a panel a file needs no label, nor what
	// else the settings of the training name, and whatever is not asked for may be words.
	Panel []string
	Alone bool  // nothing that lies beside the file belongs to it
	Dense int64 // bytes that a matrix may take with its zeros; what is stored sparse stays so beyond them; 0 is 64 MB
}

// Extensions lists the file name extensions that Open reads.
func Extensions() []string {
	var list []string
	for _, f := range formats() {
		list = append(list, f.extensions...)
	}
	return list
}

// MatrixMarket is the format of a directory with a matrix.mtx, which path must be.
func MatrixMarket(path string) (Format, bool) { return mtxFormat(), isMatrixMarket(path) }

// Read reads a file of this format; path names it, and is where to look for what lies beside it. Where the reading has a source, that reads
// from the file for as long as it is used.
func (f Format) Read(ctx context.Context, path string, file Input, s config.Settings, o Options) (*Frame, error) {
	q := query{Settings: s, Options: o}
	if q.Dense == 0 {
		q.Dense = 64 << 20
	}
	if q.predicts() { // the training's file may have been of another kind
		if !f.cells {
			q.Layer = ""
		}
		if !f.variables {
			q.X = ""
		}
		if !f.sheets {
			q.Sheet = ""
		}
	}
	switch {
	case !f.cells && q.Layer != "":
		return nil, errs.New(errs.Request, "leave it out", "%s: layer is for matrices of cells (.h5ad), not for a %s file", path, f.Name)
	case !f.sheets && q.Sheet != "":
		return nil, errs.New(errs.Request, "leave it out", "%s: sheet is for workbooks (.xlsx), not for a %s file", path, f.Name)
	case q.X != "" && !f.variables:
		return nil, noVariables(path)
	}
	var r *Frame
	err := guard(path, func() (err error) {
		if q.Annotations != "" {
			if q.annotations, err = readAnnotations(ctx, q.Annotations); err != nil {
				return err
			}
		}
		r, err = opened(ctx, f, path, file, q, func(t *table) (*Frame, error) {
			known := func(name string) bool { return t.find(name) >= 0 }
			q.Covariates, q.Ignore = phrase.Rejoin(q.Covariates, known), phrase.Rejoin(q.Ignore, known)
			if q.annotations != nil {
				t = t.join(q.annotations, q.Samples)
			}
			r, err := t.frame(ctx, q)
			if err != nil && t.another != nil {
				err = t.another(err)
			}
			return r, err
		})
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil, errs.Wrap(ctx.Err(), errs.Interrupted, "", "%s: reading was stopped", path)
	}
	if err == nil {
		r.join()
	}
	return r, err
}

// opened opens a file and reads it with a function, which begins anew where a text turns out to be in another encoding.
func opened[R any](ctx context.Context, f Format, path string, file Input, q query, read func(*table) (R, error)) (R, error) {
	use := func(t *table, err error) (R, error) {
		if err != nil {
			var none R
			return none, err
		}
		if t.close != nil {
			defer t.close()
		}
		return read(t)
	}
	if f.openText == nil {
		return use(f.open(ctx, path, file, q))
	}
	return readText(path, file, func(text *textFile) (R, error) { return use(f.openText(ctx, path, text, q)) })
}

// guard makes one line of what a reader stumbles over in a damaged file, which can claim anything.
func guard(path string, read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if known, ok := p.(*errs.Error); ok {
				err = known
			} else {
				err = errs.New(errs.Request, "copy or download it again", "%s is damaged: reading it stopped with %s", path, oneLine(fmt.Sprint(p)))
			}
		}
	}()
	return read()
}

// OpenFile opens path, which must be a file with something in it. asked is what a person wrote for it; it could have meant one of those
// builtin, which are no files.
func OpenFile(path, asked string, builtin ...string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, notFound(path, asked, builtin)
	case err != nil:
		return nil, errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
	case info.IsDir() && isZarr(path):
		return nil, errs.New(errs.Request, "write it as .h5ad, in Python: anndata.io.read_zarr(directory).write_h5ad(file)", "%s is a Zarr store, which cannot be read", path)
	case info.IsDir():
		return nil, errs.New(errs.Request, "name a file in it ("+strings.Join(Extensions(), " ")+")", "%s is a directory without a matrix.mtx", path)
	case !info.Mode().IsRegular():
		return nil, errs.New(errs.Request, "name a file ("+strings.Join(Extensions(), " ")+")", "%s is not a regular file", path)
	case info.Size() == 0:
		return nil, errs.New(errs.Request, "check how it was made or copied", "%s is empty", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return file, nil
}

func sizeOf(path string, file io.Seeker) (int64, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, errs.Wrap(err, errs.Request, "copy it to a file first", "%s cannot be read twice", path)
	}
	return size, nil
}

// isZarr says whether a directory is a Zarr store, of version 2 or 3.
func isZarr(dir string) bool {
	return slices.ContainsFunc([]string{".zgroup", ".zarray", ".zattrs", "zarr.json"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// notFound answers a name that is neither built in nor a file with what it could have meant.
func notFound(path, asked string, names []string) error {
	rest := ""
	if len(names) > 0 {
		rest = ", and only these are built in: " + strings.Join(names, ", ")
	}
	if near := phrase.Nearest(strings.ToUpper(asked), names); near != "" {
		return errs.New(errs.NotFound, "did you mean "+near+"?", "no data set %q is built in, and there is no file %s", asked, path)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return errs.New(errs.NotFound, "check the path", "there is no file %s, nor its directory%s", path, rest)
	}
	var files []string
	for _, e := range entries {
		files = append(files, e.Name())
	}
	remedy := "check the path"
	if near := phrase.Nearest(filepath.Base(path), files); near != "" {
		remedy = "did you mean " + filepath.Join(filepath.Dir(asked), near) + "?"
	}
	return errs.New(errs.NotFound, remedy, "there is no file %s%s", path, rest)
}

func noVariables(path string) error {
	return errs.New(errs.Request, "leave it out", "%s: x names a variable of a .mat or .npz file, which this is not", path)
}

// Input is a file, or what a reader gave in memory.
type Input interface {
	io.ReadSeeker
	io.ReaderAt
}

// formats lists the kinds of files. What a file is is told by its first bytes (Format.begins), and where these do not tell by its
// extension.
func formats() []Format {
	return []Format{matFormat(), tableFormat(), numpyFormat(), arrayFormat(), excelFormat(),
		columnsFormat("Parquet", []string{".parquet", ".pq"}, beginsParquet, openParquet),
		columnsFormat("Arrow", []string{".feather", ".arrow", ".arrows", ".ipc"}, beginsArrow, openArrow), // files and streams, such as Feather 2
		expressionFormat("GEO series matrix", nil, beginsSeries, openSeries),
		expressionFormat("GCT", []string{".gct"}, beginsGCT, openGCT), // its classes may lie beside it
		hdf5Format()}
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
		return Format{}, errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
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
			return Format{}, errs.New(errs.Request, s.remedy, "%s is %s, which cannot be read", path, s.what)
		}
	}
	if text.Packed() {
		extension = filepath.Ext(UnpackedName(path))
	}
	for _, f := range formats() {
		if slices.Contains(f.extensions, strings.ToLower(extension)) {
			if text.Packed() && !f.text {
				return f, errs.New(errs.Request, "unpack it, and name the file in it", "%s is a packed %s file", path, f.Name)
			}
			return f, nil
		}
	}
	switch err := text.CheckText(); {
	case err == nil:
		return tableFormat(), nil
	case text.Packed():
		return Format{}, err
	}
	return Format{}, errs.New(errs.Request, "files that can be read end in "+strings.Join(Extensions(), " "), "%s: the extension %q is not known", path, extension)
}
