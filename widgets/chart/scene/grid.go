package scene

// Grid is the cells of a heat map as one mark: so the bytes of a cell in a specification are those of its value.
type Grid struct {
	X, Y         float64 // the upper left corner
	StepX, StepY float64 // from one cell to the next
	GapX, GapY   float64 // between them
	Features     []string
	Columns      []int       // of the file, by feature
	Selectors    []int       // the rows
	Values       [][]float64 // probabilities: selectors × features
	Quantity     string      // what a value is
}

// Cell is one as a rectangle.
func (g Grid) Cell(i, j int) Rect {
	return Rect{X: g.X + g.StepX*float64(j), Y: g.Y + g.StepY*float64(i), W: g.StepX - g.GapX, H: g.StepY - g.GapY,
		Colour: heatColour(g.Values[i][j])}
}

// each hands over the cells, row by row.
func (g Grid) each(take func(i, j int, cell Rect)) {
	for i := range g.Selectors {
		for j := range g.Features {
			take(i, j, g.Cell(i, j))
		}
	}
}

// vega is a layer of a record a column, with arrays of its cells.
func (g Grid) vega() object {
	const stops = 30
	domain, colours := make([]float64, stops+1), make([]string, stops+1)
	for i := range domain {
		at := float64(i) / stops
		domain[i], colours[i] = Rounded(heatAt(at)), Viridis(at).CSS()
	}
	var top, bottom []float64
	for i := range g.Selectors {
		c := g.Cell(i, 0)
		top, bottom = append(top, c.Y), append(bottom, c.Y+c.H)
	}
	records := make([]object, len(g.Features))
	for j, name := range g.Features {
		values := make([]float64, len(g.Selectors))
		for i := range values {
			values[i] = Rounded(g.Values[i][j])
		}
		first := g.Cell(0, j)
		records[j] = object{"feature": name, "column": g.Columns[j], "x": first.X, "x2": first.X + first.W, "y": top, "y2": bottom,
			"selector": g.Selectors, "value": values}
	}
	encoding := object{
		"x2": object{"field": "x2"}, "y2": object{"field": "y2"},
		"color": object{"field": "value", "type": "quantitative", "legend": nil,
			"scale": object{"type": "log", "domain": domain, "range": colours, "interpolate": "rgb", "clamp": true}},
		"tooltip": []object{{"field": "feature", "title": "feature"}, {"field": "column", "title": "column"},
			{"field": "selector", "title": "selector"}, {"field": "value", "title": g.Quantity}},
	}
	return object{"mark": object{"type": "rect"}, "encoding": encoding, "data": object{"values": records},
		"transform": []object{{"flatten": []string{"y", "y2", "selector", "value"}}}}
}
