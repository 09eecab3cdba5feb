package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Print writes a line a row for people, and below them what the labels say.
func (r *predicted) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %s, %s as %s has them, trained on %s\n\n",
		r.Data, count.Of(len(r.Predictions), "row"), count.Of(len(r.Features), "feature"), r.Model, r.Trained)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	labelled := r.Known > 0 || len(r.Unknown) > 0
	fmt.Fprint(w, "sample\tpredicted")
	if labelled {
		fmt.Fprint(w, "\tlabel")
	}
	for _, class := range r.Classes {
		fmt.Fprintf(w, "\tP(%s)", class)
	}
	fmt.Fprintln(w)
	for _, p := range r.Predictions {
		fmt.Fprintf(w, "%s\t%s", p.name(), p.says(4))
		if labelled {
			fmt.Fprintf(w, "\t%s", p.Label)
		}
		for _, x := range p.Probabilities {
			fmt.Fprintf(w, "\t%.3f", x)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, r.says())
	return err
}

// WriteCSV writes row, sample, predicted, label, and a column P(class) for each class, with all digits.
func (r *predicted) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	header := []string{"row", "sample", "predicted", "label"}
	for _, class := range r.Classes {
		header = append(header, "P("+class+")")
	}
	lines := [][]string{header}
	for _, p := range r.Predictions {
		line := []string{strconv.Itoa(p.Row), p.Sample, p.says(-1), p.Label}
		for _, x := range p.Probabilities {
			line = append(line, strconv.FormatFloat(x, 'g', -1, 64))
		}
		lines = append(lines, line)
	}
	return fault.NotWritten(w.WriteAll(lines))
}

// says is the class, or the quantity with so many significant digits, −1 for all.
func (p prediction) says(digits int) string {
	if p.Quantity == nil {
		return p.Class
	}
	return strconv.FormatFloat(*p.Quantity, 'g', digits, 64)
}
