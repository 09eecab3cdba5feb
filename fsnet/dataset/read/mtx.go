package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/phrase"
)

// mtxDirectory is a directory with a matrix in MatrixMarket format.
type mtxDirectory struct {
	Path   string
	Cells  []string // names of the cells, in the order of the matrix
	Genes  []string
	Kinds  []string // kinds of the genes, such as Gene Expression or Antibody Capture; may be nil
	Stored int      // number of nonzero numbers, as declared

	matrix       string // file name of the matrix
	isPattern    bool   // the file lists only places: each number is 1
	isSymmetric  bool
	isTransposed bool // the file holds cells × genes, as kallisto writes it
}

// isMatrixMarket reports whether a path is a matrix or a directory with one.
func isMatrixMarket(path string) bool {
	_, found, err := mtxMatrices(path)
	return err == nil && len(found) > 0
}

// mtxMatrices returns a directory and the file names of its matrices. If path
// names a matrix, it returns that one. If path names a file of another kind,
// names is empty.
func mtxMatrices(path string) (dir string, names []string, err error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		if mtxName().MatchString(path) {
			names = []string{filepath.Base(path)}
		}
		return filepath.Dir(path), names, nil
	}
	names, err = listFiles(path, mtxName())
	return path, names, err
}

// mtxName matches the file names of matrices.
func mtxName() *regexp.Regexp { return regexp.MustCompile(`(?i)\.mtx(\.gz)?$`) }

// listFiles returns the file names of the regular files in a directory with
// matching names, sorted. It follows links. It leaves out NAME.gz if there is
// also NAME.
func listFiles(dir string, fits *regexp.Regexp) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name := e.Name()
		if !fits.MatchString(name) || slices.Contains(names, strings.TrimSuffix(name, ".gz")) {
			continue
		}
		// Stat follows links
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	return names, err
}

// openMatrixMarket reads the head of a matrix and its names. path is the
// matrix, or a directory with a single matrix or a matrix.mtx. The files with
// names share the beginning of its file name: GSM1_A_matrix.mtx.gz,
// GSM1_A_barcodes.tsv.gz.
func openMatrixMarket(path string) (*mtxDirectory, error) {
	dir, found, err := mtxMatrices(path)
	if err != nil {
		return nil, err
	}

	d := &mtxDirectory{Path: dir}
	if at := slices.IndexFunc(found, func(name string) bool { return strings.TrimSuffix(name, ".gz") == "matrix.mtx" }); at >= 0 {
		found = found[at : at+1]
	}

	if len(found) != 1 {
		return nil, fmt.Errorf("it holds several matrices, name one of the files: %s", strings.Join(found[:min(len(found), 8)], ", "))
	}

	d.matrix = found[0]
	l, err := d.open(d.matrix)
	if err != nil {
		return nil, err
	}
	defer l.close()
	genes, cells, err := d.readSizes(l)
	if err != nil {
		return nil, err
	}

	if err = d.readNames(genes, cells); err != nil {
		d.isTransposed = true
		if d.readNames(cells, genes) == nil {
			return d, nil
		}
	}
	return d, err
}

// readNames sets Genes, Kinds and Cells. It returns an error if there are more
// or fewer names than genes and cells.
func (d *mtxDirectory) readNames(genes, cells int) (err error) {
	if d.Genes, d.Kinds, err = d.names(genes, 1, "features", "genes"); err == nil {
		d.Cells, _, err = d.names(cells, 0, "barcodes", "cells")
	}
	return err
}

// find returns the name of the file that lists the row or the column names of
// the matrix. It contains one of the given kinds; earlier kinds are
// preferred. The error is [fs.ErrNotExist] if no file fits.
func (d *mtxDirectory) find(kinds ...string) (string, error) {
	prefix := mtxName().ReplaceAllString(d.matrix, "")
	if at := strings.LastIndex(strings.ToLower(prefix), "matrix"); at >= 0 {
		prefix = prefix[:at]
	}

	_, matrices, err := mtxMatrices(d.Path)
	if err != nil {
		return "", err
	}

	prefixes := []string{prefix}
	if len(matrices) == 1 { // then files with other prefixes belong to it, too
		prefixes = append(prefixes, "")
	}
	for _, prefix := range prefixes {
		for _, kind := range kinds {
			found, err := listFiles(d.Path, regexp.MustCompile(`(?i)^`+regexp.QuoteMeta(prefix)+`(.*[._-])?`+kind+`\.(tsv|csv|txt)(\.gz)?$`))
			if err != nil {
				return "", err
			}
			if len(found) > 0 {
				return slices.MinFunc(found, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }), nil
			}
		}
	}
	return "", fmt.Errorf("%s%s.tsv[.gz]: %w", prefix, strings.Join(kinds, ".tsv[.gz] or "+prefix), fs.ErrNotExist)
}

