package widgets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

type person struct {
	Name   string
	Age    int
	Score  float64
	hidden bool
}

type speaking struct{ forms map[string]any }

func (s speaking) MimeBundle() map[string]any { return s.forms }

type panicking struct{}

func (panicking) MimeBundle() map[string]any { panic("not today\nnor tomorrow") }

type stringing struct{}

func (stringing) String() string { return "I am I" }

// Each kind of value has the forms that front ends choose from, and text for
// those that can show nothing else.
func TestBundle_Forms(t *testing.T) {
	people := []person{{"Ada <3", 36, 1.0 / 3, true}, {"Grace", 85, 2e9, false}}
	pointers := []*person{&people[0], nil}
	many := make([]person, 1000)
	for name, c := range map[string]struct {
		value any
		mime  string
		want  []string // in that form
		text  []string
	}{
		"svg":      {SVG("<svg/>"), mimeSVG, []string{"<svg/>"}, []string{"SVG"}},
		"html":     {HTML("<b>a</b> &lt; b<script>x</script>"), mimeHTML, []string{"<script>"}, []string{"a < b"}},
		"markdown": {Markdown("# $x$"), "text/markdown", []string{"# $x$"}, []string{"# $x$"}},
		"vega":     {VegaLite(`{"mark":"bar"}`), "application/vnd.vegalite.v5+json", []string{`"bar"`}, []string{"Vega-Lite"}},
		"structs": {
			people, mimeHTML, []string{">Name</th>", "Ada &lt;3", "0.333333", "mathjax_ignore"},
			[]string{"Name    Age     Score", "Ada <3   36  0.333333", "Grace    85     2e+09"},
		},
		"pointers": {pointers, mimeHTML, []string{"Ada &lt;3"}, []string{"Ada <3"}},
		"array":    {[2]person{people[0], people[1]}, mimeHTML, []string{"Grace"}, []string{"Grace"}},
		"many":     {many, mimeHTML, []string{"1000 × 3, of which the first 60 × 3"}, []string{"1000 × 3, of which"}},
		"matrix": {
			mat.NewDense(2, 2, []float64{1, 2.5, -3, 1e-9}), mimeHTML, []string{"2.5", "1e-09"}, []string{" 0      1", "-3  1e-09"},
		},
		"large matrix": {mat.NewDense(200, 100, nil), mimeHTML, []string{"200 × 100, of which the first 60 × 24"}, []string{"200 × 100"}},
		"empty":        {[]person{}, mimeHTML, []string{"Name"}, []string{"Name"}},
		"number":       {42, mimeText, []string{"42"}, nil},
		"nil":          {nil, mimeText, []string{"<nil>"}, nil},
		"error":        {fmt.Errorf("it rained"), mimeText, []string{"it rained"}, nil},
		"stringer":     {stringing{}, mimeText, []string{"I am I"}, nil},
		"struct":       {people[1], mimeText, []string{"Name:Grace"}, nil},
		"map":          {map[string]int{"a": 1}, mimeText, []string{"a:1"}, nil},
		"numbers":      {[]float64{1, 2}, mimeText, []string{"[1 2]"}, nil},
		"bundler":      {speaking{map[string]any{"text/latex": "$x$", "text/plain": "x"}}, "text/latex", []string{"$x$"}, []string{"x"}},
		"without text": {
			speaking{map[string]any{"application/json": map[string]any{"a": []int{1}}}},
			"application/json", []string{`{"a":[1]}`}, []string{"{map[application/json"},
		},
		"bytes":         {speaking{map[string]any{"image/jpeg": []byte{0xff, 0xd8}}}, "image/jpeg", []string{"/9g="}, nil},
		"text in bytes": {speaking{map[string]any{"text/html": []byte("<i>")}}, "text/html", []string{"<i>"}, nil},
		"broken text":   {HTML("a\xffb"), mimeHTML, []string{"a\uFFFDb"}, nil},
		"no forms":      {speaking{}, mimeText, []string{"{map[]}"}, nil},
		"with a charset": {
			speaking{map[string]any{"text/plain": "x", "application/x+json;v=1": 1}}, "application/x+json;v=1", []string{"1"}, nil,
		},
	} {
		data, err := bundle(c.value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		form := fmt.Sprint(data[c.mime])
		if raw, ok := data[c.mime].(json.RawMessage); ok {
			form = string(raw)
		}
		for _, want := range c.want {
			if !strings.Contains(form, want) {
				t.Errorf("%s: %s is %q, want %q in it", name, c.mime, form, want)
			}
		}
		text, ok := data[mimeText].(string)
		if !ok || text == "" {
			t.Errorf("%s has no text: %v", name, data[mimeText])
		}
		for _, want := range c.text {
			if !strings.Contains(text, want) {
				t.Errorf("%s: its text is %q, want %q in it", name, text, want)
			}
		}
		if (strings.Contains(form+text, "hidden") && name != "struct") || strings.Contains(form, ">true") {
			t.Errorf("%s: a field that is not exported is shown: %q", name, form)
		}
		if _, err := json.Marshal(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type endless struct{ image.Image }

func (endless) Bounds() image.Rectangle { return image.Rect(0, 0, 1<<20, 1<<20) }

// A value that panics, is too large or isn't what its type says becomes one
// line that says why.
func TestBundle_CannotBeShown(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"panic":         {panicking{}, "a widgets.panicking cannot be shown: it panicked with not today"},
		"500 MB":        {PNG(make([]byte, 500_000_000)), "a widgets.PNG of 500 MB is too large for a notebook, which takes 16 MB"},
		"20 MB of HTML": {HTML(make([]byte, 20_000_000)), "of 20 MB is too large"},
		"15 MB of <":    {HTML(strings.Repeat("<", 15_000_000)), "of 90 MB is too large"},
		"huge image":    {endless{}, "a picture of 1048576 × 1048576 pixels is too large"},
		"no PNG":        {PNG("GIF89a"), "is not a PNG picture"},
		"short PNG":     {PNG("\x89PNG\r\n\x1a\n"), "is not a PNG picture"},
		"no Vega-Lite":  {VegaLite("{"), "the Vega-Lite specification is not JSON"},
		"no MIME":       {speaking{map[string]any{"html": "x"}}, `"html", which is not a MIME type`},
		"no JSON": {
			speaking{map[string]any{"application/json": func() {}}}, "the form application/json of a widgets.speaking cannot be written",
		},
		"raw":           {speaking{map[string]any{"application/json": json.RawMessage("{")}}, "it is not JSON"},
		"panics in nil": {(*panickingAt)(nil), "cannot be shown"},
	} {
		_, err := bundle(c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

type panickingAt struct{ n int }

func (p *panickingAt) Dims() (int, int)    { return p.n, 1 }
func (p *panickingAt) At(int, int) float64 { return 0 }

// A picture is shown as it is, whatever its bounds; an empty one becomes words.
func TestBundle_Pictures(t *testing.T) {
	picture := image.NewNRGBA(image.Rect(-3, 5, 40, 22))
	picture.Set(7, 9, color.NRGBA{1, 2, 3, 200})
	data, err := bundle(picture)
	if err != nil {
		t.Fatal(err)
	}
	if got := shownPNG(t, data); got.Bounds() != image.Rect(0, 0, 43, 17) || got.At(10, 4) != picture.At(7, 9) {
		t.Errorf("it came back as %v with %v", got.Bounds(), got.At(10, 4))
	}
	if data, err := bundle(image.NewNRGBA(image.Rectangle{})); err != nil || data[mimePNG] != nil {
		t.Errorf("an empty picture: %v, %v", data, err)
	}
}

// shownPNG is the picture of a bundle.
func shownPNG(t *testing.T, data map[string]any) image.Image {
	t.Helper()
	file, err := base64.StdEncoding.DecodeString(fmt.Sprint(data[mimePNG]))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// drawing has the method of gonum/plot's *plot.Plot, whose module would bring five others with it, and draws on gonum's canvas.
type drawing struct{ formats []string }

func (d *drawing) WriterTo(w, h vg.Length, format string) (io.WriterTo, error) {
	if !slices.Contains(d.formats, format) {
		return nil, fmt.Errorf("unsupported format: %q", format)
	}
	canvas := vgimg.New(w, h)
	canvas.SetLineWidth(3)
	var line vg.Path
	line.Move(vg.Point{})
	line.Line(vg.Point{X: w, Y: h})
	canvas.Stroke(line)
	return vgimg.PngCanvas{Canvas: canvas}, nil
}

// gonum/plot is drawn although this package doesn't import it, in the formats
// that the cell has linked.
func TestBundle_Plots(t *testing.T) {
	data, err := bundle(&drawing{formats: []string{"png"}})
	if err != nil {
		t.Fatal(err)
	}
	if data[mimeSVG] != nil || data[mimeText] != "a plot (*widgets.drawing)" {
		t.Errorf("a plot is %.300v, %v", data[mimeSVG], data[mimeText])
	}
	if size := shownPNG(t, data).Bounds(); size.Dx() < 432 || size.Dx()*2 != size.Dy()*3 {
		t.Errorf("it is drawn as %v", size)
	}
	if data, err := bundle(&drawing{formats: []string{"svg", "png"}}); err != nil || data[mimeSVG] == nil {
		t.Errorf("with SVG: %v", err)
	}
	if _, err := bundle(&drawing{}); err == nil || !strings.Contains(err.Error(), "vgsvg") {
		t.Errorf("without formats: %v", err)
	}
}

// A MIME type has a type in lower case, a subtype and perhaps parameters.
func TestIsMIMEType_Syntax(t *testing.T) {
	for name, want := range map[string]bool{
		"text/html": true, "image/svg+xml": true, "application/vnd.vegalite.v5+json": true, "text/plain; charset=utf-8": true, "a/B_1.+-": true,
		"html": false, "": false, "text/": false, "/html": false, "Text/html": false, "text/a b": false, "text/a/b": false, "te xt/html": false,
		";text/html": false, "text/é": false,
	} {
		if isMIMEType(name) != want {
			t.Errorf("%q is a MIME type: %v, want %v", name, !want, want)
		}
	}
}

// TestBundle_LongText ensures that the text of a large value is cut at 10 kB and says what there is in
// all.
func TestBundle_LongText(t *testing.T) {
	for want, value := range map[string]any{
		"bytes, of the 600000 elements of a []float64": make([]float64, 600000), "these are the first 10000 of 8000000 bytes": strings.Repeat("ACGT", 2_000_000),
		"bytes, of the 20000 elements of a map[int]string": func() map[int]string {
			m := map[int]string{}
			for i := range 20000 {
				m[i] = "gene"
			}
			return m
		}(),
	} {
		forms, err := bundle(value)
		text, _ := forms[mimeText].(string)
		if err != nil || len(text) > 10_200 || !strings.HasSuffix(text, want) {
			t.Errorf("%T: %d bytes, %.200q, %v", value, len(text), text[max(0, len(text)-200):], err)
		}
	}
	if forms, err := bundle(make([]float64, 1000)); err != nil || strings.Contains(forms[mimeText].(string), "…") {
		t.Errorf("a small one is cut: %v", err)
	}
}
