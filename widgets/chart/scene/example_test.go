package scene_test

import (
	"fmt"

	"fsnetlab/widgets/chart/scene"
)

// A bar that says what it is to who points at it, under a heading.
func Example() {
	s := &scene.Scene{Width: 80, Height: 70}
	s.Heading("Mass")
	s.Rect(6, 40, 60, 12, scene.Blue, scene.About("feature", "Zyxin", "probability", 0.93)...)
	s.Line(6, 60, 66, 60, scene.Soft, 1, 3)
	s.Text(36, 68, "Zyxin & CST3", scene.Small(0.5, 0))
	fmt.Print(string(s.SVG("the mass of Zyxin")))
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 70" width="80" height="70" font-family="Liberation Sans, Arimo, Arial, Helvetica, Nimbus Sans, FreeSans, DejaVu Sans Condensed, sans-serif" role="img"><title>the mass of Zyxin</title>
	// <text transform="translate(6 18) rotate(0)" y="0" font-size="14" font-weight="bold" text-anchor="start" textLength="35.02" lengthAdjust="spacingAndGlyphs" fill="#222222">Mass</text>
	// <rect x="6" y="40" width="60" height="12" fill="#0072b2"><title>feature Zyxin · probability 0.93</title></rect>
	// <polyline fill="none" stroke="#555555" stroke-width="1" stroke-linejoin="round" stroke-dasharray="3" points="6,60 66,60 "></polyline>
	// <text transform="translate(36 68) rotate(0)" y="0" font-size="10" font-weight="normal" text-anchor="middle" textLength="61.68" lengthAdjust="spacingAndGlyphs" fill="#555555">Zyxin &amp; CST3</text>
	// </svg>
}
