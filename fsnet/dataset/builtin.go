package dataset

import (
	"bufio"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Builtin describes a data set that is part of the program and needs neither
// file nor network.
type Builtin struct {
	Name     string
	N, D     int
	Classes  []string
	About    string // one line
	Citation string
	Terms    string
}

// Builtins lists the built-in data sets.
func Builtins() []Builtin {
	return []Builtin{{
		Name: "ALLAML", N: 72, D: 7129, Classes: []string{"ALL", "AML"},
		About: "gene expression of 47 acute lymphoblastic and 25 acute myeloid leukemias (Affymetrix HuGeneFL probe sets), " +
			"already standardised: every feature has mean 0 and one standard deviation over all 72 samples",
		Citation: "T. R. Golub et al., Molecular classification of cancer: class discovery and class prediction by gene expression " +
			"monitoring, Science 286:531-537 (1999)",
		Terms: "no licence is attached; published for research by its authors (cite them), redistributed unchanged from the feature " +
			"selection repository at Arizona State University",
	}}
}

// builtinFiles are written by builtin/make.go. It describes their format.
//
//go:embed builtin/*.gz
var builtinFiles embed.FS

// findBuiltin returns the built-in data set with a name, or nil. Case and
// surrounding blanks do not matter.
func findBuiltin(name string) *Builtin {
	for _, b := range Builtins() {
		if strings.EqualFold(b.Name, strings.TrimSpace(name)) {
			return &b
		}
	}
	return nil
}

// open decodes a new copy of the data set and sets its name, source and hash.
// It fails only if the program was built with a damaged copy.
func (b *Builtin) open() (*Dataset, error) {
	file, err := builtinFiles.Open("builtin/" + b.Name + ".gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := unpackBuiltin(file)
	if err != nil {
		return nil, fmt.Errorf("built-in data set %s is damaged: %w", b.Name, err)
	}
	d.Name, d.Source = b.Name, "built in; "+b.About+"; "+b.Citation
	d.setHash()
	return d, nil
}

// unpackBuiltin reads the format that make.go writes. It leaves Name, Source
// and Hash empty.
func unpackBuiltin(r io.Reader) (*Dataset, error) {
	inflated, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(inflated, 1<<16)
	d := new(Dataset)
	var unit float64
	if _, err := fmt.Fscanf(in, "%d %d %g\n", &d.N, &d.D, &unit); err != nil {
		return nil, err

	}
	lines := make([]string, 1+d.D)
	for i := range lines {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		lines[i] = strings.TrimSuffix(line, "\n")
	}
	d.Classes, d.Features = strings.Split(lines[0], "\t"), lines[1:]

	bytes := make([]byte, d.N+3*d.N*d.D)
	if _, err := io.ReadFull(in, bytes); err != nil {
		return nil, err
	}
	d.Y = make([]int, d.N)
	for i := range d.Y {
		d.Y[i] = int(bytes[i])
	}

	low, middle, high := bytes[d.N:d.N+d.N*d.D], bytes[d.N+d.N*d.D:d.N+2*d.N*d.D], bytes[d.N+2*d.N*d.D:]
	d.X = make([]float32, d.N*d.D)
	for i := range d.N {
		for j := range d.D {
			k := j*d.N + i
			zigzag := uint32(low[k]) | uint32(middle[k])<<8 | uint32(high[k])<<16
			d.X[i*d.D+j] = float32(float64(int32(zigzag>>1)^-int32(zigzag&1)) / unit)
		}
	}

	_, err = in.ReadByte() // verifies the checksum
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("bytes left over, or %w", err)
	}
	return d, nil
}
