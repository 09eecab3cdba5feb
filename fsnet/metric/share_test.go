package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson's interval of 34 of 36 is that of statsmodels' proportion_confint(34,
// 36, method="wilson"), and an interval is never a point.
func TestWilsonInterval_MatchesStatsmodels(t *testing.T) {
	if low, high := WilsonInterval(34./36, 36); math.Abs(low-0.81864) > 1e-4 || math.Abs(high-0.98463) > 1e-4 {
		t.Errorf("%g to %g", low, high)
	}
	if low, high := WilsonInterval(1, 20); low > 0.85 || high != 1 {
		t.Errorf("all right: %g to %g", low, high)
	}
	if low, high := WilsonInterval(0, 0); low != 0 || high != 1 {
		t.Errorf("no row: %g to %g", low, high)
	}
}

// The interval over units covers the true share in 90 to 99.8 % of cohorts,
// however much the rows of a unit have in common, and Wilson's over rows does
// not. -v prints the table of docs/trust.md.
func TestUnitInterval_Coverage(t *testing.T) {
	const cohorts = 500
	for _, units := range []int{6, 12, 24, 60} {
		for _, size := range []int{2, 25} {
			for _, p := range []float64{0.75, 0.9} {
				for _, alike := range []float64{0.1, 0.6} { // correlation of two rows of a unit
					share := distuv.Beta{Alpha: p * (1 - alike) / alike, Beta: (1 - p) * (1 - alike) / alike, Src: rand.NewPCG(1, uint64(units*size))}
					random := rand.New(rand.NewPCG(2, uint64(units*size)))
					covered, coveredByRows := 0, 0
					for range cohorts {
						right, unit := make([]bool, units*size), make([]int, units*size)
						hits, own := 0.0, 0.0
						for i := range right {
							if unit[i] = i / size; i%size == 0 {
								own = share.Rand()
							}
							if right[i] = random.Float64() < own; right[i] {
								hits++
							}
						}
						if low, high := UnitInterval(right, unit); low <= p && p <= high {
							covered++
						}
						if low, high := WilsonInterval(hits/float64(units*size), float64(units*size)); low <= p && p <= high {
							coveredByRows++
						}
					}
					t.Logf("%d units of %d rows, %.2f right, correlation %.1f: %.3f, of rows %.3f", units, size, p, alike,
						float64(covered)/cohorts, float64(coveredByRows)/cohorts)
					if covered < 450 || covered > 499 {
						t.Errorf("%d units of %d rows, %g right, correlation %g: covered in %d of %d", units, size, p, alike, covered, cohorts)
					}
				}
			}
		}
	}
}

// The smallest cases have an interval with room: one unit says nothing, and
// rows that are all right count as units. The names of units and the order of
// rows do not matter; twice the rows of the same units say no more.
func TestUnitInterval_SmallestAndTurned(t *testing.T) {
	if low, high := UnitInterval([]bool{true, true}, []int{3, 3}); low != 0 || high != 1 {
		t.Errorf("one unit: %g to %g", low, high)
	}
	all := func(n int) []bool {
		right := make([]bool, n)
		for i := range right {
			right[i] = true
		}
		return right
	}
	if low, high := UnitInterval(all(100), unitsOf(4, 25)); high != 1 || low > 0.4 {
		t.Errorf("4 units, all right: %g to %g", low, high)
	}
	right, unit := []bool{true, false, true, true, true, false}, []int{0, 0, 1, 1, 2, 2}
	low, high := UnitInterval(right, unit)
	turnedLow, turnedHigh := UnitInterval([]bool{false, true, true, true, false, true}, []int{7, 7, 9, 9, 8, 8})
	if math.Abs(low-turnedLow) > 1e-12 || math.Abs(high-turnedHigh) > 1e-12 {
		t.Errorf("%g to %g, turned and renamed %g to %g", low, high, turnedLow, turnedHigh)
	}
	twiceLow, twiceHigh := UnitInterval(append(right, right...), append(unit, unit...))
	if twiceHigh-twiceLow < 0.75*(high-low) {
		t.Errorf("%g to %g, each row twice %g to %g", low, high, twiceLow, twiceHigh)
	}
}

func unitsOf(units, size int) []int {
	list := make([]int, units*size)
	for i := range list {
		list[i] = i / size
	}
	return list
}

// Values that are all equal have no interval of one point: none, or Wilson's if
// they are shares.
func TestSpreadOf_AllEqual(t *testing.T) {
	s := SpreadOf([]float64{1, 1, 1, 1, 1}, 0.5)
	if _, _, ok := s.Interval(); ok {
		t.Errorf("%+v", s)
	}
	s.Share(40)
	if low, high, ok := s.Interval(); !ok || high != 1 || math.Abs(low-0.9124) > 1e-3 {
		t.Errorf("%g to %g, %v", low, high, ok)
	}
	differing := SpreadOf([]float64{0.9, 1}, 0.5)
	before := *differing.Low
	if differing.Share(40); *differing.Low != before {
		t.Error("a spread with an interval got another one")
	}
}
