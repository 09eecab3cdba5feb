//go:build ignore

// Command make_logo draws the logo: many features on the left, of which three selectors take one each. Run it in this folder:
//
//	go run make_logo.go
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
)

type point struct{ x, y float64 }

type mark struct {
	from, to point   // a line, or a dot where they are the same
	radius   float64 // half the width
	fill     color.NRGBA
}

// marks is the drawing on a canvas of 64 × 64.
func marks() []mark {
	pale := color.NRGBA{R: 0x9f, G: 0xc9, B: 0xd3, A: 0xff}
	faint := color.NRGBA{R: 0x3b, G: 0x6f, B: 0x7d, A: 0xff}
	ends := []struct {
		y     float64
		takes int
		fill  color.NRGBA
	}{
		{15, 1, color.NRGBA{R: 0xfd, G: 0xe7, B: 0x25, A: 0xff}},
		{32, 4, color.NRGBA{R: 0x5e, G: 0xc9, B: 0x62, A: 0xff}},
		{49, 6, color.NRGBA{R: 0x21, G: 0xc0, B: 0xb0, A: 0xff}},
	}
	var list []mark
	feature := func(i int) point { return point{13, 9 + 46*float64(i)/7} }
	for i := range 8 {
		for _, e := range ends {
			list = append(list, mark{feature(i), point{50, e.y}, 0.35, faint})
		}
	}
	for _, e := range ends {
		list = append(list, mark{feature(e.takes), point{50, e.y}, 1.5, e.fill})
	}
	for i := range 8 {
		list = append(list, mark{feature(i), feature(i), 2.2, pale})
	}
	for _, e := range ends {
		list = append(list, mark{feature(e.takes), feature(e.takes), 3, e.fill}, mark{point{50, e.y}, point{50, e.y}, 6, e.fill})
	}
	return list
}

var ground = color.NRGBA{R: 0x0d, G: 0x3b, B: 0x4a, A: 0xff}

func (m mark) distance(p point) float64 {
	dx, dy := m.to.x-m.from.x, m.to.y-m.from.y
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = min(max(((p.x-m.from.x)*dx+(p.y-m.from.y)*dy)/length, 0), 1)
	}
	return math.Hypot(p.x-m.from.x-t*dx, p.y-m.from.y-t*dy) - m.radius
}

// inside is the signed distance to the rounded square.
func inside(p point) float64 {
	const half, corner = 32, 12
	qx, qy := math.Abs(p.x-32)-half+corner, math.Abs(p.y-32)-half+corner
	return math.Hypot(max(qx, 0), max(qy, 0)) + min(max(qx, qy), 0) - corner
}

func draw(size int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	scale := 64 / float64(size)
	cover := func(distance float64) float64 { return min(max(0.5-distance/scale, 0), 1) }
	for y := range size {
		for x := range size {
			p := point{(float64(x) + 0.5) * scale, (float64(y) + 0.5) * scale}
			r, g, b := float64(ground.R), float64(ground.G), float64(ground.B)
			for _, m := range marks() {
				a := cover(m.distance(p))
				r, g, b = r+a*(float64(m.fill.R)-r), g+a*(float64(m.fill.G)-g), b+a*(float64(m.fill.B)-b)
			}
			img.SetNRGBA(x, y, color.NRGBA{R: uint8(r + 0.5), G: uint8(g + 0.5), B: uint8(b + 0.5), A: uint8(255*cover(inside(p)) + 0.5)})
		}
	}
	return img
}

func svg() string {
	var b strings.Builder
	hex := func(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="FsNet">`+
		`<rect width="64" height="64" rx="12" fill="%s"/>`, hex(ground))
	for _, m := range marks() {
		if m.from == m.to {
			fmt.Fprintf(&b, `<circle cx="%.4g" cy="%.4g" r="%.4g" fill="%s"/>`, m.from.x, m.from.y, m.radius, hex(m.fill))
			continue
		}
		fmt.Fprintf(&b, `<path d="M%.4g %.4gL%.4g %.4g" stroke="%s" stroke-width="%.4g" stroke-linecap="round"/>`, m.from.x, m.from.y, m.to.x,
			m.to.y, hex(m.fill), 2*m.radius)
	}
	return b.String() + "</svg>\n"
}

func main() {
	must := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	must(os.WriteFile("files/logo-svg.svg", []byte(svg()), 0o644))
	for _, size := range []int{32, 64} {
		f, err := os.Create(fmt.Sprintf("files/logo-%dx%d.png", size, size))
		must(err)
		must(png.Encode(f, draw(size)))
		must(f.Close())
	}
	if len(os.Args) > 1 { // a large one, to look at
		f, err := os.Create(os.Args[1])
		must(err)
		must(png.Encode(f, draw(512)))
		must(f.Close())
	}
}
