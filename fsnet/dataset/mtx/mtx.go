// Package mtx reads directories as Cell Ranger, STARsolo, kallisto and scanpy write them: matrix.mtx, the numbers that are not 0 as
// text, genes × cells; barcodes.tsv, a cell a line; features.tsv or genes.tsv, a gene a line. Each may be packed with gzip.
//
//	dir, err := mtx.Open("filtered_feature_bc_matrix")
//	err = dir.Each(ctx, func(gene, cell int, value float32) { … })
//
// Nothing of a declared size is allocated: numbers are handed over as they are read, and one more or less than declared is an error.
package mtx

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fsnetlab/internal/count"
)

// maxLine is the bytes of the longest line.
const maxLine = 1 << 16

// Directory is an open directory.
type Directory struct {
	Path   string
	Cells  []string // names, in the order of the matrix
	Genes  []string
	Stored int // declared numbers that are not 0

	matrix    string // the file's name
	pattern   bool   // no numbers are written: each is 1
	symmetric bool
}

// Is says whether a path is a directory with a matrix in it.
func Is(path string) bool {
	_, err := find(path, "matrix.mtx")
	return err == nil
}

// find is the name of a file of a directory, packed or not. Where there is neither the error is [fs.ErrNotExist].
func find(dir string, names ...string) (string, error) {
	for _, name := range names {
		for _, packing := range []string{"", ".gz"} {
			info, err := os.Stat(filepath.Join(dir, name+packing))
			if err == nil && info.Mode().IsRegular() {
				return name + packing, nil
			}
		}
	}
	return "", fmt.Errorf("%s[.gz]: %w", strings.Join(names, "[.gz] or "), fs.ErrNotExist)
}

// Open reads the names and the head of the matrix.
func Open(dir string) (*Directory, error) {
	d := &Directory{Path: dir}
	var err error
	if d.matrix, err = find(dir, "matrix.mtx"); err != nil {
		return nil, err
	}
	l, err := d.open(d.matrix)
	if err != nil {
		return nil, err
	}
	defer l.close()
	genes, cells, err := d.head(l)
	if err != nil {
		return nil, err
	}
	if d.Genes, err = d.names(genes, "features.tsv", "genes.tsv"); err != nil {
		return nil, err
	}
	d.Cells, err = d.names(cells, "barcodes.tsv")
	return d, err
}

// head reads the first line and the sizes.
func (d *Directory) head(l *lines) (genes, cells int, err error) {
	first, err := l.next()
	if err != nil {
		return 0, 0, l.wrong("it is empty")
	}
	words := strings.Fields(strings.ToLower(string(first)))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return 0, 0, l.wrong("it does not begin with %%%%MatrixMarket matrix")
	}
	d.pattern, d.symmetric = words[3] == "pattern", words[4] == "symmetric"
	if words[2] != "coordinate" || words[3] == "complex" || words[4] != "general" && !d.symmetric {
		return 0, 0, l.wrong("a matrix of the kind %q is not read, only coordinate, real, integer or pattern, general or symmetric",
			strings.Join(words[2:], " "))
	}
	line, err := l.next()
	for err == nil && (len(line) == 0 || line[0] == '%') {
		line, err = l.next()
	}
	if err != nil {
		return 0, 0, l.wrong("it ends before the sizes")
	}
	var sizes [3]int
	fields := bytes.Fields(line)
	for i := range sizes {
		if len(fields) == 3 {
			sizes[i], err = strconv.Atoi(string(fields[i]))
		}
		if len(fields) != 3 || err != nil || sizes[i] < 0 || i < 2 && sizes[i] > math.MaxInt32 {
			return 0, 0, l.wrong("expected three sizes, not %.60q", line)
		}
	}
	d.Stored = sizes[2]
	return sizes[0], sizes[1], nil
}

// names reads a file of n names, a line each: the second column where there is one, as of genes, whose first is their identity.
func (d *Directory) names(n int, files ...string) ([]string, error) {
	file, err := find(d.Path, files...)
	if err != nil {
		return nil, err
	}
	l, err := d.open(file)
	if err != nil {
		return nil, err
	}
	defer l.close()
	var names []string
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		columns := strings.Split(string(line), "\t")
		if len(names) == n || columns[0] == "" {
			return nil, l.wrong("it has an empty name, or more names than %s, which has %d", d.matrix, n)
		}
		names = append(names, columns[min(1, len(columns)-1)])
	}
	if len(names) != n {
		return nil, l.wrong("it has %s, but %s has %d", count.Of(len(names), "name"), d.matrix, n)
	}
	return names, nil
}

// Each visits every number of the matrix in the order of the file, with its gene and its cell from 0.
func (d *Directory) Each(ctx context.Context, visit func(gene, cell int, value float32)) error {
	l, err := d.open(d.matrix)
	if err != nil {
		return err
	}
	defer l.close()
	if _, _, err := d.head(l); err != nil {
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
			return l.wrong("it has more than the %s that it declares", count.Of(d.Stored, "number"))
		}
		if read%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		gene, rest, first := whole(line)
		cell, rest, second := whole(rest)
		value, err := 1.0, error(nil)
		if !d.pattern {
			value, err = strconv.ParseFloat(string(bytes.TrimSpace(rest)), 64)
			if errors.Is(err, strconv.ErrRange) {
				err = nil // infinite, which is refused where it is seen
			}
		}
		if !first || !second || err != nil || d.pattern && len(bytes.TrimSpace(rest)) > 0 {
			return l.wrong("expected gene, cell and number, not %.60q", line)
		}
		if gene < 1 || gene > len(d.Genes) || cell < 1 || cell > len(d.Cells) {
			return l.wrong("gene %d and cell %d of %d and %d", gene, cell, len(d.Genes), len(d.Cells))
		}
		visit(gene-1, cell-1, float32(value))
		if d.symmetric && gene != cell && cell <= len(d.Genes) && gene <= len(d.Cells) {
			visit(cell-1, gene-1, float32(value))
		}
	}
	if read != d.Stored {
		return l.wrong("it is truncated: it declares %s and has %d", count.Of(d.Stored, "number"), read)
	}
	return nil
}

// whole reads a whole number, and what follows it.
func whole(b []byte) (n int, rest []byte, ok bool) {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	i := 0
	for ; i < len(b) && i < 12 && b[i] >= '0' && b[i] <= '9'; i++ {
		n = 10*n + int(b[i]-'0')
	}
	return n, b[i:], i > 0 && (i == len(b) || b[i] == ' ' || b[i] == '\t')
}

// lines reads the lines of a file.
type lines struct {
	name   string
	file   io.Closer
	reader *bufio.Reader
	line   int
}

func (d *Directory) open(name string) (*lines, error) {
	file, err := os.Open(filepath.Join(d.Path, name))
	if err != nil {
		return nil, err
	}
	l := &lines{name: name, file: file, reader: bufio.NewReaderSize(file, maxLine)}
	if head, _ := l.reader.Peek(2); string(head) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(l.reader)
		if err != nil {
			l.close()
			return nil, l.wrong("%s", err)
		}
		l.reader = bufio.NewReaderSize(unpacked, maxLine)
	}
	return l, nil
}

func (l *lines) close() { _ = l.file.Close() }

// next is the next line, which is good until the next call; io.EOF at the end.
func (l *lines) next() ([]byte, error) {
	l.line++
	line, err := l.reader.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, l.wrong("it is longer than %d bytes", maxLine)
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, io.EOF
	case err != nil && !errors.Is(err, io.EOF):
		return nil, l.wrong("%s", err)
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

func (l *lines) wrong(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", l.name, l.line, fmt.Sprintf(format, args...))
}
