package read

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Format is a kind of file. To add one, add a file to this package and an entry
// to formats.
type Format struct {
	Name       string // shown to users
	extensions []string
	// begins recognises the first bytes of a file, or of its text. It is nil if
	// the extension decides.
	begins    func(head []byte) bool
	variables bool // may hold variables by name: the key x applies
	sheets    bool // has sheets: the key sheet applies
	cells     bool // has layers: the key layer applies
	open      func(ctx context.Context, in *input, q query) (*table, error)
	// openText replaces open for text. The text may be compressed.
	openText func(ctx context.Context, text *textFile, q query) (*table, error)
	// nil if the format has no titles
	titles func(ctx context.Context, f *File) (Titles, error)
}

// Input is a file, or the content of a reader in memory.
type Input interface {
	io.ReadSeeker
	io.ReaderAt
}

// input is an Input with its path and its size in bytes.
type input struct {
	Input
	path string
	size int64
}

// newInput returns a file with its path and its size. It returns an error if
// the file cannot be read twice.
func newInput(path string, file Input) (*input, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "copy it to a file first", "%s cannot be read twice", path)
	}
	return &input{file, path, size}, nil
}

// File is an open file with a known format. It is read from the bytes that the
// format was recognised by, so a text is opened and unpacked only once.
type File struct {
	Format
	in   *input
	text *textFile // nil unless the format is text
}

// Options are requests that are not settings.
type Options struct {
	// Panel lists the features that a trained model needs. It is nil for a
	// training, because a training reads all. With a panel the file needs no
	// label and no other columns of the training, and columns outside of the
	// panel may hold words.
	Panel []string
	Alone bool // ignore other files in the directory
	// Dense is the size in bytes up to that of a sparse matrix that is read
	// with its zeros. 0 means 64 MB.
	Dense int64
}

// Extensions lists the file name extensions that [dataset.Open] reads.
func Extensions() []string {
	var list []string
	for _, f := range formats() {
		list = append(list, f.extensions...)
	}
	return list
}

// MatrixMarket returns the .mtx file, or the directory with one, at path. It
// reports whether there is one.
func MatrixMarket(path string) (*File, bool) {
	return &File{Format: mtxFormat(), in: &input{path: path}}, isMatrixMarket(path)
}

// Read reads the file. The path of the file locates other files in its
// directory. If the frame has a Source, the caller must keep the file open as
// long as it uses the frame.
func (f *File) Read(ctx context.Context, s config.Settings, o Options) (*Frame, error) {
	q, path := query{Settings: s, Options: o}, f.in.path
	if q.Dense == 0 {
		q.Dense = 64 << 20
	}
	for _, key := range []struct {
		value *string
		has   bool
		is    string
	}{
		{&q.Layer, f.cells, "layer is for matrices of cells (.h5ad), not for a " + f.Name + " file"},
		{&q.Sheet, f.sheets, "sheet is for workbooks (.xlsx), not for a " + f.Name + " file"},
		{&q.X, f.variables, noVariables},
	} {
		switch {
		case key.has || *key.value == "":
		case q.predicts(): // the model may have been trained on another kind of file
			*key.value = ""
		default:
			return nil, errs.New(errs.Request, "leave it out", "%s: %s", path, key.is)
		}
	}

	var r *Frame
	err := guard(path, func() (err error) {
		if q.Annotations != "" {
			if q.annotations, err = readAnnotations(ctx, q.Annotations); err != nil {
				return err
			}
		}
		r, err = withTable(ctx, f, q, func(t *table) (*Frame, error) {
			hasColumn := func(name string) bool { return t.find(name) >= 0 }
			q.Covariates, q.Ignore = phrase.Rejoin(q.Covariates, hasColumn), phrase.Rejoin(q.Ignore, hasColumn)
			if q.annotations != nil {
				t.joinRows(q.annotations, q.Samples)
			}
			r, err := t.frame(ctx, q)
			switch {
			case err != nil && !q.predicts():
				err = t.otherLayout(ctx, q, err)
			case err == nil && len(q.Panel) > 0 && !slices.ContainsFunc(r.Features, q.wants):
				err = t.longError(ctx, q)
			}
			if err != nil && t.explain != nil {
				err = t.explain(err)
			}
			return r, err
		})
		return err
	})

	if err != nil && ctx.Err() != nil {
		return nil, errs.Wrap(ctx.Err(), errs.Interrupted, "", "%s: reading was stopped", path)
	}

	if err == nil {
		r.joinSpellings()
	}
	return r, err
}

// withTable opens the table of a file and passes it to read. It does so again
// if a text turns out to have another encoding.
func withTable[R any](ctx context.Context, f *File, q query, read func(*table) (R, error)) (r R, err error) {
	use := func(t *table, err error) (r R, _ error) {
		if err != nil {
			return r, err
		}
		if t.close != nil {
			defer t.close()
		}
		return read(t)
	}

	if f.openText == nil {
		return use(f.open(ctx, f.in, q))
	}
	return readText(f.text, func(text *textFile) (R, error) { return use(f.openText(ctx, text, q)) })
}

