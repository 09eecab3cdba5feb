package sessiontest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// features: names are available before the first step and during a run, in the order of the file.
func (s *suite) features() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	ask := func(prefix string, most int) []string {
		s.Helper()
		return must(session.VerbFeatures.Call(s.ctx, s, session.FeaturesRequest{Session: "leukemia", Prefix: prefix, Most: most}))
	}
	all := ask("", session.MaxFeatures)
	if len(all) != min(opened.D, session.MaxFeatures) {
		s.Fatalf("%d names of %d features", len(all), opened.D)
	}
	for j, name := range all[:min(len(all), 20)] { // in the order of the file
		f := must(s.on("leukemia").Feature(s.ctx, fmt.Sprint(j)))
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

	ctx, cancel := context.WithCancel(s.ctx)
	s.mustOpen("long", s.subjects.Long)
	ended := s.background(ctx, "long")
	for range 5 {
		list := must(session.VerbFeatures.Call(s.ctx, s, session.FeaturesRequest{Session: "long", Prefix: last}))
		if !slices.Contains(list, last) {
			s.Errorf("during a run %q is not among %q", last, list)
		}
	}
	cancel()
	must(s.end(ended))

	s.fails(errorOf(session.VerbFeatures.Call(s.ctx, s, session.FeaturesRequest{Session: "leukemai"})), errs.NotFound, "leukemai")
	for _, most := range []int{-1, session.MaxFeatures + 1} {
		s.fails(errorOf(session.VerbFeatures.Call(s.ctx, s, session.FeaturesRequest{Session: "leukemia", Most: most})), errs.Request, fmt.Sprint(most))
	}
}
