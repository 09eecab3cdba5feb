package compare

import (
	"bytes"
	"cmp"
	"fmt"

	"fsnetlab/fsnet/fault"
)

// File is rows with the name of the file that they come from.
type File struct {
	Name string
	Rows []Row
}

// Merge puts rows of a plan together that were made apart, in the order of Cells: the same rows whatever the order of the files, and
// however they were merged before. A row that is there more than once counts once, with the shortest of its seconds; one that failed only
// where no other has figures. Rows that [Plan.Check] refuses, and rows of one identity with different figures, are an error of kind Request
// that names their files.
func (p *Plan) Merge(kind string, files []File) ([]Row, error) {
	type found struct {
		row  Row
		file string
	}
	all := map[key]found{}
	for _, f := range files {
		if err := p.Check(kind, f.Rows); err != nil {
			return nil, fault.At(err, "%s", f.Name)
		}
		for _, row := range f.Rows {
			other, again := all[row.key()]
			if again && row.Error == "" && other.row.Error == "" {
				if what := row.disagrees(other.row); what != "" {
					return nil, fault.New(fault.Request,
						"one of them was changed, or a faulty program made it: take it out, or have it made again",
						"%s and %s disagree on %s: %s", other.file, f.Name, row.place(), what)
				}
			}
			if !again || row.before(other.row) {
				all[row.key()] = found{row, f.Name}
			}
		}
	}
	var rows []Row
	for _, c := range p.Cells() {
		if f, ok := all[c.key()]; ok {
			rows = append(rows, f.row)
		}
	}
	return rows, nil
}

// disagrees names a figure that two rows of one identity do not share; "" where they share all but the seconds.
func (r Row) disagrees(other Row) string {
	r.Seconds = other.Seconds
	mine, theirs := r.fields(), other.fields()
	for i, name := range header() {
		if mine[i] != theirs[i] {
			return fmt.Sprintf("%s is %.60q in one and %.60q in the other", name, theirs[i], mine[i])
		}
	}
	return ""
}

// before is an order of the rows of one identity: those with figures first, then by seconds, then by what they say.
func (r Row) before(other Row) bool {
	failed := func(row Row) int { return min(len(row.Error), 1) }
	return cmp.Or(cmp.Compare(failed(r), failed(other)), cmp.Compare(r.Seconds, other.Seconds), bytes.Compare(r.Line(), other.Line())) < 0
}
