package sessiontest

import (
	"math"
	"reflect"
	"slices"
	"strconv"

	"fsnetlab/fsnet/session"
)

// feature: the description of a feature agrees with the selection and the matrix, by name and by
// column.
func (s *suite) feature() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	for _, steps := range []int{0, 12, 17} {
		if steps > 0 {
			must(s.on("leukemia").Step(s.ctx, steps))
		}
		list := must(s.on("leukemia").Selection(s.ctx))
		for _, chosen := range list {
			f := must(s.on("leukemia").Feature(s.ctx, chosen.Name))
			byColumn := must(s.on("leukemia").Feature(s.ctx, strconv.Itoa(chosen.Index)))
			if !reflect.DeepEqual(f, byColumn) {
				s.Errorf("by its name it is\n%+v\nby its column\n%+v", f, byColumn)
			}
			if f.Session != "leukemia" || f.Index != chosen.Index || f.Name != chosen.Name || !f.Kept || len(f.Probability) != opened.Config.K ||
				len(f.Embedding) == 0 || len(f.Embedding) != len(f.EmbeddingLabels) {
				s.Fatalf("%+v", f)
			}
			if got := f.Probability[chosen.Selector]; math.Abs(got-chosen.Probability) > 1e-6 {
				s.Errorf("selector %d gives it %g, and %g by the selection", chosen.Selector, got, chosen.Probability)
			}
			s.distributed(opened, f)
			last := len(f.Course.Steps) - 1
			if last < 0 || len(f.Course.Probability) != last+1 || len(f.Course.Selectors) != last+1 || !slices.IsSorted(f.Course.Steps) ||
				f.Course.Steps[last] != f.Step || f.Course.Probability[last] != slices.Max(f.Probability) {
				s.Errorf("its course is %+v", f.Course)
			}
		}
	}
}

// distributed: the histogram counts every training row once, and no other.
func (s *suite) distributed(opened session.Status, f session.Feature) {
	s.Helper()
	counted := 0
	for _, counts := range f.Bins.Counts {
		if len(counts) != len(f.Bins.Edges)-1 {
			s.Errorf("%d counts between %d edges", len(counts), len(f.Bins.Edges))
		}
		for _, n := range counts {
			counted += n
		}
	}
	byClass := 0
	for i, d := range f.Classes {
		byClass += d.N + d.Missing
		if d.Class != opened.Classes[i] {
			s.Errorf("class %d is %q, want %q", i, d.Class, opened.Classes[i])
		}
	}
	if counted != opened.Train || byClass != opened.Train || f.All.N+f.All.Missing != opened.Train || !slices.IsSorted(f.Bins.Edges) {
		s.Errorf("of %d training rows %d are in bins, %d in classes: %+v", opened.Train, counted, byClass, f)
	}
}
