package spec_test

import (
	"fmt"
	"strings"

	"fsnetlab/widgets/chart/spec"
)

// Two features with the masses of their selectors, in all forms.
func Example() {
	bars := spec.Layer{Mark: spec.Bar, Colour: spec.Blue, Tips: []string{"feature", "mass"}, Data: []spec.Datum{
		{X2: 0.93, Tips: []any{"Zyxin", 0.93}}, {X2: 0.41, Y: 1, Y2: 1, Tips: []any{"CST3", 0.41}},
	}}
	s := spec.Spec{Title: "Mass", Alt: "The mass of two features.", Rows: [][]spec.Panel{{{
		Width: 200, X: spec.Axis{Title: "mass", Low: 0, High: 1}, Y: spec.Axis{Bands: []string{"Zyxin", "CST3"}}, Layers: []spec.Layer{bars},
	}}}}
	png, err := s.PNG()
	fmt.Println(len(png) > 0, err)
	vega, err := s.VegaLite()
	fmt.Println(strings.Contains(string(vega), `{"t0":"Zyxin","t1":0.93,"x":0,"x2":0.93,"y":"Zyxin"}`), err)
	fmt.Println(strings.Contains(string(s.SVG()), "<title>feature Zyxin · mass 0.93</title>"))
	// Output:
	// true <nil>
	// true <nil>
	// true
}
