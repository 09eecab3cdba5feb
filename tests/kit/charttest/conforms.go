// Package charttest checks charts in every format, and compares their
// specifications and words with golden files. Start reading with [Conforms].
package charttest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/spec"
)

//nolint:gochecknoglobals // flags of the tests
var (
	update  = flag.Bool("update", false, "rewrite the golden files in testdata")
	gallery = flag.String("gallery", "", "write all charts as PNG and SVG into this `directory`")
)

// readable is the maximum width of a chart in points. The letters of a wider
// chart would be too small to read at 800 pixels.
const readable = 920

// Conforms checks a chart in every format. The PNG must decode and must not be
// too wide, the SVG must be well-formed, the specification must be
// self-contained, and SVG and specification must contain every word of the
// chart.
func Conforms(t *testing.T, name string, s spec.Spec) {
	t.Helper()
	picture, err := s.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if size := Decode(t, picture).Bounds().Dx() / spec.PixelsPerPoint; size > readable {
		t.Errorf("%s is %d points wide, more than %d", name, size, readable)
	}
	svg := s.SVG()
	if *gallery != "" {
		for ending, content := range map[string][]byte{".png": picture, ".svg": svg} {
			if err := os.WriteFile(filepath.Join(*gallery, name+ending), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	vega, err := s.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	SpecificationStandsAlone(t, name, vega)
	text := texts(t, svg) // fails if it is not well-formed
	for _, word := range words(s) {
		quoted, err := json.Marshal(word)
		if err != nil {
			t.Fatal(err)
		}
		if word != "" && (!strings.Contains(text, word) || !strings.Contains(string(vega), strings.Trim(string(quoted), `"`))) {
			t.Errorf("%s: %q is not in the SVG, or not in the specification", name, word)
		}
	}
}

// Golden compares a specification, its data shortened, with testdata/NAME.spec.
func Golden(t *testing.T, name string, s spec.Spec) {
	t.Helper()
	vega, err := s.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", name+".spec"), digest(t, vega))
}

// words lists the words a chart must contain. It skips those that lines can
// break.
func words(s spec.Spec) (list []string) {
	list = append(list, s.Title)
	for _, row := range s.Rows {
		for _, p := range row {
			list = append(list, p.Title)
			for _, series := range p.Series {
				if !p.NoLegend && !p.Named && len(p.Y.Bands) > 0 {
					list = append(list, series.Name)
				}
			}
			if !p.Y.Hidden && len(p.Y.Bands) < 50 {
				list = append(list, p.Y.Bands...)
			}
			for _, l := range p.Layers {
				for _, d := range l.Data {
					list = append(list, d.Text)
				}
			}
		}
	}
	return list
}

// texts returns the texts of an SVG.
func texts(t *testing.T, svg []byte) string {
	t.Helper()
	var b strings.Builder
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			b.Write(text)
		}
	}
}

// digest returns a readable specification: a line for each layer and, for long
// data, the first records and their number.
func digest(t *testing.T, vega json.RawMessage) []byte {
	t.Helper()
	var tree map[string]any
	DecodeJSON(t, vega, &tree)
	var b bytes.Buffer
	describe(t, &b, "", short(tree))
	return append(bytes.TrimSpace(b.Bytes()), '\n')
}

// describe writes the fields of a view, one per line, and its parts below.
func describe(t *testing.T, b *bytes.Buffer, indent string, view any) {
	fields, ok := view.(map[string]any)
	if !ok || fields["mark"] != nil {
		line, err := json.Marshal(view)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(b, "%s%s\n", indent, line)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(b, "%s%s:\n", indent, key)
		parts, ok := fields[key].([]any)
		if !ok {
			parts = []any{fields[key]}
		}
		for _, part := range parts {
			if key != "vconcat" && key != "hconcat" && key != "layer" {
				part = []any{part}
			}
			describe(t, b, indent+"  ", part)
		}
	}
}

// short cuts long lists.
func short(value any) any {
	const most = 4
	switch v := value.(type) {
	case map[string]any:
		delete(v, "config")
		for key, inner := range v {
			v[key] = short(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = short(inner)
		}
		if len(v) > most+1 && !view(v[0]) {
			return append(v[:most:most], len(v))
		}
	}
	return value
}

// view reports whether a value describes a part of the chart. digest keeps such
// values whole.
func view(value any) bool {
	object, ok := value.(map[string]any)
	return ok && (object["mark"] != nil || object["layer"] != nil || object["hconcat"] != nil)
}

// Text compares the words of a picture with testdata/NAME.txt.
func Text(t *testing.T, name, text string) {
	t.Helper()
	golden(t, filepath.Join("testdata", name+".txt"), []byte(text))
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v - run go test ./widgets/chart/... -update and read the new specification", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
	}
}

// Decode reads a PNG.
func Decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// DecodeJSON decodes JSON or fails the test.
func DecodeJSON(t *testing.T, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v in %.200s", err, b)
	}
}
