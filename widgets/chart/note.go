package chart

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"strings"
)

// noteHeight is that of the strip below a picture that a note takes, in points.
const noteHeight = 22.0

// Note gives the picture with a line below it, in every form that a reader may see. A specification has no room for it: it is left out.
//
// Errors: kind Failed where the PNG cannot be read or written.
func (p Picture) Note(line string) (Picture, error) {
	line = plain(line)
	noted := Picture{Text: strings.TrimRight(p.Text, "\n") + "\n" + line + "\n", Alt: strings.TrimSpace(p.Alt + " " + line)}
	if p.HTML != "" {
		noted.HTML = p.HTML + `<div style="opacity:0.7">` + escape(line) + "</div>"
	}
	if len(p.PNG) == 0 {
		return noted, nil
	}
	above, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		return Picture{}, unreadable(err)
	}
	size := above.Bounds().Size()
	width := max(float64(size.X)/pixelsPerPoint, 2*margin+textWidth(line, subtitleText, false))
	strip := paint(width, noteHeight, func(s surface) {
		s.text(margin, noteHeight-8, line, lettering{size: subtitleText, colour: soft})
	})
	whole := image.NewRGBA(image.Rect(0, 0, strip.Bounds().Dx(), size.Y+strip.Bounds().Dy()))
	draw.Draw(whole, whole.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	draw.Draw(whole, above.Bounds(), above, above.Bounds().Min, draw.Src)
	draw.Draw(whole, strip.Bounds().Add(image.Pt(0, size.Y)), strip, strip.Bounds().Min, draw.Src)
	noted.PNG, err = encode(whole)
	return noted, err
}
