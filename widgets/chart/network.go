package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// The geometry of the network, in points.
const (
	layerWide = 118.0
	layerHigh = 62.0
	layerGapX = 24.0
	layerGapY = 34.0
	layerTop  = 66.0
)

// Network draws the layers of a session's network as it was compiled, with the shapes of their weights and how many parameters each has:
// from the features to the classes above, from the code back to the features below.
func Network(s session.Status) (Picture, error) {
	if len(s.Layers) == 0 {
		none := "the layers of " + words.Plain(s.Session) + " are not known"
		return Picture{Text: none + "\n", Alt: none}, nil
	}
	return Drawn(networkScene(s), false, networkText(s), networkAlt(s))
}

func networkTitle(s session.Status) string {
	return fmt.Sprintf("Network of %s, protocol=%s", words.Plain(s.Session), s.Config.Protocol)
}

func networkAlt(s session.Status) string {
	return fmt.Sprintf("%s: %s, %d parameters trained, %d of them predict.", networkTitle(s), count.Of(len(s.Layers), "layer"),
		s.ParametersTrained, s.Parameters)
}

// shapeText is 64×32.
func shapeText(shape []int) string {
	list := make([]string, len(shape))
	for i, n := range shape {
		list[i] = strconv.Itoa(n)
	}
	return strings.Join(list, "×")
}

// networkText is a line a layer.
func networkText(s session.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", networkTitle(s))
	for _, l := range s.Layers {
		also := ""
		if l.Gives != nil {
			also = ", predicts " + shapeText(l.Gives) + " weights"
		}
		if l.Predicts {
			also += ", in the model"
		}
		fmt.Fprintf(&b, "  %s %s %s%s\n", words.Pad(l.Name, 18), words.Pad(shapeText(l.Shape), 10), count.Of(l.Parameters, "parameter"), also)
	}
	fmt.Fprintf(&b, "%d parameters trained, %d of them predict\n", s.ParametersTrained, s.Parameters)
	return b.String()
}

// networkScene has the way to the classes in a row, and the way back to the features below it, from the last layer of the encoder on.
func networkScene(s session.Status) *scene.Scene {
	g := &scene.Scene{}
	g.Heading(networkTitle(s), fmt.Sprintf("%d parameters trained; those of the blue layers, %d, predict", s.ParametersTrained, s.Parameters))
	place := func(column, row int) (x, y float64) {
		return scene.Margin + float64(column)*(layerWide+layerGapX), layerTop + float64(row)*(layerHigh+layerGapY)
	}
	box := func(column, row int, colour scene.RGB, lines ...string) {
		x, y := place(column, row)
		g.Rect(x, y, layerWide, 4, colour)
		g.Rect(x, y+4, layerWide, layerHigh-4, scene.Faint)
		for i, line := range lines {
			g.Text(x+8, y+19+15*float64(i), line, scene.Lettering{Size: scene.SmallText, Bold: i == 0, Colour: scene.Ink})
		}
		g.Widen(x + layerWide)
	}
	arrow := func(column, row int) { // into a box, from its left
		x, y := place(column, row)
		g.Line(x-layerGapX+2, y+layerHigh/2, x-2, y+layerHigh/2, scene.Soft, 1.2, 0)
	}
	features := s.D - s.Constant - s.Screened
	box(0, 0, scene.Soft, "features", strconv.Itoa(features))
	column, code, back := 1, 1, 0
	for _, l := range s.Layers {
		colour, lines := scene.Category(1), []string{l.Name, shapeText(l.Shape), count.Of(l.Parameters, "parameter")}
		if l.Predicts {
			colour = scene.Category(0)
		}
		if l.Gives != nil {
			lines[1] += " → " + shapeText(l.Gives)
		}
		stack, _, _ := strings.Cut(l.Name, "/")
		row, at := 0, column
		switch stack {
		case "decoder", "reconstruction":
			back++
			row, at = 1, code+back
		case "encoder":
			code = column
		}
		if row == 0 {
			column++
		}
		box(at, row, colour, lines...)
		if row == 1 && back == 1 { // down from the code
			x, y := place(code, 0)
			g.Line(x+layerWide/2, y+layerHigh+2, x+layerWide/2, y+1.5*layerHigh+layerGapY, scene.Soft, 1.2, 0)
			g.Line(x+layerWide/2, y+1.5*layerHigh+layerGapY, x+layerWide+layerGapX-2, y+1.5*layerHigh+layerGapY, scene.Soft, 1.2, 0)
			continue
		}
		arrow(at, row)
	}
	rows := 1
	if back > 0 {
		rows = 2
	}
	g.Height = layerTop + float64(rows)*(layerHigh+layerGapY)
	return g
}