// guard turns a panic of a reader into an error of one line. A damaged file may
// cause panics.
func guard(path string, read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(*errs.Error); ok {
				err = e
			} else {
				err = errs.New(errs.Request, "copy or download it again", "%s is damaged: reading it stopped with %s", path, parse.Clean(fmt.Sprint(p)))
			}
		}
	}()
	return read()
}

// isExplained reports whether an error can be shown as it is: it is nil, an
// *errs.Error, or a cancellation. It returns an *errs.Error without what
// decoders wrapped around it.
func isExplained(err error) (bool, error) {
	var e *errs.Error
	if errors.As(err, &e) {
		return true, e
	}
	return err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded), err
}

// explain adds words and a remedy to an error without them, on one line. It
// returns nil for nil.
func explain(err error, remedy, format string, args ...any) error {
	if ok, e := isExplained(err); ok {
		return e
	}
	e := errs.Wrap(err, errs.Request, remedy, format, args...)
	e.What = parse.Clean(e.What)
	return e
}

// OpenFile opens the file at path. path must not be empty. The caller must
// close it. asked is what the user typed. It may be meant as one of builtin,
// the data sets that need no file.
func OpenFile(path, asked string, builtin ...string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, notFound(path, asked, builtin)
	case err != nil:
		return nil, errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
	case info.IsDir() && isZarr(path):
		return nil, errs.New(errs.Request, "write it as .h5ad, in Python: anndata.io.read_zarr(directory).write_h5ad(file)", "%s is a Zarr store, which cannot be read", path)
	case info.IsDir() && hasParquet(path):
		return nil, errs.New(errs.Request, "write its parts as one file, in Python: pandas.read_parquet(directory).to_parquet(file)", "%s is a directory with parts of a Parquet table, which are not read one by one", path)
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

// isZarr reports whether a directory is a Zarr store, of version 2 or 3.
func isZarr(dir string) bool {
	return slices.ContainsFunc([]string{".zgroup", ".zarray", ".zattrs", "zarr.json"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// hasParquet reports whether a directory, or a directory below it, holds
// Parquet files as Spark, Dask and Arrow write them.
func hasParquet(dir string) bool {
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		for _, extension := range []string{".parquet", ".pq"} {
			if found, err := filepath.Glob(filepath.Join(globEscaper().Replace(dir), pattern+extension)); err == nil && len(found) > 0 {
				return true
			}
		}
	}
	return false
}

// globEscaper turns a path into a pattern that matches only this path.
func globEscaper() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
}

// notFound returns the error for a name that is neither built in nor a file. It
// suggests names that may have been meant.
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

const noVariables = "x names a variable of a .mat or .npz file, which this is not"

// formats lists the kinds of files. A file is recognised by its first bytes
// (Format.begins) or, if they don't tell, by its extension.
func formats() []Format {
	return []Format{matFormat(), tableFormat(), numpyFormat(), arrayFormat(), excelFormat(),
		columnsFormat("Parquet", []string{".parquet", ".pq"}, beginsParquet, openParquet),
		// files and streams, such as Feather version 2
		columnsFormat("Arrow", []string{".feather", ".arrow", ".arrows", ".ipc"}, beginsArrow, openArrow),
		expressionFormat("GEO series matrix", nil, beginsSeries, openSeries),
		expressionFormat("GCT", []string{".gct"}, beginsGCT, openGCT), // its classes may be in another file
		hdf5Format()}
}

// stranger is a kind of file that is recognised but cannot be read.
type stranger struct{ begins, what, remedy string }

// strangers lists the kinds of files that Detect rejects by name. The first one
// that fits decides, so a zip archive of unknown kind comes last.
func strangers() []stranger {
	return []stranger{
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Excel file", "save it in Excel as .xlsx without a password, or as .csv"},
		{"RDX2\n", "an R workspace", "write the table in R with write.csv(table, file)"},
		{"RDX3\n", "an R workspace", "write the table in R with write.csv(table, file)"},
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
		{"FCS2.0", "a file of a flow cytometer", fcsAsTable}, {"FCS3.", "a file of a flow cytometer", fcsAsTable},
		{biomText, "a BIOM table", "write it as text: biom convert -i FILE -o table.tsv --to-tsv"},
		{sparseARFF, "a sparse ARFF file", "save it in Weka as .csv, with the filter SparseToNonSparse"},
		{arffText, "an ARFF file", "write the names of its attributes, separated by commas, in place of all lines up to @DATA"},
		{webPage, "a web page", "open it in a browser: it may be a message in place of the file, or a link to it"},
		{jsonText, "a JSON file", "write it as a table in Python: pandas.read_json(file).to_csv(other, index=False), with lines=True if each line is an object"},
		{"<?xml", "an XML file", "save it as .csv in the program that wrote it"},
		{qiimeArchive, "an artifact of QIIME 2", "unpack it: qiime tools export --input-path FILE --output-path DIRECTORY; " +
			"then write its table as text: biom convert -i DIRECTORY/feature-table.biom -o table.tsv --to-tsv"},
		{"##fileformat=VCF", "a VCF file of variants", "write the genotypes as a table, such as with plink2 --export A, and add a column of classes"},
		{openDocument, "an OpenDocument file", "save it as .xlsx or .csv"},
		{"PK\x03\x04", "a zip archive", "unpack it and name the file in it"},
	}
}

const (
	fcsAsTable    = "write it in R: write.csv(flowCore::exprs(flowCore::read.FCS(file)), other), and add a column of classes"
	geoSOFT       = "a SOFT file of GEO"
	seriesInstead = "take the series matrix of the same series, GSE…_series_matrix.txt.gz"
)

// Kinds of files that cannot be recognised by their first bytes alone, see
// [stranger.fits].
const (
	biomText     = "\x00BIOM"
	arffText     = "\x00ARFF"
	sparseARFF   = "\x00sparse ARFF"
	qiimeArchive = "\x00QIIME"
	webPage      = "\x00HTML"
	jsonText     = "\x00JSON"
)

// fits reports whether a file is of this kind, given its text or, for a zip
// archive, the name of its first member.
func (s stranger) fits(head []byte, name, member string) bool {
	switch s.begins {
	case openDocument:
		return strings.HasPrefix(member, s.begins)
	case qiimeArchive:
		return regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/`).MatchString(name)
	case biomText:
		return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte("Biological Observation Matrix"))
	case webPage:
		return regexp.MustCompile(`(?i)^\s*<(!doctype html|html|head|body|table)\b`).Match(head)
	case jsonText:
		return regexp.MustCompile(`^\s*(\{\s*"[^"]*"\s*:|\[\s*[\[{])`).Match(head)
	case sparseARFF:
		return regexp.MustCompile(`(?i)^(\s|%.*\n)*@relation`).Match(head) && regexp.MustCompile(`(?im)^\s*@data\s+\{`).Match(head)
	case arffText:
		for line := range strings.Lines(string(head[:min(len(head), headSize)])) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '%' {
				return len(line) > 9 && strings.EqualFold(line[:9], "@relation")
			}
		}
		return false
	}
	return bytes.HasPrefix(head, []byte(s.begins))
}

// openDocument is the beginning of the first member of an OpenDocument file:
// its name and its content.
const openDocument = "mimetypeapplication/vnd.oasis.opendocument"

// firstMember returns the name of the first member of a zip archive, and the
// bytes from that name on. Both are "" for other files.
func firstMember(head []byte) (name, rest string) {
	const before = 30 // bytes
	if len(head) < before || !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return "", ""
	}
	rest = string(head[before:])
	return rest[:min(int(binary.LittleEndian.Uint16(head[26:])), len(rest))], rest
}

// headSize is the number of bytes that are used to recognise a format.
const headSize = 1 << 12

// Detect finds the format of a file by its content or, if that does not tell,
// by its extension. Text with an unknown extension is a table. Detect rejects
// all other files. If it recognises their kind, it says what to do.
func Detect(path, extension string, file Input) (*File, error) {
	in, err := newInput(path, file)
	if err != nil {
		return nil, err
	}
	head := make([]byte, headSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
	}

	text, err := openText(in)
	if err != nil {
		return nil, err
	}

	head = head[:n]
	name, member := firstMember(head)
	for _, f := range formats() {
		first := head
		if f.openText != nil {
			first = text.head
		}
		if f.begins != nil && f.begins(first) {
			return &File{f, in, text}, nil
		}
	}

	for _, s := range strangers() {
		if s.fits(text.head, name, member) {
			return nil, errs.New(errs.Request, s.remedy, "%s is %s, which cannot be read", path, s.what)
		}
	}

	if text.isPacked() {
		extension = filepath.Ext(UnpackedPath(path))
	}

	for _, f := range formats() {
		if slices.Contains(f.extensions, strings.ToLower(extension)) {
			if text.isPacked() && f.openText == nil {
				return nil, errs.New(errs.Request, "unpack it, and name the file in it", "%s is a packed %s file", path, f.Name)
			}
			return &File{f, in, text}, nil
		}
	}

	switch err := text.check(); {
	case err == nil:
		return &File{tableFormat(), in, text}, nil
	case text.isPacked():
		return nil, err
	}
	return nil, errs.New(errs.Request, "files that can be read end in "+strings.Join(Extensions(), " "), "%s: the extension %q is not known", path, extension)
}
