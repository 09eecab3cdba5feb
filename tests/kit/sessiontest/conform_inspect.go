package sessiontest

import (
	"math"
	"slices"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func (s *suite) selection() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	for range 2 {
		list := must(s.on("leukemia").Selection(s.ctx))
		if len(list) != opened.Config.K {
			s.Fatalf("%d features, want K = %d", len(list), opened.Config.K)
		}
		indices, selectors := map[int]bool{}, map[int]bool{}
		for i, f := range list {
			indices[f.Index], selectors[f.Selector] = true, true
			if f.Rank != i+1 || f.Name == "" || f.Index < 0 || f.Index >= opened.D || f.Probability < 0 || f.Probability > 1 {
				s.Errorf("feature %d is %+v", i, f)
			}
			if f.Entropy < 0 || f.Changes < 0 || f.Leader.Name == "" || f.Leader.Probability < f.Second.Probability ||
				f.Leader.Probability < f.Probability || f.Leader.Index == f.Second.Index {
				s.Errorf("its selector is %+v", f)
			}
			if lost := f.Leader.Index != f.Index; lost != (f.LostTo != nil) {
				s.Errorf("it leads with %d, got %d and lost to %v", f.Leader.Index, f.Index, f.LostTo)
			}
			for _, other := range list {
				if f.LostTo != nil && other.Selector == *f.LostTo && other.Index != f.Leader.Index {
					s.Errorf("it lost %d to one who got %d", f.Leader.Index, other.Index)
				}
			}
			if i > 0 && f.Probability > list[i-1].Probability {
				s.Errorf("probability %g follows %g", f.Probability, list[i-1].Probability)
			}
		}
		if len(indices) != len(list) || len(selectors) != len(list) {
			s.Errorf("features or selectors are not distinct: %v", list)
		}
		must(s.on("leukemia").Step(s.ctx, 10))
	}
}

func (s *suite) matrix() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	must(s.on("leukemia").Step(s.ctx, 10))
	for of, shown := range map[string]string{"": "probability", "probability": "probability", "sample": "sample", "soft": "soft"} {
		whole := must(s.on("leukemia").Matrix(s.ctx, session.MatrixRequest{Of: of, Top: min(opened.D, 10000)}))
		for _, top := range []int{0, 1, 2, 5} {
			m := must(s.on("leukemia").Matrix(s.ctx, session.MatrixRequest{Of: of, Top: top}))
			columns := len(m.Index)
			switch {
			case m.Session != "leukemia" || m.Of != shown || m.Step != 10 || m.D != opened.D:
				s.Errorf("of %q: %+v", of, m)
			case len(m.Names) != columns || columns == 0 || (top > 0 && columns > top):
				s.Errorf("of %q, top %d: %d columns, %d names", of, top, columns, len(m.Names))
			case len(m.Values) != opened.Config.K || len(m.Selectors) != opened.Config.K || len(m.LeftOut) != opened.Config.K:
				s.Errorf("of %q: %d rows, want K = %d", of, len(m.Values), opened.Config.K)
			}
			for i, row := range m.Values {
				if all := whole.Values[i]; len(m.Leaders) != len(m.Values) || m.Leaders[i] != whole.Names[slices.Index(all, slices.Max(all))] {
					s.Errorf("of %q, top %d: the leaders are %v", of, top, m.Leaders)
				} else if len(m.LeaderValues) != len(m.Values) || m.LeaderValues[i] != slices.Max(all) {
					s.Errorf("of %q, top %d: the leaders' values are %v", of, top, m.LeaderValues)
				}
				sum := m.LeftOut[i]
				for _, x := range row {
					sum += x
				}
				if len(row) != columns || math.Abs(sum-1) > 1e-4 {
					s.Errorf("of %q, top %d: row %d has %d values and mass %g", of, top, i, len(row), sum)
				}
			}
		}
	}
}

