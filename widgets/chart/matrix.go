package chart

import (
	"fmt"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Matrix draws a selection matrix as a heat map: a row a selector, a column a feature, in the order given, coloured from 0 to 1 on one
// scale at every step, so that two pictures can be compared. Beside each row stand the mass in the columns not shown and its leader.
//
// Errors: kind Failed for a matrix without rows or columns, of uneven shape, or with a value that is not a number.
func Matrix(m session.Matrix) (Picture, error) {
	if err := checkMatrix(m); err != nil {
		return Picture{}, err
	}
	d := heatOf(m)
	spec, err := d.vegaLite()
	if err != nil {
		return Picture{}, err
	}
	image, err := d.png()
	if err != nil {
		return Picture{}, err
	}
	return Picture{VegaLite: spec, PNG: image, Text: d.text(), terminal: d.terminal, Alt: d.alt()}, nil
}

func checkMatrix(m session.Matrix) error {
	const remedy = "step the session first; where that does not help, open it again"
	rows, columns := len(m.Values), len(m.Names)
	if rows == 0 || columns == 0 {
		return fault.New(fault.Failed, remedy, "the selection matrix of %s is empty: %s, %s", m.Session, counted(rows, "row"), counted(columns, "column"))
	}
	if len(m.Selectors) != rows || len(m.Index) != columns || (m.LeftOut != nil && len(m.LeftOut) != rows) {
		return fault.New(fault.Failed, remedy, "the selection matrix of %s has %s, %d selectors and %d masses left out, %s and %d indices",
			m.Session, counted(rows, "row"), len(m.Selectors), len(m.LeftOut), counted(columns, "column"), len(m.Index))
	}
	for i, row := range m.Values {
		if len(row) != columns {
			return fault.New(fault.Failed, remedy, "row %d of the selection matrix of %s has %s of %d", i, m.Session, counted(len(row), "value"), columns)
		}
		for j, v := range row {
			if !finite(v) {
				return notFinite(m, fmt.Sprintf("feature %s", m.Names[j]), i, v)
			}
		}
		if m.LeftOut != nil && !finite(m.LeftOut[i]) {
			return notFinite(m, "the mass left out", i, m.LeftOut[i])
		}
	}
	return nil
}

func notFinite(m session.Matrix, what string, row int, v float64) error {
	return fault.New(fault.Failed, "open it again with a lower learning_rate or selector_learning_rate",
		"the selection matrix of %s at step %d is %s for selector %d, %s", m.Session, m.Step, number(v), m.Selectors[row], what)
}
