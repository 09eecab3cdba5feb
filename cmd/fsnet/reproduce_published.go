package main

import (
	_ "embed" // the figures
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
)

// publishedText is every figure of the paper's tables, as its text has them; the lines "text" are from the running text.
//
//go:embed published.csv
var publishedText string

// paperFigure is one that the paper prints.
type paperFigure struct {
	Table, Row, Column string
	K                  int      // 0 where the paper names none: all features, or a fact of the data
	Value              *float64 // nil: N/A, where the paper's authors could not run the method
	SD                 *float64 // table 3 alone has it
}

// published are the paper's figures.
func published() []paperFigure {
	lines, err := csv.NewReader(strings.NewReader(publishedText)).ReadAll()
	if err != nil {
		panic(err) // our own file
	}
	number := func(text string) *float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		return &v
	}
	var list []paperFigure
	for _, l := range lines[1:] {
		f := paperFigure{Table: l[0], Row: l[1], Column: l[2], Value: number(l[4]), SD: number(l[5])}
		if k := number(l[3]); k != nil {
			f.K = int(*k)
		}
		list = append(list, f)
	}
	return list
}

// findPublished is the figure of a cell; nil where the paper has none.
func findPublished(list []paperFigure, table, row, column string, k int) *paperFigure {
	at := slices.IndexFunc(list, func(f paperFigure) bool { return f.Table == table && f.Row == row && f.Column == column && f.K == k })
	if at < 0 {
		return nil
	}
	return &list[at]
}

// publishedRows are the rows of a table, in the paper's order.
func publishedRows(list []paperFigure, table string) (rows []string) {
	for _, f := range list {
		if f.Table == table && !slices.Contains(rows, f.Row) {
			rows = append(rows, f.Row)
		}
	}
	return rows
}

// paperShape is the number of classes, rows and features that the paper says a data set has.
func paperShape(list []paperFigure, row string) (classes, n, d int) {
	of := func(column string) int {
		for _, table := range []string{"datasets", "text"} {
			if f := findPublished(list, table, row, column, 0); f != nil {
				return int(*f.Value)
			}
		}
		return 0
	}
	return of("Classes"), of("Sample Size"), of("Dimensions")
}
