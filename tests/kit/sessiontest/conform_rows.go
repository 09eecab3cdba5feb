package sessiontest

import (
	"slices"

	"fsnetlab/fsnet/session"
)

// rows: rows are training rows unless test rows are requested, and that request
// is counted. Their features are the selected ones, by rank.
func (s *suite) rows() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	must(s.on("leukemia").Step(s.ctx, 5))
	for i, c := range []struct {
		request session.RowsRequest
		looks   int
	}{
		{session.RowsRequest{}, 0},
		{session.RowsRequest{Random: true, Neighbours: true}, 0},
		{session.RowsRequest{Test: true}, 1},
		{session.RowsRequest{}, 1},
		{session.RowsRequest{Test: true}, 2},
	} {
		r := must(s.on("leukemia").Rows(s.ctx, c.request))
		selection := must(s.on("leukemia").Selection(s.ctx))
		if r.Session != "leukemia" || r.Step != 5 || !slices.Equal(r.Classes, opened.Classes) || r.TestLooks != c.looks ||
			(r.Test != nil) != c.request.Test || len(r.Features) != len(selection) {
			s.Fatalf("rows %d, after %d looks, want %d: %+v", i, r.TestLooks, c.looks, r)
		}
		if now := must(s.on("leukemia").Status(s.ctx)); r.Unfinished == "" || r.Unfinished != now.Unfinished() {
			s.Errorf("rows %d of a training that is not over say %q, its status %q", i, r.Unfinished, now.Unfinished())
		}
		taken := map[int]bool{}
		for k, f := range r.Features {
			taken[f.Index] = true
			if f.Index != selection[k].Index || f.Name != selection[k].Name || len(f.Train) != len(r.Train.Row) ||
				(len(f.Neighbours) > 0) != c.request.Neighbours {
				s.Errorf("rows %d: rank %d is %+v, selected is %+v", i, k+1, f, selection[k])
			}
		}
		for _, f := range r.Random {
			if taken[f.Index] || len(f.Train) != len(r.Train.Row) {
				s.Errorf("rows %d: %+v is no other feature", i, f)
			}
			taken[f.Index] = true
		}
		if (len(r.Random) > 0) != c.request.Random {
			s.Errorf("rows %d: %d random features", i, len(r.Random))
		}
		s.part(r.Train, opened.Train, len(opened.Classes))
		if r.Test == nil {
			continue
		}
		s.part(*r.Test, opened.Test, len(opened.Classes))
		for _, row := range r.Test.Row {
			if slices.Contains(r.Train.Row, row) {
				s.Errorf("rows %d: row %d is a training row, too", i, row)
			}
		}
	}
	if got := must(s.on("leukemia").Status(s.ctx)).TestLooks; got != 2 {
		s.Errorf("the status counts %d looks, want 2", got)
	}
}

// part checks that there are some rows of each class, but not more than the
// class has.
func (s *suite) part(p session.PartRows, rows, classes int) {
	s.Helper()
	sum, seen := 0, make([]int, classes)
	for _, c := range p.Class {
		seen[c]++
	}
	for c, n := range p.Of {
		if sum += n; seen[c] > n || n > 0 && seen[c] == 0 {
			s.Errorf("%d rows of class %d, which has %d", seen[c], c, n)
		}
	}
	if sum != rows || len(p.Of) != classes || len(p.Row) != len(p.Class) || !slices.IsSorted(p.Row) {
		s.Errorf("%d rows of %d: %+v", sum, rows, p)
	}
}
