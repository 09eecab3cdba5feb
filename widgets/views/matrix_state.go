package views

import (
	"encoding/binary"
	"math"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/places"
)

func statusState(s session.Status) map[string]any {
	return map[string]any{"step": s.Step, "steps": s.Steps, "per_epoch": s.StepsPerEpoch, "state": string(s.State)}
}

// holding leaves out the columns whose values are all below least; the largest column always stays. What they held is added to what is
// left out.
func holding(m session.Matrix, least float64) session.Matrix {
	if !(least > 0) {
		return m
	}
	largest := make([]float64, len(m.Names))
	for _, row := range m.Values {
		for j, p := range row[:min(len(row), len(largest))] {
			largest[j] = max(largest[j], p)
		}
	}
	best := places.Largest(largest)
	kept := m
	kept.Names, kept.Index, kept.Values = nil, nil, make([][]float64, len(m.Values))
	kept.LeftOut = append([]float64{}, m.LeftOut...)
	place := map[int]int{} // of the kept columns
	for j := range m.Names {
		if largest[j] >= least || j == best {
			place[j] = len(kept.Names)
			kept.Names, kept.Index = append(kept.Names, m.Names[j]), append(kept.Index, m.Index[j])
		}
		for i, row := range m.Values {
			switch {
			case j >= len(row):
			case largest[j] >= least || j == best:
				kept.Values[i] = append(kept.Values[i], row[j])
			case i < len(kept.LeftOut):
				kept.LeftOut[i] += row[j]
			}
		}
	}
	kept.Selected = nil
	for _, j := range m.Selected {
		to, ok := place[j]
		if !ok {
			to = -1
		}
		kept.Selected = append(kept.Selected, to)
	}
	return kept
}

// matrixState is a matrix as the page has it. Names and rows are entries of their own: they are sent only where they have changed.
func matrixState(m session.Matrix) (map[string]any, error) {
	rows, columns := len(m.Values), len(m.Names)
	if len(m.Selectors) != rows || len(m.Index) != columns || len(m.LeftOut) != rows {
		return nil, fault.New(fault.Failed, "open the session again",
			"the matrix of %s has %d rows, %d selectors and %d masses left out, %d names and %d columns",
			m.Session, rows, len(m.Selectors), len(m.LeftOut), columns, len(m.Index))
	}
	values := make([]byte, 0, 4*rows*(columns+1))
	for i, row := range m.Values {
		if len(row) != columns {
			return nil, fault.New(fault.Failed, "open the session again", "row %d of the matrix of %s has %d values of %d", i, m.Session, len(row),
				columns)
		}
		for _, p := range row {
			values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(p)))
		}
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(m.LeftOut[i])))
	}
	named := make([]any, columns)
	for j := range named {
		named[j] = []any{m.Index[j], m.Names[j]}
	}
	selectors := make([]any, rows)
	for i := range selectors {
		selectors[i] = m.Selectors[i]
	}
	leaders := make([]any, len(m.Leaders))
	for i, name := range m.Leaders {
		leaders[i] = name
	}
	return map[string]any{
		"leaders": leaders, "values": values, "columns": named, "rows": selectors,
		"when": map[string]any{"of": m.Of, "step": m.Step, "epoch": m.Epoch, "tau": m.Tau, "d": m.D},
	}, nil
}
