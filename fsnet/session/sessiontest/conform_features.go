package sessiontest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// features: names are there before the first step, and those that weigh most in P come first once there is one that means something.
func (s *suite) features() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	ask := func(prefix string, most int) []string {
		s.Helper()
		list := must(s.Features(s.ctx, "leukemia", session.FeaturesRequest{Prefix: prefix, Most: most}))
		return list
	}
	all := ask("", session.MaxFeatures)
	if len(all) != min(opened.D, session.MaxFeatures) {
		s.Fatalf("%d names of %d features", len(all), opened.D)
	}
	for j, name := range all[:min(len(all), 20)] { // in the order of the file
		f := must(s.Feature(s.ctx, "leukemia", fmt.Sprint(j)))
		if f.Name != name {
			s.Errorf("column %d is %q, its name %q", j, name, f.Name)
		}
	}
	last := all[len(all)-1]
	for n := range len(last) + 1 {
		for _, name := range ask(last[:n], 7) {
			if !strings.HasPrefix(name, last[:n]) {
				s.Errorf("%q does not begin with %q", name, last[:n])
			}
		}
	}
	if list := ask(last, 0); !slices.Contains(list, last) {
		s.Errorf("%q is not among %q", last, list)
	}
	if list := ask(last+"?", 0); len(list) > 0 {
		s.Errorf("what no name begins with finds %q", list)
	}
	if list := ask("", 0); len(list) != min(opened.D, 100) {
		s.Errorf("without a number there are %d", len(list))
	}

	must(s.Step(s.ctx, "leukemia", 15))
	m := must(s.Matrix(s.ctx, "leukemia", session.MatrixRequest{Top: session.MaxFeatures}))
	weight := map[string]float64{}
	for c, name := range m.Names {
		for _, row := range m.Values {
			weight[name] = max(weight[name], row[c])
		}
	}
	const leading = 5
	for list := ask("", leading); !falling(list, weight); list = ask("", leading) { // the order may be that of a moment ago
		if s.ctx.Err() != nil {
			s.Fatalf("the heaviest are %q, by P %v", list, weight)
		}
	}

	ctx, cancel := context.WithCancel(s.ctx)
	s.mustOpen("long", s.subjects.Long)
	ended := s.background(ctx, "long")
	for range 5 {
		list := must(s.Features(s.ctx, "long", session.FeaturesRequest{Prefix: last}))
		if !slices.Contains(list, last) {
			s.Errorf("during a run %q is not among %q", last, list)
		}
	}
	cancel()
	must(s.end(ended))

	s.fails(errorOf(s.Features(s.ctx, "leukemai", session.FeaturesRequest{})), fault.NotFound, "leukemai")
	for _, most := range []int{-1, session.MaxFeatures + 1} {
		s.fails(errorOf(s.Features(s.ctx, "leukemia", session.FeaturesRequest{Most: most})), fault.Request, fmt.Sprint(most))
	}
}

// falling: these are the heaviest of those whose weights are known, the heaviest first.
func falling(list []string, weight map[string]float64) bool {
	weights := slices.SortedFunc(maps.Values(weight), func(a, b float64) int { return cmp.Compare(b, a) })
	for i, name := range list[:min(len(list), len(weights))] {
		if weight[name] < weights[i]-1e-6 {
			return false
		}
	}
	return len(list) > 0
}
