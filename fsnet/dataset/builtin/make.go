//go:build ignore

// Make writes a built-in data set from a file:
//
//	go run make.go -data ALLAML.mat -name ALLAML -classes ALL,AML -decimals 6
//
// -classes gives the names of the file's classes in their natural order. The
// result, NAME.gz, is a gzip stream of
//
//	"N D 10^decimals", the classes separated by tabs, D names: each followed by a newline
//	the class of each sample, a byte each
//	three times N·D bytes, column by column: the low, middle and high bytes of the values
//
// where a value x is the whole number i = x·10^decimals folded to 2i or −2i−1.
// It refuses values that would not come back bit for bit.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// main writes NAME.gz to the working directory. Whatever fails ends it with one
// line.
func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "file to read")
	name := flag.String("name", "", "name of the built-in data set")
	classes := flag.String("classes", "", "names of its classes")
	decimals := flag.Int("decimals", 6, "decimals of its values")
	flag.Parse()
	settings, err := config.Config{Data: *data}.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Open(context.Background(), settings, "")
	if err != nil {
		log.Fatal(err)
	}
	names := strings.Split(*classes, ",")
	if len(names) != len(d.Classes) {
		log.Fatalf("%d names for the classes %v", len(names), d.Classes)
	}
	packed, err := pack(d, names, math.Pow10(*decimals))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*name+".gz", packed, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s.gz: %d×%d, %d bytes\n", *name, d.N, d.D, len(packed))
}

// pack returns the gzip stream of a data set with values that are multiples of
// 1/unit. classes replace the names of d.Classes, in their order.
func pack(d *dataset.Dataset, classes []string, unit float64) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(zip, "%d %d %g\n%s\n%s\n", d.N, d.D, unit, strings.Join(classes, "\t"), strings.Join(d.Features, "\n"))
	for _, y := range d.Y {
		zip.Write([]byte{byte(y)})
	}
	var planes [3][]byte
	for j := range d.D {
		for i := range d.N {
			x := d.At(i, j)
			whole := int32(math.Round(float64(x) * unit))
			folded := uint32(whole)<<1 ^ uint32(whole>>31)
			if float32(float64(whole)/unit) != x || folded >= 1<<24 {
				return nil, fmt.Errorf("row %d, column %s: %v would not come back", i+1, d.Features[j], x)
			}
			for b := range planes {
				planes[b] = append(planes[b], byte(folded>>(8*b)))
			}
		}
	}
	for _, plane := range planes {
		zip.Write(plane)
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
