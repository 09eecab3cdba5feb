package chart

import (
	"fmt"
	"image/color"
	"math"
)

// Okabe and Ito's colours that read on white and on black, told apart with any colour vision.
var (
	blue       = rgb(0x0072b2)
	vermillion = rgb(0xd55e00)
	green      = rgb(0x009e73)
	purple     = rgb(0xcc79a7)
)

// The greys of the PNG, on white.
var (
	paper = rgb(0xffffff)
	ink   = rgb(0x222222) // titles
	soft  = rgb(0x555555) // labels, subtitles, rules of events
	line0 = rgb(0xbbbbbb) // axes
	faint = rgb(0xe8e8e8) // grids
)

// grey is the one of the Vega-Lite form: its contrast is above 4.2 on white and on JupyterLab's dark #111.
var grey = rgb(0x787878)

// viridis by Smith, van der Walt and Firing (CC0), in equal steps; between them it is linear in RGB.
var viridis = [...]color.RGBA{
	rgb(0x440154), rgb(0x470e61), rgb(0x481a6c), rgb(0x482575), rgb(0x472f7d), rgb(0x443a83), rgb(0x414487), rgb(0x3d4e8a),
	rgb(0x39568c), rgb(0x35608d), rgb(0x31688e), rgb(0x2d708e), rgb(0x2a788e), rgb(0x27818e), rgb(0x23888e), rgb(0x21918d),
	rgb(0x1f988b), rgb(0x1fa088), rgb(0x22a884), rgb(0x2ab07f), rgb(0x35b779), rgb(0x43bf71), rgb(0x54c568), rgb(0x66cc5d),
	rgb(0x7ad151), rgb(0x8fd744), rgb(0xa5db36), rgb(0xbcdf27), rgb(0xd2e21b), rgb(0xe9e51a), rgb(0xfde725),
}

// heatFloor is the darkest value: at d = 7129 a uniform P has 0.00014.
const heatFloor = 1e-4

// heatColour is the colour of a probability: logarithmic from heatFloor to 1; values outside take the ends.
func heatColour(p float64) color.RGBA {
	return viridisAt(1 - math.Log10(min(max(p, heatFloor), 1))/math.Log10(heatFloor))
}

// heatAt is the probability whose colour stands at 0…1 of the scale.
func heatAt(v float64) float64 { return math.Pow(heatFloor, 1-v) }

// viridisAt maps 0…1 to viridis.
func viridisAt(v float64) color.RGBA {
	at := v * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	return blend(viridis[i], viridis[i+1], at-float64(i))
}

// blend goes from a at t = 0 to b at t = 1.
func blend(a, b color.RGBA, t float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-t) + float64(b)*t)) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// css writes a colour as "#rrggbb".
func css(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
