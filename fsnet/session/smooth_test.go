package session_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// The browser averages in the same way: tests/browser/test_modules.py reads
// this table, too. Its figures are those of the definition, a sum over all
// earlier points, and were made by neither.
func TestSmooth_MatchesTable(t *testing.T) {
	text, err := os.ReadFile("testdata/smooth.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Epochs [][2]float64
		Curves []struct {
			What string
			session.Curve
			Over float64
			Anew []int
			Want []float64
		}
	}
	if err := json.Unmarshal(text, &table); err != nil || len(table.Curves) < 7 || len(table.Epochs) < 10 {
		t.Fatalf("%d curves, %v", len(table.Curves), err)
	}
	for _, row := range table.Curves {
		if got := row.Smooth(row.Over, row.Anew...); !slices.EqualFunc(got, row.Want, near) {
			t.Errorf("%s: %v, want %v", row.What, got, row.Want)
		}
	}
	for _, row := range table.Epochs {
		if got := session.SmoothEpochs(row[0]); float64(got) != row[1] {
			t.Errorf("of %g epochs, over %d, want %g", row[0], got, row[1])
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// plain is the definition, loop by loop.
func plain(c session.Curve, over float64) []float64 {
	var list []float64
	for i := range c.Steps {
		sum, weight := 0.0, 0.0
		for j := 0; j <= i; j++ {
			since := float64(c.Steps[1] - c.Steps[0])
			if j > 0 {
				since = float64(c.Steps[j] - c.Steps[j-1])
			}
			w := (1 - math.Exp(-since/over)) * math.Exp(-float64(c.Steps[i]-c.Steps[j])/over)
			if !math.IsNaN(c.Values[j]) {
				sum, weight = sum+w*c.Values[j], weight+w
			}
		}
		if math.IsNaN(c.Values[i]) {
			sum = math.NaN()
		}
		list = append(list, sum/weight)
	}
	return list
}

// The average is that of the definition, computed over all points.
func TestSmooth_Definition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var c session.Curve
		step := 0
		for range 200 {
			step += 1 + random.IntN(30)
			c.Steps, c.Values = append(c.Steps, step), append(c.Values, math.Exp(random.NormFloat64()))
		}
		c.Values[random.IntN(200)] = math.NaN()
		over := math.Exp(6 * random.Float64())
		if got, want := c.Smooth(over), plain(c, over); !slices.EqualFunc(got, want, func(a, b float64) bool { return near(a, b) || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Fatalf("over %g steps: %v, want %v", over, got, want)
		}
	}
}

// noisy are so many epochs of a loss that goes down by half, whose noise is
// skewed as that of losses is.
func noisy(epochs int) session.Curve {
	random := rand.New(rand.NewPCG(5, 6))
	var c session.Curve
	for e := 1; e <= epochs; e++ {
		c.Steps = append(c.Steps, 5*e)
		c.Values = append(c.Values, (1-0.5*float64(e)/float64(epochs))*math.Exp(0.5*random.NormFloat64()))
	}
	return c
}

// The average of a thinned curve, thinned once or again and again as a long run
// is, is that of the whole curve. The average of its extremes alone is far too
// high.
func TestThin_KeepsAverage(t *testing.T) {
	const epochs, over = 8000, 5 * 160
	whole := noisy(epochs)
	want := whole.Smooth(over)
	again, bare := session.Curve{}, whole.Thin(400)
	h := session.History{Curves: map[string]session.Curve{}}
	for e := range epochs {
		h.Apply(session.Changes{From: whole.Steps[e], History: session.History{Curves: map[string]session.Curve{
			"loss": {Steps: whole.Steps[e : e+1], Values: whole.Values[e : e+1]},
		}}})
		if again = h.Curves["loss"]; len(again.Steps) > 800 {
			again = again.Thin(400)
			h.Curves["loss"] = again
		}
	}
	bare.Means = nil
	for name, c := range map[string]struct {
		session.Curve
		least, most float64
	}{
		"once": {whole.Thin(400), -0.02, 0.02}, "again and again": {again, -0.02, 0.02}, "without means": {bare, 0.3, 1},
	} {
		off, n := 0.0, 0.0
		for i, v := range c.Smooth(over) {
			at, _ := slices.BinarySearch(whole.Steps, c.Steps[i])
			off, n = off+v/want[at]-1, n+1
		}
		if off /= n; off < c.least || off > c.most {
			t.Errorf("%s: the average lies %+.3f off, want %+.3f to %+.3f", name, off, c.least, c.most)
		}
	}
}

// A part of a thinned curve, or one with points appended, keeps the means of
// its stretches. A curve of whole points has none.
func TestCurve_MeansStayWithPoints(t *testing.T) {
	c := noisy(1000).Thin(100)
	part := c.After(2500)
	if first := slices.Index(c.Steps, part.Steps[0]); part.Steps[0] > 2500 || part.Steps[1] <= 2500 || !slices.Equal(part.Means, c.Means[first:]) {
		t.Errorf("after step 2500: %v %v", part.Steps[:2], part.Means[:2])
	}
	if none := c.After(5000); len(none.Steps) > 0 {
		t.Errorf("after the last step: %v", none)
	}
	h := session.History{Curves: map[string]session.Curve{"loss": c}}
	h.Apply(session.Changes{From: 4900, History: session.History{Curves: map[string]session.Curve{"loss": {Steps: []int{4901}, Values: []float64{7}}}}})
	got := h.Curves["loss"]
	if n := len(got.Steps); len(got.Means) != n || got.Means[n-1] != 7 || got.Means[n-2] != c.Means[n-2] {
		t.Errorf("%d points have %d means", n, len(got.Means))
	}
	if whole := noisy(50).Thin(100); whole.Means != nil {
		t.Error("a curve that is not thinned has means")
	}
}

// A value that isn't finite has no part in a mean, so that the rest can be
// written as JSON.
func TestCurve_MeansAreFinite(t *testing.T) {
	c := noisy(1000)
	c.Values[500] = math.Inf(1)
	thin := c.Thin(100)
	if !slices.Contains(thin.Values, math.Inf(1)) {
		t.Fatal("the extreme is lost")
	}
	for i, mean := range thin.Means {
		if math.IsInf(mean, 0) || math.IsNaN(mean) {
			t.Errorf("the mean at step %d is %g", thin.Steps[i], mean)
		}
	}
}

// A weight of the loss makes it another loss. A learning rate doesn't.
func TestLossChanges_Keys(t *testing.T) {
	h := session.History{Events: []session.Event{
		{Step: 0, Kind: "open"}, {Step: 5, Kind: "set", Changes: []config.Change{{Key: "learning_rate"}, {Key: "tau0"}}},
		{Step: 7, Kind: "set", Changes: []config.Change{{Key: "epochs"}, {Key: "lambda"}}}, {Step: 9, Kind: "stop"},
	}}
	if got := h.LossChanges(); !slices.Equal(got, []int{7}) {
		t.Errorf("after %v, want after 7", got)
	}
}

// Extending a long curve costs about as much as extending a short one: most points are only appended.
func TestGrowing_ExtendLong(t *testing.T) {
	var g session.Growing
	whole, next := noisy(40_000), 0
	extend := func() {
		g.Extend(whole.Steps[next], session.Curve{Steps: whole.Steps[next : next+1], Values: whole.Values[next : next+1]}, 400)
		next++
	}
	for next < 38_000 {
		extend()
	}
	if each := testing.AllocsPerRun(1000, extend); each > 8 {
		t.Errorf("%g allocations for a point", each)
	}
}

// A growing curve has the same points however it grows: epoch by epoch, in
// sevens, or with the last epoch told again as it is in progress; the points
// that are said to stay do, and there are never many.
func TestGrowing_Extend(t *testing.T) {
	const points = 60
	whole := noisy(3000)
	grow := func(chunk int, told bool) session.Curve {
		var g session.Growing
		again, times := 0, 0 // points that did not stay, and how often
		for from := 0; from < len(whole.Steps); from += chunk {
			to := min(from+chunk, len(whole.Steps))
			more := session.Curve{Steps: whole.Steps[from:to], Values: whole.Values[from:to]}
			if told {
				g.Extend(whole.Steps[from], session.Curve{Steps: []int{whole.Steps[from]}, Values: []float64{-7}}, points)
			}
			before := slices.Clone(g.Steps)
			kept := g.Extend(whole.Steps[from], more, points)
			if n := len(g.Steps); n > 2*points || kept > len(before) || !slices.Equal(before[:kept], g.Steps[:kept]) {
				t.Fatalf("at step %d: %d points, of which %d stayed of %d", whole.Steps[to-1], n, kept, len(before))
			}
			again, times = again+len(before)-kept, times+1
			if g.Means != nil && len(g.Means) != len(g.Values) {
				t.Fatalf("%d points have %d means", len(g.Values), len(g.Means))
			}
		}
		if again > times*points/3 {
			t.Errorf("of about %d points %d change at a time", points, again/times)
		}
		return g.Curve
	}
	want := grow(1, false)
	for name, got := range map[string]session.Curve{"in sevens": grow(7, false), "told again": grow(1, true)} {
		if !slices.Equal(got.Steps, want.Steps) || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%s: %v, want %v", name, got.Steps, want.Steps)
		}
	}
	over := 5 * 160.0
	smooth, exact := want.Smooth(over), whole.Smooth(over)
	if last, is := smooth[len(smooth)-1], exact[len(exact)-1]; math.Abs(last/is-1) > 0.05 {
		t.Errorf("the average at the end is %g, want %g", last, is)
	}
}
