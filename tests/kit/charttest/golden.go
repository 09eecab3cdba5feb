package charttest

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden pictures in testdata") //nolint:gochecknoglobals // a flag of the tests

// Golden compares a picture with the one kept in testdata: text as it is, the PNG as it looks.
func Golden(t *testing.T, name string, picturePNG []byte, words string) {
	t.Helper()
	picture, text := filepath.Join("testdata", name+".png"), filepath.Join("testdata", name+".txt")
	said := []byte(words)
	if *update {
		for path, b := range map[string][]byte{picture: picturePNG, text: said} {
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	want, err := os.ReadFile(text)
	if err != nil {
		t.Fatalf("%v - run go test ./widgets/chart ./widgets/chart/trials -update and look at the new pictures", err)
	}
	if !bytes.Equal(want, said) {
		t.Errorf("%s: the text is\n%s\nwant\n%s", name, said, want)
	}
	b, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if at := Unlike(Decode(t, b), Decode(t, picturePNG)); !at.Empty() {
		t.Errorf("%s: the picture is another one at %v - run go test ./widgets/chart ./widgets/chart/trials -update and look at it", name, at)
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

// slack is by how much a colour may differ from its place in the other picture, of 255.
const slack = 16

// Unlike is the rectangle of what two pictures do not share; empty where they look the same. Where an edge lies in its pixel, and so how
// it is smoothed, may differ from one machine to the next: each pixel must have, up to the slack, a colour between those of the nine around
// the same place in the other picture. A line, a letter or a mark that is missing has nothing there that is like it, however small it is.
func Unlike(first, second image.Image) image.Rectangle {
	if first.Bounds() != second.Bounds() {
		return first.Bounds().Union(second.Bounds())
	}
	var found image.Rectangle
	a, b := pixels(first), pixels(second)
	for i := 0; i < len(a.Pix); i += 4 {
		if p, q := [4]byte(a.Pix[i:]), [4]byte(b.Pix[i:]); p != q {
			x, y := i%a.Stride/4, i/a.Stride
			if !between(p, b, x, y) || !between(q, a, x, y) {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return found
}

// pixels is a picture from 0, 0, four bytes a pixel.
func pixels(img image.Image) *image.RGBA {
	p := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(p, p.Bounds(), img, img.Bounds().Min, draw.Src)
	return p
}

// between is whether a colour lies between those around a place.
func between(colour [4]byte, img *image.RGBA, x, y int) bool {
	low, high := [4]byte{255, 255, 255, 255}, [4]byte{}
	around := image.Rect(x-1, y-1, x+2, y+2).Intersect(img.Bounds())
	for v := around.Min.Y; v < around.Max.Y; v++ {
		for u := around.Min.X; u < around.Max.X; u++ {
			for i, c := range img.Pix[img.PixOffset(u, v):][:4] {
				low[i], high[i] = min(low[i], c), max(high[i], c)
			}
		}
	}
	for i, c := range colour {
		if int(c) < int(low[i])-slack || int(c) > int(high[i])+slack {
			return false
		}
	}
	return true
}