// readSizes reads a matrix up to its sizes. It sets the kind of the matrix and
// how many numbers it has, and returns the numbers of rows and columns. These
// are genes and cells, unless the matrix is transposed.
func (d *mtxDirectory) readSizes(l *mtxLines) (genes, cells int, err error) {
	first, err := l.next()
	if err != nil {
		return 0, 0, l.syntaxError("it is empty")
	}
	words := strings.Fields(strings.ToLower(string(first)))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return 0, 0, l.syntaxError("it does not begin with %%%%MatrixMarket matrix")
	}

	d.isPattern, d.isSymmetric = words[3] == "pattern", words[4] == "symmetric"
	if words[2] != "coordinate" || words[3] == "complex" || words[4] != "general" && !d.isSymmetric {
		return 0, 0, l.syntaxError("a matrix of the kind %q is not read, only coordinate, real, integer or pattern, general or symmetric",
			strings.Join(words[2:], " "))
	}

	line, err := l.next()
	for err == nil && (len(line) == 0 || line[0] == '%') {
		line, err = l.next()
	}
	if err != nil {
		return 0, 0, l.syntaxError("it ends before the sizes")
	}

	var sizes [3]int
	fields := bytes.Fields(line)
	for i := range sizes {
		if len(fields) == 3 {
			sizes[i], err = strconv.Atoi(string(fields[i]))
		}
		if len(fields) != 3 || err != nil || sizes[i] < 0 || i < 2 && sizes[i] > math.MaxInt32 {
			return 0, 0, l.syntaxError("expected three sizes, not %.60q", line)
		}
	}
	d.Stored = sizes[2]
	return sizes[0], sizes[1], nil
}

// names reads a file of n names, one a line, from a column. If that is empty or
// missing, it takes the first column, because genes have a name after their
// identifier and cells only a name. types is the third column, if there is one.
// If there is one line too many and the first looks like a header, it skips the
// header.
func (d *mtxDirectory) names(n, column int, kinds ...string) (names, types []string, err error) {
	file, err := d.find(kinds...)
	if err != nil {
		return nil, nil, err
	}
	l, err := d.open(file)
	if err != nil {
		return nil, nil, err
	}
	defer l.close()

	separator := '\t'
	if strings.HasSuffix(strings.ToLower(strings.TrimSuffix(file, ".gz")), ".csv") {
		separator = ','
	}

	var rows [][]string
	empty := 0 // lines since the last name
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		text := string(line)
		if empty++; strings.TrimSpace(text) == "" {
			continue
		}
		if len(rows) > n {
			return nil, nil, l.syntaxError("it has more names than %s, which has %d", d.matrix, n)
		}
		if empty > 1 {
			return nil, nil, l.syntaxError("a line above it is empty")
		}
		rows, empty = append(rows, phrase.Fields(text, separator)), 0
	}

	if len(rows) == n+1 && isNamesHeader(rows) {
		rows = rows[1:]
	}

	if len(rows) != n {
		return nil, nil, l.syntaxError("it ends with %s, but %s has %d", phrase.Count(len(rows), "name"), d.matrix, n)
	}

	if areNumbered(rows) {
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}

	names = make([]string, n)
	for i, row := range rows {
		names[i] = row[min(column, len(row)-1)]
		if parse.IsMissing(names[i]) {
			names[i] = row[0]
		}
		if names[i] == "" {
			return nil, nil, l.syntaxError("name %d is empty", i+1)
		}
		if len(row) > 2 {
			types = append(types, row[2])
		}
	}
	return names, types, nil
}

// areNumbered reports whether the first column numbers the rows, starting at 0
// or 1, and another column follows.
func areNumbered(rows [][]string) bool {
	for i, row := range rows {
		number, err := strconv.Atoi(row[0])
		first, _ := strconv.Atoi(rows[0][0])
		if err != nil || number != first+i || first > 1 || len(row) < 2 {
			return false
		}
	}
	return len(rows) > 0
}

