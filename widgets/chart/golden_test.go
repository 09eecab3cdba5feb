package chart

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
)

var update = flag.Bool("update", false, "rewrite the golden pictures in testdata")

// pictures are the cases that golden files and the conformance suite go through.
func matrices() map[string]session.Matrix {
	sample := sampleMatrix(10, 40, 0.95) // a sample at a low temperature is as sharp
	sample.Of = "sample"
	return map[string]session.Matrix{
		"start":   sampleMatrix(10, 40, 0.02),
		"half":    sampleMatrix(10, 40, 0.6),
		"settled": sampleMatrix(10, 16, 1),
		"sample":  sample,
		"one":     sampleMatrix(1, 3, 0.7),
		"many":    sampleMatrix(50, 100, 0.7),
		"long":    longNames(sampleMatrix(4, 8, 0.8)),
	}
}

func longNames(m session.Matrix) session.Matrix {
	for j := range m.Names {
		m.Names[j] = "ENSG0000000000000" + m.Names[j] + " homologue of an uncharacterised transmembrane protein"
	}
	return m
}

func histories() map[string]session.History {
	bare := sampleHistory(40)
	bare.Events, bare.PerEpoch = nil, 0
	delete(bare.Curves, "accuracy_validation")
	return map[string]session.History{
		"run":   sampleHistory(sampleStop),
		"bare":  bare,
		"one":   sampleHistory(1),
		"empty": {Session: "leukemia", PerEpoch: samplePerEpoch},
		"busy":  busy(sampleHistory(100)),
	}
}

// busy has more changes than there is room for words.
func busy(h session.History) session.History {
	h.Events = nil
	for i := range 12 {
		rate := func(first float64) string {
			return fmt.Sprintf("%.3g → %.3g", first*math.Pow(0.5, float64(i)), first*math.Pow(0.5, float64(i+1)))
		}
		h.Events = append(h.Events, session.Event{Step: 30 + 9*i, Epoch: float64(30+9*i) / samplePerEpoch, Kind: "set", Text: "learning_rate " + rate(0.001) + ", selector_learning_rate " + rate(0.01)})
	}
	return h
}

func TestGoldenPictures(t *testing.T) {
	for name, m := range matrices() {
		p, err := Matrix(m)
		if err != nil {
			t.Fatalf("matrix %s: %v", name, err)
		}
		golden(t, "matrix-"+name, p)
	}
	for name, h := range histories() {
		p, err := Curves(h)
		if err != nil {
			t.Fatalf("curves %s: %v", name, err)
		}
		golden(t, "curves-"+name, p)
	}
}

func TestGoldenTables(t *testing.T) {
	long := sampleSelection(3)
	long[1].Name = "ENSG00000000003 homologue of an uncharacterised transmembrane protein"
	before := sampleStatus()
	before.State, before.Step, before.Epoch, before.Trained = session.Idle, 0, 0, false
	for name, c := range map[string]struct {
		status   session.Status
		selected []session.Selected
		more     []Column
	}{
		"ten":  {sampleStatus(), sampleSelection(10), []Column{{"information", []string{"0.722", "0.551"}}, {"mean ALL", []string{"-0.314", "1.21"}}}}, // the others are still asked for
		"long": {sampleStatus(), long, nil},
		"none": {before, nil, nil},
		"many": {sampleStatus(), sampleSelection(mostRows + 1), nil},
	} {
		p, err := Features(c.status, c.selected, c.more...)
		if err != nil {
			t.Fatalf("features %s: %v", name, err)
		}
		golden(t, "features-"+name, p)
	}
}

func TestGoldenAnnealing(t *testing.T) {
	ahead := func(epochs ...int) (c session.Curve) {
		for _, e := range epochs {
			c.Steps, c.Values = append(c.Steps, e*samplePerEpoch), append(c.Values, sampleTau(float64(e)))
		}
		return c
	}
	for name, c := range map[string]struct {
		behind session.History
		ahead  session.Curve
	}{
		"start": {session.History{Session: "leukemia", PerEpoch: samplePerEpoch}, ahead(0, 100, 200, sampleEpochs)},
		"half":  {sampleHistory(150), ahead(150, 200, 250, sampleEpochs)},
		"end":   {sampleHistory(sampleEpochs), session.Curve{}},
	} {
		p, err := Annealing(c.behind, c.ahead)
		if err != nil {
			t.Fatalf("annealing %s: %v", name, err)
		}
		golden(t, "annealing-"+name, p)
	}
}

// A note is below the picture and in its words; the picture itself stays as it is.
func TestNote(t *testing.T) {
	p, err := Features(sampleStatus(), sampleSelection(3))
	if err != nil {
		t.Fatal(err)
	}
	noted, err := p.Note("the last <state>")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "note", noted)
	if !strings.HasSuffix(noted.HTML, "the last &lt;state&gt;</div>") || !strings.HasPrefix(noted.HTML, p.HTML) {
		t.Errorf("the HTML ends in %q", noted.HTML[len(p.HTML):])
	}
	before, after := decode(t, p.PNG), decode(t, noted.PNG)
	for y := range before.Bounds().Dy() {
		for x := range before.Bounds().Dx() {
			if before.At(x, y) != after.At(x, y) {
				t.Fatalf("pixel %d, %d was %v and is %v", x, y, before.At(x, y), after.At(x, y))
			}
		}
	}
}

// golden compares a picture with the one kept in testdata: text as it is, the PNG as it looks.
func golden(t *testing.T, name string, p Picture) {
	t.Helper()
	picture, text := filepath.Join("testdata", name+".png"), filepath.Join("testdata", name+".txt")
	said := []byte(p.Text + "\n" + p.Alt + "\n")
	if *update {
		for path, b := range map[string][]byte{picture: p.PNG, text: said} {
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	want, err := os.ReadFile(text)
	if err != nil {
		t.Fatalf("%v - run go test ./widgets/chart -update and look at the new pictures", err)
	}
	if !bytes.Equal(want, said) {
		t.Errorf("%s: the text is\n%s\nwant\n%s", name, said, want)
	}
	b, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if at := unlike(decode(t, b), decode(t, p.PNG)); !at.Empty() {
		t.Errorf("%s: the picture is another one at %v - run go test ./widgets/chart -update and look at it", name, at)
	}
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
