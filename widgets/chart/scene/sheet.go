package scene

import "math"

// Sheet is the cells of a heat map of standardised values as one mark: a line a feature, a column a row of the data.
type Sheet struct {
	X, Y         float64 // the upper left corner
	StepX, StepY float64 // from one cell to the next
	GapX, GapY   float64 // between them
	Features     []string
	Rows         []int // of the file, by column; nil of a scale, which says nothing of its cells
	Class        string
	Values       [][]float64 // features × rows, in standard deviations; NaN is left blank
}

// SheetReach is the largest deviation that has a colour of its own.
const SheetReach = 3.0

// sheetMiddle is the colour of the mean.
const sheetMiddle RGB = 0xf4f4f4

// deviation is the colour of a value: from blue over nearly white to vermillion.
func deviation(v float64) RGB {
	at := min(max(v/SheetReach, -1), 1)
	if at < 0 {
		return Blend(sheetMiddle, Blue, -at)
	}
	return Blend(sheetMiddle, Vermillion, at)
}

// Cell is one as a rectangle.
func (g Sheet) Cell(i, j int) Rect {
	x, y := g.X+g.StepX*float64(j), g.Y+g.StepY*float64(i)
	return Rect{X: x, Y: y, W: g.StepX - g.GapX, H: g.StepY - g.GapY, Colour: deviation(g.Values[i][j])}
}

// Each hands over the cells that are not blank, line by line.
func (g Sheet) Each(take func(i, j int, cell Rect)) {
	for i := range g.Values {
		for j, v := range g.Values[i] {
			if !math.IsNaN(v) {
				take(i, j, g.Cell(i, j))
			}
		}
	}
}

// facts are what is said of a cell.
func (g Sheet) facts(i, j int) []Fact {
	if g.Rows == nil {
		return nil
	}
	return About("feature", g.Features[i], "class", g.Class, "row", g.Rows[j], "standard deviations", Rounded(g.Values[i][j]))
}

// vega is a layer of a record a feature, with arrays of its cells.
func (g Sheet) vega() object {
	records := make([]object, len(g.Values))
	for i := range records {
		x, x2, rows, values := []float64{}, []float64{}, []int{}, []float64{}
		for j, v := range g.Values[i] {
			if math.IsNaN(v) {
				continue
			}
			c := g.Cell(i, j)
			x, x2, values = append(x, coordinate(c.X)), append(x2, coordinate(c.X+c.W)), append(values, Rounded(v))
			if g.Rows != nil {
				rows = append(rows, g.Rows[j])
			}
		}
		c := g.Cell(i, 0)
		records[i] = object{"x": x, "x2": x2, "y": coordinate(c.Y), "y2": coordinate(c.Y + c.H), "value": values}
		if g.Rows != nil {
			records[i]["feature"], records[i]["class"], records[i]["row"] = g.Features[i], g.Class, rows
		}
	}
	encoding := object{
		"x2": object{"field": "x2"}, "y2": object{"field": "y2"},
		"color": object{"field": "value", "type": "quantitative", "legend": nil, "scale": object{
			"type": "linear", "domain": []float64{-SheetReach, 0, SheetReach},
			"range": []string{Blue.CSS(), sheetMiddle.CSS(), Vermillion.CSS()}, "interpolate": "rgb", "clamp": true,
		}},
	}
	lists := []string{"x", "x2", "value"}
	if g.Rows != nil {
		lists = append(lists, "row")
		encoding["tooltip"] = []object{
			{"field": "feature", "title": "feature"}, {"field": "class", "title": "class"}, {"field": "row", "title": "row"},
			{"field": "value", "title": "standard deviations"},
		}
	}
	return object{"mark": object{"type": "rect"}, "encoding": encoding, "data": object{"values": records},
		"transform": []object{{"flatten": lists}}}
}