// isNamesHeader reports whether the first row names the columns: it holds a
// usual word, or all rows except for the first begin alike.
func isNamesHeader(rows [][]string) bool {
	letters := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r < 'a' || r > 'z' {
				return -1
			}
			return r
		}, strings.ToLower(text))
	}
	for _, name := range rows[0] {
		switch letters(name) {
		case "gene", "genes", "geneid", "genename", "genenames", "genesymbol", "geneshortname", "symbol", "symbols", "ensembl", "ensemblid", "ensemblgeneid",
			"feature", "features", "featureid", "featurename", "featuretype", "id", "name", "barcode", "barcodes", "cell", "cells", "cellid", "cellname",
			"cellbarcode", "index", "x", "v":
			return true
		}
	}

	const alike = 3
	if len(rows) < alike || len(rows[1][0]) < alike {
		return false
	}
	begin := rows[1][0][:alike]
	return !strings.HasPrefix(rows[0][0], begin) && !slices.ContainsFunc(rows[1:], func(row []string) bool { return !strings.HasPrefix(row[0], begin) })
}

// each visits every number of the matrix in the order of the file. For a
// symmetric matrix it also visits the mirror image of each number.
func (d *mtxDirectory) each(ctx context.Context, visit func(cell, gene int, value float32)) error {
	l, err := d.open(d.matrix)
	if err != nil {
		return err
	}
	defer l.close()
	if _, _, err := d.readSizes(l); err != nil {
		return err
	}

	read := 0
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		if read++; read > d.Stored {
			return l.syntaxError("it has more than the %s that it declares", phrase.Count(d.Stored, "number"))
		}
		if read%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		gene, rest, first := leadingWhole(line)
		cell, rest, second := leadingWhole(rest)
		if d.isTransposed {
			gene, cell = cell, gene
		}

		value, err := 1.0, error(nil)
		if !d.isPattern {
			value, err = strconv.ParseFloat(string(bytes.TrimSpace(rest)), 64)
			if errors.Is(err, strconv.ErrRange) {
				err = nil // infinite, which is refused later
				// infinite; rejected later
			}
		}

		if !first || !second || err != nil || d.isPattern && len(bytes.TrimSpace(rest)) > 0 {
			return l.syntaxError("expected gene, cell and number, not %.60q", line)
		}
		if gene < 1 || gene > len(d.Genes) || cell < 1 || cell > len(d.Cells) {
			return l.syntaxError("gene %d and cell %d of %d and %d", gene, cell, len(d.Genes), len(d.Cells))
		}

		visit(cell-1, gene-1, float32(value))
		if d.isSymmetric && gene != cell && cell <= len(d.Genes) && gene <= len(d.Cells) {
			visit(gene-1, cell-1, float32(value))
		}
	}

	if read != d.Stored {
		return l.syntaxError("it is truncated: it declares %s and has %d", phrase.Count(d.Stored, "number"), read)
	}
	return nil
}

// leadingWhole parses a whole number at the beginning of b and returns the
// bytes after it. ok is false if there is no digit, or if no blank separates
// the number from what follows.
func leadingWhole(b []byte) (n int, rest []byte, ok bool) {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}

	i := 0
	for ; i < len(b) && i < 12 && b[i] >= '0' && b[i] <= '9'; i++ {
		n = 10*n + int(b[i]-'0')
	}
	return n, b[i:], i > 0 && (i == len(b) || b[i] == ' ' || b[i] == '\t')
}

// mtxLines reads the lines of a file.
type mtxLines struct {
	name  string
	file  io.Closer
	lines *textLines
	line  int
}

// open opens the lines of a file in the directory. The file may be compressed.
// The caller must close the lines.
func (d *mtxDirectory) open(name string) (*mtxLines, error) {
	path := filepath.Join(d.Path, name)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l := &mtxLines{name: name, file: file}
	var text *textFile
	in, err := newInput(path, file)
	if err == nil {
		text, err = openText(in)
	}
	if err == nil {
		l.lines, err = text.PlainLines('\t')
	}
	if err != nil {
		l.close()
	}
	return l, err
}

// close closes the file.
func (l *mtxLines) close() { _ = l.file.Close() }

// next returns the next line, or io.EOF. The line is valid until the next call.
func (l *mtxLines) next() ([]byte, error) {
	l.line++
	line, err := l.lines.rawLine()
	if err != nil && !errors.Is(err, io.EOF) {
		err = l.syntaxError("%s", err)
	}
	return trimEnd(line), err
}

// syntaxError returns an error about the current line.
func (l *mtxLines) syntaxError(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", l.name, l.line, fmt.Sprintf(format, args...))
}