func (s *suite) history() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	empty := must(s.on("leukemia").History(s.ctx, session.HistoryRequest{}))
	if len(empty.Events) != 1 || empty.Events[0].Kind != "open" {
		s.Errorf("a new session has the events %+v", empty.Events)
	}
	must(s.on("leukemia").Step(s.ctx, 2))
	for name, c := range must(s.on("leukemia").History(s.ctx, session.HistoryRequest{Metrics: []string{"loss", "tau"}})).Curves {
		if !slices.Equal(c.Steps, []int{1, 2}) {
			s.Errorf("after two steps %s has points at %v, want one for each", name, c.Steps)
		}
	}
	must(s.on("leukemia").Rewind(s.ctx, 0))
	must(s.on("leukemia").Run(s.ctx, session.Until{Epoch: 8}))
	s.fails(errorOf(s.on("leukemia").History(s.ctx, session.HistoryRequest{Points: session.MaxPoints + 1})), errs.Request, "points = 100001")
	must(s.on("leukemia").History(s.ctx, session.HistoryRequest{Points: session.MaxPoints}))
	h := must(s.on("leukemia").History(s.ctx, session.HistoryRequest{Metrics: []string{"loss", "tau"}, Smooth: new(7)}))
	if h.Session != "leukemia" || h.Step != 8*opened.StepsPerEpoch || h.PerEpoch != opened.StepsPerEpoch || len(h.Curves) != 2 {
		s.Errorf("history of %q at step %d with curves %v", h.Session, h.Step, h.Curves)
	}
	if h.Smooth == nil || *h.Smooth != 7 || empty.Smooth != nil {
		s.Errorf("asked for an average over 7 epochs, and for none, it is to be drawn over %v and %v", h.Smooth, empty.Smooth)
	}
	for name, c := range h.Curves {
		if len(c.Steps) != 8 || len(c.Values) != 8 || c.Steps[0] < 1 || c.Steps[7] != h.Step {
			s.Errorf("%s has %v, %v, want a point an epoch", name, c.Steps, c.Values)
		}
	}
	all := must(s.on("leukemia").History(s.ctx, session.HistoryRequest{From: 4*opened.StepsPerEpoch + 1}))
	if c := all.Curves["loss"]; len(c.Steps) != 4 || c.Steps[0] <= 4*opened.StepsPerEpoch {
		s.Errorf("from the middle the steps are %v", c.Steps)
	}
	if h.Selectors != nil {
		s.Errorf("the selectors come unasked: %+v", h.Selectors)
	}
	s.courses(opened)
	for name, c := range all.Curves {
		if !slices.Contains(session.Metrics(), name) || len(c.Steps) != len(c.Values) {
			s.Errorf("the curve %q is %+v", name, c)
		}
	}
}

func (s *suite) evaluate() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	must(s.on("leukemia").Step(s.ctx, 5))
	for i, c := range []struct {
		part        string
		rows, looks int
	}{{"train", opened.Train, 0}, {"test", opened.Test, 1}, {"train", opened.Train, 1}, {"test", opened.Test, 2}} {
		e := must(s.on("leukemia").Evaluate(s.ctx, c.part))
		counted := 0
		for _, row := range e.Confusion {
			for _, n := range row {
				counted += n
			}
		}
		if e.Session != "leukemia" || e.Part != c.part || e.Step != 5 || e.Rows != c.rows || counted != c.rows || e.TestLooks != c.looks ||
			e.Score.Value < 0 || e.Score.Value > 1 || len(e.Classes) != len(opened.Classes) || len(e.Confusion) != len(opened.Classes) {
			s.Errorf("evaluation %d is %+v, want %+v", i, e, c)
		}
		if now := must(s.on("leukemia").Status(s.ctx)); e.Unfinished == "" || e.Unfinished != now.Unfinished() {
			s.Errorf("evaluation %d of a training that is not over says %q, its status %q", i, e.Unfinished, now.Unfinished())
		}
	}
	status := must(s.on("leukemia").Status(s.ctx))
	if status.TestLooks != 2 {
		s.Errorf("the status counts %d looks, want 2", status.TestLooks)
	}
	s.fails(errorOf(s.on("leukemia").Evaluate(s.ctx, "validation")), errs.Request, "validation_fraction = 0", "validation_fraction=0.2")
	validated := s.subjects.Short
	validated.ValidationFraction = new(0.4)
	opened = s.mustOpen("validated", validated)
	must(s.on("validated").Step(s.ctx, 5))
	e := must(s.on("validated").Evaluate(s.ctx, "validation"))
	if e.Part != "validation" || e.Rows != opened.Validate || e.Rows == 0 || e.TestLooks != 0 ||
		must(s.on("validated").Status(s.ctx)).TestLooks != 0 {
		s.Errorf("of %d validation rows it is %+v", opened.Validate, e)
	}
}

// courses: the looks at P end now, and the last one gives the leaders and their probabilities.
func (s *suite) courses(opened session.Status) {
	got := must(s.on("leukemia").History(s.ctx, session.HistoryRequest{Metrics: []string{"max_probability"}, Selectors: true})).Selectors
	if got == nil || got.SettleSteps < 1 {
		s.Fatalf("the selectors are %+v", got)
	}
	last := 0
	for _, look := range got.Looks {
		if look.Step <= last || look.Step > 8*opened.StepsPerEpoch || len(look.Leaders) != opened.Config.K ||
			len(look.Probability) != opened.Config.K {
			s.Fatalf("after step %d comes the look %+v", last, look)
		}
		last = look.Step
	}
	if last != 8*opened.StepsPerEpoch { // no look at this step
		return
	}
	look := got.Looks[len(got.Looks)-1]
	for _, f := range must(s.on("leukemia").Selection(s.ctx)) {
		if at := look.Leaders[f.Selector]; at != f.Leader.Index || got.Names[at] != f.Leader.Name ||
			math.Abs(look.Probability[f.Selector]-f.Leader.Probability) > 1e-6 {
			s.Errorf("selector %d is led by %d, %s, with %g; the selection says %+v", f.Selector, at, got.Names[at], look.Probability[f.Selector],
				f.Leader)
		}
	}
	if from := must(s.on("leukemia").History(s.ctx,
		session.HistoryRequest{Metrics: []string{"loss"}, From: last, Selectors: true})).Selectors; len(from.Looks) != 1 ||
		from.Looks[0].Step != last {
		s.Errorf("from step %d the looks are %+v", last, from.Looks)
	}
}
