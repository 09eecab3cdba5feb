package sessiontest

import (
	"math/rand/v2"
	"slices"

	"fsnetlab/fsnet/session"
)

// oneChoice: in any order of buttons, everything that names the choice at a
// step names the same features, and a step that is reached again has the same
// ones.
func (s *suite) oneChoice() { s.chooses(s.needs(s.subjects.Settling)) }

// oneChoiceContested: like oneChoice, for a training whose contest exchanges
// features. It fails if none was exchanged.
func (s *suite) oneChoiceContested() {
	if contest := s.chooses(s.needs(s.subjects.Contested)); contest == nil || len(contest.Exchanges) == 0 {
		s.Errorf("the contest is %+v", contest)
	}
}

// chooses applies verbs to a session of c in random order, checks after each
// that the choice at a step never changes, and returns the contest of the run.
func (s *suite) chooses(c session.Config) (contest *session.Contest) {
	s.Helper()
	random := rand.New(rand.NewPCG(55, 1))
	s.mustOpen("leukemia", c)
	ended := must(s.on("leukemia").Run(s.ctx, session.Until{}))
	choices := map[int][]string{0: nil, ended.Step: s.agreed("leukemia")} // by step of the path without changes
	for range 24 {
		now := must(s.on("leukemia").Status(s.ctx))
		switch random.IntN(6) {
		case 0:
			must(s.on("leukemia").Run(s.ctx, session.Until{}))
		case 1:
			must(s.on("leukemia").Step(s.ctx, 1+random.IntN(5)))
		case 2: // around the end
			must(s.on("leukemia").Rewind(s.ctx, min(now.Step, max(0, ended.Step+random.IntN(3)-1))))
		case 3:
			must(s.on("leukemia").Rewind(s.ctx, random.IntN(now.Step+1)))
		case 4: // does not change a step that was made, and is undone by a rewind
			must(s.on("leukemia").Set(s.ctx, session.Config{Dropout: new(0.1 + 0.1*float64(random.IntN(3)))}))
			must(s.on("leukemia").Rewind(s.ctx, max(0, now.Step-1)))
		case 5: // goes on as the fork
			must(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "branch", Step: &now.Step, Replace: true}))
			if here, there := s.agreed("leukemia"), s.agreed("branch"); !slices.Equal(here, there) {
				s.Errorf("forked at step %d %v become %v", now.Step, here, there)
			}
		}
		now = must(s.on("leukemia").Status(s.ctx))
		names := s.agreed("leukemia")
		if before := choices[now.Step]; before == nil {
			choices[now.Step] = names
		} else if !slices.Equal(names, before) {
			s.Errorf("at step %d %v are chosen, which were %v", now.Step, names, before)
		}
		if (now.Contest != nil && now.Contest.Step != ended.Step) || now.Contest != nil != (ended.Contest != nil && now.Step >= ended.Step) {
			s.Errorf("at step %d the contest is %+v", now.Step, now.Contest)
		}
	}
	return ended.Contest
}

// agreed checks that everything that names the choice of a session names the
// same one. It returns the choice by selector.
func (s *suite) agreed(name string) []string {
	s.Helper()
	selection := must(s.on(name).Selection(s.ctx))
	list := make([]string, len(selection))
	for _, f := range selection {
		list[f.Selector] = f.Name
	}
	status := must(s.on(name).Status(s.ctx))
	m := must(s.on(name).Matrix(s.ctx, session.MatrixRequest{Top: status.D}))
	if got := uniqueArgmax(m); !slices.Equal(got, list) {
		s.Errorf("at step %d the unique argmax of P is %v, the selection %v", status.Step, got, list)
	}
	for i, f := range must(s.on(name).Rows(s.ctx, session.RowsRequest{})).Features {
		if f.Name != selection[i].Name {
			s.Errorf("at step %d rows has %s for %s", status.Step, f.Name, selection[i].Name)
		}
	}
	got := must(s.on(name).History(s.ctx, session.HistoryRequest{Metrics: []string{"loss"}, Selectors: true})).Selectors
	if last := len(got.Looks) - 1; last >= 0 && got.Looks[last].Step == status.Step {
		for _, f := range selection { // a leader that another selector got is not the choice
			if leader := got.Names[got.Looks[last].Leaders[f.Selector]]; leader != f.Name && f.LostTo == nil {
				s.Errorf("the look at step %d saw %s, the selection has %s", status.Step, leader, f.Name)
			}
		}
	}
	return list
}

// uniqueArgmax returns the unique argmax of a matrix, by selector.
func uniqueArgmax(m session.Matrix) []string {
	list := make([]string, len(m.Values))
	taken := map[int]bool{}
	for range m.Values {
		row, column := -1, -1
		for i, values := range m.Values {
			for c, p := range values {
				if list[m.Selectors[i]] == "" && !taken[c] && (row < 0 || p > m.Values[row][column]) {
					row, column = i, c
				}
			}
		}
		if row >= 0 {
			list[m.Selectors[row]], taken[column] = m.Names[column], true
		}
	}
	return list
}
