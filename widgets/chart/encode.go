package chart

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"fsnetlab/fsnet/fault"
)

// encode writes an image as a PNG of at most 256 colours: a quarter of the bytes that every saved notebook would carry, and of the time.
func encode(drawn image.Image) ([]byte, error) {
	img, ok := drawn.(*image.RGBA)
	if !ok {
		img = image.NewRGBA(drawn.Bounds())
		draw.Draw(img, img.Bounds(), drawn, drawn.Bounds().Min, draw.Src)
	}
	flat := image.NewPaletted(img.Bounds(), pngPalette())
	known := map[[4]uint8]uint8{}
	var last [4]uint8
	index := uint8(flat.Palette.Index(color.RGBA{}))
	for i := range flat.Pix { // both are packed without gaps between lines
		if c := [4]uint8(img.Pix[4*i : 4*i+4]); c != last {
			last = c
			var ok bool
			if index, ok = known[c]; !ok {
				index = uint8(flat.Palette.Index(color.RGBA{c[0], c[1], c[2], c[3]}))
				known[c] = index
			}
		}
		flat.Pix[i] = index
	}
	var b bytes.Buffer
	if err := png.Encode(&b, flat); err != nil {
		return nil, fault.Wrap(err, fault.Failed, "", "the picture cannot be written as PNG")
	}
	return b.Bytes(), nil
}

// pngPalette is viridis, greys, and the colours of lines on their way to white, which soft edges need.
func pngPalette() color.Palette {
	const heats, greys, tints = 128, 48, 20
	p := make(color.Palette, 0, 256)
	for i := range heats {
		p = append(p, viridisAt(float64(i)/(heats-1)))
	}
	for i := range greys {
		p = append(p, blend(0, paper, float64(i)/(greys-1)))
	}
	for _, c := range []rgb{blue, vermillion, green, purple} {
		for i := range tints {
			p = append(p, blend(c, paper, float64(i)/tints))
		}
	}
	return p
}

func unreadable(err error) error {
	return fault.Wrap(err, fault.Failed, "", "the picture cannot be read as PNG")
}
