package replica

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"fsnetlab/fsnet/fault"
)

// Row is what became of a replica of a plan, as a line of a file.
type Row struct {
	Cell
	Result *Result      `json:"result,omitempty"` // nil where it failed
	Notes  *Notes       `json:"notes,omitempty"`  // of the result
	Error  *fault.Error `json:"error,omitempty"`  // why there is no result
}

// Row is a replica that came to its end, as the listing names it; false where it is none of its replicas or was interrupted.
func (l *Listing) Row(r Replica) (Row, bool) {
	at := int(r.Seed - l.Cells[0].Seed)
	if at < 0 || at >= len(l.Cells) || r.Result == nil && (r.Err == nil || fault.Is(r.Err, fault.Interrupted)) {
		return Row{}, false
	}
	row := Row{Cell: l.Cells[at], Result: r.Result}
	if r.Result != nil {
		row.Notes = &r.Result.Notes
	} else {
		row.Error = fault.Of(r.Err)
	}
	return row, true
}

// replica is the row as a runner returns it.
func (r Row) replica() Replica {
	one := Replica{Seed: r.Seed}
	if r.Result == nil {
		one.Err = r.Error
		return one
	}
	result := *r.Result
	if r.Notes != nil {
		result.Notes = *r.Notes
	}
	one.Result = &result
	return one
}

// Line is the row as a line of a file.
func (r Row) Line() ([]byte, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "", "seed %d: its result is not JSON", r.Seed)
	}
	return append(line, '\n'), nil
}

// ReadRows reads the lines of a file. half is what stands behind the last whole line: of a row whose writer was stopped.
func ReadRows(text []byte) (rows []Row, half []byte, err error) {
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return rows, line, nil
		}
		text = rest
		var row Row
		if err := json.Unmarshal(line, &row); err != nil || row.ID == "" || (row.Result == nil) == (row.Error == nil) {
			return nil, nil, fault.New(fault.Request, "name a file that fsnet replicas run wrote, or take the line out",
				"line %d is not a row of fsnet replicas: %.60q", number, line)
		}
		rows = append(rows, row)
	}
}

// Check refuses rows of other replicas than those that are listed, and two rows of one. The error, of kind Request, says what differs.
func (l *Listing) Check(rows []Row) error {
	seen := map[string]bool{}
	for _, row := range rows {
		at := int(row.Seed - l.Cells[0].Seed)
		switch {
		case row.ID != row.Identity.ID():
			return fault.New(fault.Request, "take the row out", "the row of seed %d does not match its id %.20q: one of them was changed",
				row.Seed, row.ID)
		case at < 0 || at >= len(l.Cells):
			return fault.New(fault.Request, "name another file, or the plan of these rows", "a row of seed %d, but the plan has the seeds %d to %d",
				row.Seed, l.Cells[0].Seed, l.Cells[len(l.Cells)-1].Seed)
		case row.Cell != l.Cells[at]:
			return fault.New(fault.Request, "name another file, or the plan of these rows", "rows %s; the first: seed %d",
				row.differs(l.Cells[at].Identity), row.Seed)
		case row.Result != nil && (row.Result.Seed != row.Seed || row.Result.K != row.K || len(row.Result.Selected) != row.K):
			return fault.New(fault.Request, "take the row out", "the row of seed %d has a result of another replica", row.Seed)
		case seen[row.ID]:
			return fault.New(fault.Request, "take one of them out", "two rows of seed %d", row.Seed)
		}
		seen[row.ID] = true
	}
	return nil
}

// File is rows with the name of the file that they come from.
type File struct {
	Name string
	Rows []Row
}

// Merge puts rows of a plan together that were made apart, by seed: the same whatever the order of the files. A replica that is there more
// than once counts once, with the shortest of its seconds; one that failed only where no other has a result. Rows that Check refuses, and
// rows of one replica with different results, are an error of kind Request that names their files.
func (l *Listing) Merge(files []File) ([]Replica, error) {
	type found struct {
		row  Row
		file string
	}
	all := map[string]found{}
	for _, f := range files {
		if err := l.Check(f.Rows); err != nil {
			return nil, fault.At(err, "%s", f.Name)
		}
		for _, row := range f.Rows {
			other, again := all[row.ID]
			if again && row.Result != nil && other.row.Result != nil && !bytes.Equal(row.figures(), other.row.figures()) {
				return nil, fault.New(fault.Request,
					"one of them was changed, or a faulty program made it: take it out, or have it trained again",
					"%s and %s disagree on seed %d", other.file, f.Name, row.Seed)
			}
			if !again || row.compare(other.row) < 0 {
				all[row.ID] = found{row, f.Name}
			}
		}
	}
	var list []Replica
	for _, c := range l.Cells {
		if f, ok := all[c.ID]; ok {
			list = append(list, f.row.replica())
		}
	}
	return list, nil
}

// Timeless is a result without what its machine has to do with: the seconds, and the device's name.
func (r Result) Timeless() Result {
	r.Seconds, r.StepsPerSecond, r.Device = 0, 0, ""
	return r
}

// figures are the result as text, without what differs between machines.
func (r Row) figures() []byte {
	text, err := json.Marshal(r.Result.Timeless())
	if err != nil {
		panic(err) // it was read from JSON
	}
	return text
}

// compare is an order of the rows of one replica: those with a result first, then by seconds, then by what they say.
func (r Row) compare(other Row) int {
	rank := func(row Row) (failed int, seconds float64) {
		if row.Result == nil {
			return 1, 0
		}
		return 0, row.Result.Seconds
	}
	failed, seconds := rank(r)
	otherFailed, otherSeconds := rank(other)
	mine, _ := json.Marshal(r)       //nolint:errcheck // it was read from JSON
	others, _ := json.Marshal(other) //nolint:errcheck // it was read from JSON
	return cmp.Or(cmp.Compare(failed, otherFailed), cmp.Compare(seconds, otherSeconds), bytes.Compare(mine, others))
}

// Missing are the seeds of a plan that have no replica.
func (l *Listing) Missing(replicas []Replica) []int64 {
	var list []int64
	for _, c := range l.Cells {
		if !slices.ContainsFunc(replicas, func(r Replica) bool { return r.Seed == c.Seed }) {
			list = append(list, c.Seed)
		}
	}
	return list
}
