package spec

import (
	"fmt"
	"math"
	"strings"
)

// RGB is an opaque colour, 0xrrggbb.
type RGB uint32

// Okabe and Ito's colours. They are legible on white and black, and
// distinguishable with any colour vision.
const (
	Blue       RGB = 0x0072b2
	Vermillion RGB = 0xd55e00
	Green      RGB = 0x009e73
	Purple     RGB = 0xcc79a7
	Orange     RGB = 0xe69f00
	Sky        RGB = 0x56b4e9
)

// categories returns Okabe and Ito's colours and four more. frontend/common.js
// has the same colours.
func categories() []RGB {
	return []RGB{Blue, Vermillion, Green, Purple, Orange, Sky, 0x8c564b, 0x999933, 0x882255, 0x8f7ad6}
}

// Category returns the colour of class i. Starting with the eleventh class,
// colours repeat.
func Category(i int) RGB { return categories()[i%Categories()] }

// Categories returns the number of colours.
func Categories() int { return len(categories()) }

// Shade returns one of Shades colours: the categories, followed by darker ones
// and then by lighter ones.
func Shade(i int) RGB {
	c := Category(i)
	switch i / Categories() % 3 {
	case 1:
		return blend(c, Black, 0.4)
	case 2:
		return blend(c, Paper, 0.45)
	}
	return c
}

// Shades returns the number of shades.
func Shades() int { return 3 * Categories() }

// Greys for white paper.
const (
	Paper RGB = 0xffffff
	Black RGB = 0x000000 // for marks on colours, on any paper
	Ink   RGB = 0x222222 // for titles
	Soft  RGB = 0x555555 // for labels, subtitles, rules of events
	Pale  RGB = 0xbbbbbb // for bars, thresholds
	Faint RGB = 0xe8e8e8 // for grids, tracks
)

// Grey is legible on any paper. Its contrast exceeds 4.2 on white and on
// JupyterLab's dark #111.
const Grey RGB = 0x787878

// themed formats a colour for any paper. Greys become one grey, and pale ones
// are translucent.
func (c RGB) themed() string {
	switch c {
	case Ink, Soft:
		return Grey.CSS()
	case Pale:
		return Grey.CSS() + "99"
	case Faint:
		return Grey.CSS() + "33"
	}
	return c.CSS()
}

// RGBA implements color.Color.
func (c RGB) RGBA() (r, g, b, a uint32) {
	r, g, b = c.Parts()
	return r * 0x101, g * 0x101, b * 0x101, 0xffff
}

// CSS formats a colour as "#rrggbb".
func (c RGB) CSS() string { return fmt.Sprintf("#%06x", uint32(c)) }

// Parts returns red, green and blue, each from 0 to 255.
func (c RGB) Parts() (r, g, b uint32) {
	return uint32(c >> 16), uint32(c >> 8 & 0xff), uint32(c & 0xff)
}

// blend interpolates from a at t = 0 to b at t = 1.
func blend(a, b RGB, t float64) RGB {
	mix := func(a, b uint32) RGB { return RGB(math.Round(float64(a)*(1-t) + float64(b)*t)) }
	ar, ag, ab := a.Parts()
	br, bg, bb := b.Parts()
	return mix(ar, br)<<16 | mix(ag, bg)<<8 | mix(ab, bb)
}

// darkRules returns a style sheet for dark paper. Greys are reversed, and lines
// become lighter, as in the live views. The cells of a heat map keep their
// colours, because you read them from a scale.
func darkRules() string {
	dark := map[RGB]RGB{Ink: 0xeeeeee, Soft: 0xb4b4b4, Pale: 0x707070, Faint: 0x303030, Grey: 0x9a9a9a}
	var b strings.Builder

	for _, c := range append(categories(), Ink, Soft, Pale, Faint, Grey) {
		to, grey := dark[c]
		if !grey {
			to = blend(c, Paper, 0.3)
		}
		fmt.Fprintf(&b, "svg [fill=%q]:not(.cell){fill:%[2]s}svg [stroke=%[1]q]{stroke:%[2]s}\n", c.CSS(), to.CSS())
	}
	return b.String()
}

// Colours is a scale of colours for values.
type Colours struct {
	Low, High float64
	Log       bool
	Stops     []RGB
}

// heatFloor is the lowest value that Probabilities shows. At d = 7129, a
// uniform P has 0.00014.
const heatFloor = 1e-4

// Probabilities returns viridis (by Smith, van der Walt and Firing, CC0),
// logarithmic from 1e-4 to 1.
func Probabilities() Colours {
	return Colours{Low: heatFloor, High: 1, Log: true, Stops: []RGB{
		0x440154, 0x470e61, 0x481a6c, 0x482575, 0x472f7d, 0x443a83, 0x414487, 0x3d4e8a, 0x39568c, 0x35608d, 0x31688e, 0x2d708e, 0x2a788e,
		0x27818e, 0x23888e, 0x21918d,
		0x1f988b, 0x1fa088, 0x22a884, 0x2ab07f, 0x35b779, 0x43bf71, 0x54c568, 0x66cc5d, 0x7ad151, 0x8fd744, 0xa5db36, 0xbcdf27, 0xd2e21b,
		0xe9e51a, 0xfde725,
	}}
}

// Deviations returns a scale from blue over white to vermillion, with three
// standard deviations on either side.
func Deviations() Colours { return Colours{Low: -3, High: 3, Stops: []RGB{Blue, 0xf4f4f4, Vermillion}} }

// share returns the position of a value on the scale, from 0 to 1.
func (c Colours) share(v float64) float64 {
	v = min(max(v, c.Low), c.High)
	if c.Log {
		return math.Log(v/c.Low) / math.Log(c.High/c.Low)
	}
	return (v - c.Low) / (c.High - c.Low)
}

// value returns the value at a position on the scale.
func (c Colours) value(share float64) float64 {
	if c.Log {
		return c.Low * math.Pow(c.High/c.Low, share)
	}
	return c.Low + share*(c.High-c.Low)
}

// At returns the colour of a value. Values outside the scale have the colours
// of its ends.
func (c Colours) At(v float64) RGB {
	at := c.share(v) * float64(len(c.Stops)-1)
	i := min(int(at), len(c.Stops)-2)
	return blend(c.Stops[i], c.Stops[i+1], at-float64(i))
}
