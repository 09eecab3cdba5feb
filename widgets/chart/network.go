package chart

import (
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Sizes of the network, in points.
const (
	layerWide = 100.0
	layerHigh = 62.0
	layerGapX = 14.0
	layerGapY = 34.0
)

// Network draws the layers of a session's network as compiled, with the shapes
// of their weights and their numbers of parameters. The upper row leads from
// the features to the classes, and the lower one from the code back to the
// features.
func Network(s session.Status) (Picture, error) {
	if len(s.Layers) == 0 {
		text := "the layers of " + words.Plain(s.Session) + " are not known"
		return Picture{Text: text + "\n", Alt: text}, nil
	}
	return draw(networkSpec(s), false, 0, fixed(networkText(s))), nil
}

func networkTitle(s session.Status) string {
	return fmt.Sprintf("Network of %s, protocol=%s", words.Plain(s.Session), s.Config.Protocol)
}

// shapeText joins the lengths of a shape, as in 64×32.
func shapeText(shape []int) string {
	list := make([]string, len(shape))
	for i, n := range shape {
		list[i] = strconv.Itoa(n)
	}
	return strings.Join(list, "×")
}

// networkText lists the layers, one per line, with shape and number of
// parameters, followed by their sums.
func networkText(s session.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", networkTitle(s))

	for _, l := range s.Layers {
		more := ""
		if l.Gives != nil {
			more = ", predicts " + shapeText(l.Gives) + " weights"
		}
		if l.Predicts {
			more += ", in the model"
		}
		fmt.Fprintf(&b, "  %s %s %s%s\n", words.Pad(l.Name, 18), words.Pad(shapeText(l.Shape), 10), phrase.Count(l.Parameters, "parameter"), more)
	}

	fmt.Fprintf(&b, "%d parameters trained, %d of them predict\n", s.ParametersTrained, s.Parameters)
	return b.String()
}

// networkSpec places the layers up to the classes in a row, and the decoder in
// a second row that starts below the encoder's last layer.
func networkSpec(s session.Status) spec.Spec {
	heads := spec.Layer{Mark: spec.Bar, Tips: []string{"layer", "weights", "parameters"}}
	boxes := spec.Layer{Mark: spec.Bar, Colour: spec.Faint}
	names, lines := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Bold: true}, spec.Layer{Mark: spec.Text, Colour: spec.Ink}
	ways := spec.Layer{Mark: spec.Rule, Colour: spec.Soft, Size: 1.2}
	const predicts, trained, input = "predicts", "only while training", "features"

	place := func(column, row int) (x, y float64) {
		return float64(column) * (layerWide + layerGapX), float64(row) * (layerHigh + layerGapY)
	}

	way := func(x0, y0, x1, y1 float64) {
		ways.Data = append(ways.Data, spec.Datum{X: x0, Y: -y0, X2: x1, Y2: -y1})
	}

	wide, high := 0.0, layerHigh
	box := func(column, row int, series string, label ...string) {
		x, y := place(column, row)
		wide, high = max(wide, x+layerWide), max(high, y+layerHigh)

		tips := make([]any, len(label))
		for i, line := range label {
			tips[i] = line
			text := spec.Datum{X: x + 6, Y: -(y + 15 + 15*float64(i)), Text: line}
			if i == 0 {
				names.Data = append(names.Data, text)
			} else {
				lines.Data = append(lines.Data, text)
			}
		}

		heads.Data = append(heads.Data, spec.Datum{X: x, X2: x + layerWide, Y: -y, Y2: -y - 4, Series: series, Tips: tips})
		boxes.Data = append(boxes.Data, spec.Datum{X: x, X2: x + layerWide, Y: -y - 4, Y2: -y - layerHigh})
	}

	box(0, 0, input, "features", strconv.Itoa(s.D-s.Constant-s.Screened))
	column, code, back := 1, 1, 0
	for _, l := range s.Layers {
		series, label := trained, []string{l.Name, shapeText(l.Shape), phrase.Count(l.Parameters, "parameter")}
		if l.Predicts {
			series = predicts
		}

		if l.Gives != nil {
			label[1] += " → " + shapeText(l.Gives)
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

		box(at, row, series, label...)
		x, y := place(at, row)
		if row == 1 && back == 1 { // down from the code
			from, top := place(code, 0)
			way(from+layerWide/2, top+layerHigh, from+layerWide/2, y+layerHigh/2)
			way(from+layerWide/2, y+layerHigh/2, x, y+layerHigh/2)
			continue
		}

		way(x-layerGapX, y+layerHigh/2, x, y+layerHigh/2)
	}

	p := spec.Panel{Width: wide, Height: high, X: spec.Axis{Low: 0, High: wide, Hidden: true}, Y: spec.Axis{Low: -high, High: 0, Hidden: true},
		Series:   []spec.Series{{Name: input, Colour: spec.Soft}, {Name: predicts, Colour: spec.Blue}, {Name: trained, Colour: spec.Vermillion}},
		NoLegend: true, Layers: []spec.Layer{ways, boxes, heads, names, lines}}

	alt := fmt.Sprintf("%s: %s, %d parameters trained, %d of them predict.", networkTitle(s), phrase.Count(len(s.Layers), "layer"),
		s.ParametersTrained, s.Parameters)
	return spec.Spec{Title: networkTitle(s), Alt: alt, Rows: [][]spec.Panel{{p}},
		Subtitle: []string{fmt.Sprintf("%d parameters trained; those of the blue layers, %d, predict", s.ParametersTrained, s.Parameters)}}
}
