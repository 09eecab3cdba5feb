package chart

import (
	"fmt"
	"math"
)

// rgb is an opaque colour, 0xrrggbb.
type rgb uint32

// Okabe and Ito's colours that read on white and on black, told apart with any colour vision.
const (
	blue       rgb = 0x0072b2
	vermillion rgb = 0xd55e00
	green      rgb = 0x009e73
	purple     rgb = 0xcc79a7
)

// The greys of the PNG, on white.
const (
	paper rgb = 0xffffff
	ink   rgb = 0x222222 // titles
	soft  rgb = 0x555555 // labels, subtitles, rules of events
	line0 rgb = 0xbbbbbb // bars, thresholds
	faint rgb = 0xe8e8e8 // grids, tracks
)

// grey is the one of the Vega-Lite form: its contrast is above 4.2 on white and on JupyterLab's dark #111.
const grey rgb = 0x787878

// RGBA is the colour as package image/color has it.
func (c rgb) RGBA() (r, g, b, a uint32) {
	red, green, blue := c.parts()
	return red * 0x101, green * 0x101, blue * 0x101, 0xffff
}

// css writes a colour as "#rrggbb".
func (c rgb) css() string { return fmt.Sprintf("#%06x", uint32(c)) }

func (c rgb) parts() (r, g, b uint32) {
	return uint32(c >> 16), uint32(c >> 8 & 0xff), uint32(c & 0xff)
}

// blend goes from a at t = 0 to b at t = 1.
func blend(a, b rgb, t float64) rgb {
	mix := func(a, b uint32) rgb { return rgb(math.Round(float64(a)*(1-t) + float64(b)*t)) }
	ar, ag, ab := a.parts()
	br, bg, bb := b.parts()
	return mix(ar, br)<<16 | mix(ag, bg)<<8 | mix(ab, bb)
}

// heatFloor is the darkest value: at d = 7129 a uniform P has 0.00014.
const heatFloor = 1e-4

// heatColour is the colour of a probability: logarithmic from heatFloor to 1; values outside take the ends.
func heatColour(p float64) rgb {
	return viridisAt(1 - math.Log10(min(max(p, heatFloor), 1))/math.Log10(heatFloor))
}

// heatAt is the probability whose colour stands at 0…1 of the scale.
func heatAt(v float64) float64 { return math.Pow(heatFloor, 1-v) }

// viridis is by Smith, van der Walt and Firing (CC0), in equal steps; between them it is linear in RGB.
func viridis() []rgb {
	return []rgb{
		0x440154, 0x470e61, 0x481a6c, 0x482575, 0x472f7d, 0x443a83, 0x414487, 0x3d4e8a, 0x39568c, 0x35608d, 0x31688e, 0x2d708e, 0x2a788e, 0x27818e, 0x23888e, 0x21918d,
		0x1f988b, 0x1fa088, 0x22a884, 0x2ab07f, 0x35b779, 0x43bf71, 0x54c568, 0x66cc5d, 0x7ad151, 0x8fd744, 0xa5db36, 0xbcdf27, 0xd2e21b, 0xe9e51a, 0xfde725,
	}
}

// viridisAt maps 0…1 to viridis.
func viridisAt(v float64) rgb {
	stops := viridis()
	at := v * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	return blend(stops[i], stops[i+1], at-float64(i))
}
