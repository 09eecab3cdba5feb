package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
)

// sampleConvergence is the history of K selectors up to an epoch, looked at every third one. Each wanders between features until its own
// takes it; the second shares a feature with the first until epoch 210.
func sampleConvergence(k, epochs int) session.History {
	random := rand.New(rand.NewPCG(9, uint64(k)))
	h := sampleHistory(max(epochs, 1))
	h.Selectors = &session.Selectors{Names: map[int]string{}, SettleSteps: sampleEpochs * samplePerEpoch / 20}
	entropy, different := session.Curve{}, session.Curve{}
	onset := make([]float64, k)
	for i := range onset {
		onset[i] = 0.25 + 0.4*random.Float64()
	}
	for e := 3; e <= epochs; e += 3 {
		t, l, leaders := float64(e)/sampleEpochs, session.Look{Step: e * samplePerEpoch}, map[int]bool{}
		for i := range k {
			j := i
			switch {
			case t < onset[i]-0.1:
				j = random.IntN(3 * k)
			case i == 1 && e < 210:
				j = 0
			}
			p := 0.0004 + 0.985/(1+math.Exp(-22*(t-onset[i]-0.08)))
			if i == 1 && e >= 210 {
				p *= 1 - math.Exp(-float64(e-207)/15)
			}
			l.Leaders, l.Probability = append(l.Leaders, j*11), append(l.Probability, p)
			h.Selectors.Names[j*11] = sampleName(j)
			leaders[j] = true
		}
		h.Selectors.Looks = append(h.Selectors.Looks, l)
		entropy.Steps, entropy.Values = append(entropy.Steps, l.Step), append(entropy.Values, 12.8*(1-t)*(1-t))
		different.Steps, different.Values = append(different.Steps, l.Step), append(different.Values, float64(len(leaders)))
	}
	h.Curves["entropy"], h.Curves["unique_rows"] = entropy, different
	for k := range k {
		h.Selectors.Settled = append(h.Selectors.Settled, settledAt(h.Selectors, k))
	}
	return h
}

func convergences() map[string]session.History {
	long := sampleConvergence(3, sampleStop)
	for j, name := range long.Selectors.Names {
		long.Selectors.Names[j] = name + " homologue of an uncharacterised transmembrane <b>protein"
	}
	return map[string]session.History{
		"ten": sampleConvergence(10, sampleStop), "duplicate": sampleConvergence(10, 200), "fifty": sampleConvergence(50, 250), "long": long,
		"one": sampleConvergence(10, 3), "none": {Session: "leukemia", PerEpoch: samplePerEpoch},
	}
}

// Every look at every selector is in the picture: at its place, in the colour
// of its leader, with its name under the pointer. Every change of leader has a
// mark, and settling has its own.
func TestConvergence_ShowsEveryLook(t *testing.T) {
	for name, h := range convergences() {
		if name == "none" {
			continue
		}
		told, changed, settled := map[string]bool{}, map[string]bool{}, map[int]int{}
		p := convergenceOf(h, new(Palette)).spec().Rows[1][0]
		for _, d := range append(marksIn(p, spec.Line), marksIn(p, spec.Point)...) {
			step := d.Tips[1].(int)
			told[fmt.Sprint(step, d.Tips[2], d.Tips[3], d.Tips[4])] = true
			if d.X != float64(step)/samplePerEpoch {
				t.Fatalf("%s: step %d stands at %g", name, step, d.X)
			}
			if len(d.Tips) > 5 && d.Tips[5] == "settled" {
				settled[d.Tips[2].(int)] = step
			} else if len(d.Tips) > 5 {
				changed[fmt.Sprint(step, d.Tips[2], d.Tips[5])] = true
			}
		}
		s := h.Selectors
		for i, l := range s.Looks {
			for k, j := range l.Leaders {
				if want := fmt.Sprint(l.Step, k, s.Names[j], spec.Round(l.Probability[k])); !told[want] {
					t.Fatalf("%s: nothing tells of %s", name, want)
				}
				if i > 0 && s.Looks[i-1].Leaders[k] != j && !changed[fmt.Sprint(l.Step, k, s.Names[s.Looks[i-1].Leaders[k]])] {
					t.Errorf("%s: selector %d has a new leader at step %d, and no mark", name, k, l.Step)
				}
			}
		}
		for k := range s.Looks[0].Leaders {
			if got, want := settled[k], settledAt(s, k); got != want {
				t.Errorf("%s: selector %d is marked as settled at step %d, want %d", name, k, got, want)
			}
		}
	}
}

// In each lane, every look is in one bar that covers the time before it, with
// the colour of its leader and the strength of its probability.
func TestLanes_ShowEveryLook(t *testing.T) {
	for name, h := range convergences() {
		if name == "none" {
			continue
		}
		p := convergenceOf(h, new(Palette)).spec().Rows[0][0]
		s := h.Selectors
		for i, l := range s.Looks {
			for k, j := range l.Leaders {
				lane, found := slices.Index(p.Y.Bands, fmt.Sprint(k)), 0
				for _, layer := range p.Layers {
					for _, d := range layer.Data {
						x := float64(l.Step) / samplePerEpoch
						if layer.Mark != spec.Bar || int(d.Y) != lane || x <= d.X || x > d.X2 {
							continue
						}
						found++
						if d.Tips[3] != s.Names[j] || math.Abs(layer.Opacity-l.Probability[k]-1.0/16) > 1.0/16+1e-9 {
							t.Fatalf("%s: look %d of selector %d is %v with %g, want %s with %g", name, i, k, d.Tips, layer.Opacity, s.Names[j],
								l.Probability[k])
						}
					}
				}
				if found != 1 {
					t.Fatalf("%s: look %d of selector %d is in %d bars", name, i, k, found)
				}
			}
		}
	}
}

// settledAt says when a selector settled for good, straight from the definition; 0 is not yet.
func settledAt(s *session.Selectors, k int) int {
	holds := func(at int) bool {
		for i := at; i >= 0; i-- {
			if s.Looks[i].Leaders[k] != s.Looks[at].Leaders[k] {
				return false
			}
			if s.Looks[at].Step-s.Looks[i].Step >= s.SettleSteps {
				shared := 0
				for other, j := range s.Looks[at].Leaders {
					if j == s.Looks[at].Leaders[k] && s.Looks[at].Probability[other] >= 0.9 {
						shared++
					}
				}
				return s.Looks[at].Probability[k] >= 0.9 && shared == 1
			}
		}
		return false
	}
	step := 0
	for i := range s.Looks {
		switch {
		case !holds(i):
			step = 0
		case step == 0:
			step = s.Looks[i].Step
		}
	}
	return step
}

// What was drawn keeps its colour, whatever looks follow, and so does a gene.
// No two of ten leaders have the same colour.
func TestPalette_KeepsColours(t *testing.T) {
	for name, h := range convergences() {
		if h.Selectors == nil {
			continue
		}
		last, looks := formationOf(h.Selectors, new(Palette)), h.Selectors.Looks
		for n := 1; n <= len(looks); n++ {
			now := formationOf(&session.Selectors{Looks: looks[:n], Names: h.Selectors.Names}, new(Palette))
			for _, l := range looks[:n] {
				for _, j := range l.Leaders {
					if now.colour(j, l.Step) != last.colour(j, l.Step) {
						t.Fatalf("%s: at look %d gene %d has another colour at step %d than at the end", name, n, j, l.Step)
					}
				}
			}
			whose := map[spec.RGB]int{}
			for k, j := range looks[n-1].Leaders {
				colour := now.colour(j, looks[n-1].Step)
				if p := looks[n-1].Probability[k]; p >= colouredFrom && colour == spec.Pale {
					t.Fatalf("%s: at look %d gene %d leads with %g, and is grey", name, n, j, p)
				}
				if other, used := whose[colour]; used && other != j && colour != spec.Pale && len(looks[n-1].Leaders) <= spec.Categories() {
					t.Fatalf("%s: at look %d genes %d and %d have one colour", name, n, other, j)
				}
				whose[colour] = j
			}
		}
	}
}

// A gene of two sessions has one colour in both, whichever is drawn first, and
// ten that lead in either session have ten.
func TestPalette_SharedBySessions(t *testing.T) {
	leads := func(columns ...int) *session.Selectors {
		s := &session.Selectors{Names: map[int]string{}}
		l := session.Look{Step: 7}
		for _, j := range columns {
			l.Leaders, l.Probability, s.Names[j] = append(l.Leaders, j), append(l.Probability, 0.6), fmt.Sprint("gene ", j)
		}
		s.Looks = []session.Look{l}
		return s
	}
	many := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	var p Palette
	first, other := p.Colours(leads(many...)), p.Colours(leads(3, 12, 5))
	if first[3] != other[3] || first[5] != other[5] || p.Colours(leads(many...))[9] != first[9] {
		t.Errorf("%v, then %v", first, other)
	}
	if other[12].Colour == other[3].Colour || other[12].Colour == other[5].Colour {
		t.Errorf("gene 12 has the colour of one beside it: %v", other)
	}
	whose := map[spec.RGB]int{}
	for j, c := range first {
		whose[c.Colour] = j
	}
	if len(whose) != len(many) {
		t.Errorf("%d genes have %d colours", len(many), len(whose))
	}
	hesitant := leads(1, 2)
	hesitant.Looks[0].Probability[1] = 0.49
	if late := p.Colours(hesitant); len(late) != 1 || late[1] != first[1] {
		t.Errorf("a gene below 0.5 is not grey: %v", late)
	}
}

// If P has hardly moved in half of a training, as in the paper's, its largest
// value has full height, and half of it a colour.
func TestConvergence_MagnifiesSmallMoves(t *testing.T) {
	for looks, want := range map[int]float64{49: 1, 50: 0.004} {
		h := session.History{PerEpoch: 1, Selectors: &session.Selectors{Names: map[int]string{3: "Zyxin"}, SettleSteps: 5}}
		for i := range looks {
			h.Selectors.Looks = append(h.Selectors.Looks, session.Look{Step: i + 1, Leaders: []int{3}, Probability: []float64{0.001 * float64(1+i%4)}})
		}
		c := convergenceOf(h, new(Palette))
		if given, coloured := c.colours[3]; c.full != want || coloured != (want < 1) || coloured && given.Step != 2 {
			t.Errorf("%d looks: full height is %g, the gene's colour %v", looks, c.full, c.colours)
		}
	}
}

// Lanes are in the order in which their selectors settled, each with the name
// of its leader at the right edge. At the lines, each name appears once, at its
// line or as near as the others allow, and names don't overlap.
func TestConvergence_PlacesNames(t *testing.T) {
	for name, h := range convergences() {
		if name == "none" {
			continue
		}
		c := convergenceOf(h, new(Palette))
		s := c.spec()
		lanes, lines, before := s.Rows[0][0], s.Rows[1][0], 0
		for _, d := range marksIn(lanes, spec.Text) {
			k, err := strconv.Atoi(lanes.Y.Bands[max(int(d.Y), 0)])
			if err != nil {
				continue // the number of an event
			}
			course := c.courses[slices.IndexFunc(c.courses, func(one course) bool { return one.selector == k })]
			if !math.IsNaN(d.X) || d.Text != c.name(course.leader()) {
				t.Errorf("%s: lane of %d, led by %s, ends in %+v", name, k, c.name(course.leader()), d)
			}
			at := settledAt(h.Selectors, k)
			if at == 0 {
				at = math.MaxInt
			}
			if at < before {
				t.Errorf("%s: selector %d settled before the one above it", name, k)
			}
			before = at
		}
		if before == 0 {
			t.Errorf("%s: no lane has a name", name)
		}
		last := math.Inf(1)
		ends := slices.DeleteFunc(marksIn(lines, spec.Text), func(d spec.Datum) bool { return d.Text == "●" })
		for _, d := range ends {
			if d.Y > last-namePitch/courseHeight*lines.Y.High+1e-9 || d.Y < 0 {
				t.Errorf("%s: %s at %g stands on the name above it at %g, or below the panel", name, d.Text, d.Y, last)
			}
			last = d.Y
		}
		if len(ends) != len(c.groups) && len(c.groups) <= 20 {
			t.Errorf("%s: %d names at lines of %d leaders", name, len(ends), len(c.groups))
		}
	}
}

// The contest stands right of the lanes: each lane has a block in the colour of its final leader, the name says whom it replaced, and before
// it the lane keeps the leader that it had. Matrix, text and caption use the same words.
func TestConvergence_Contest(t *testing.T) {
	h := sampleConvergence(3, sampleStop)
	s := h.Selectors
	last := &s.Looks[len(s.Looks)-1]
	from, to := session.Entry{Index: last.Leaders[1], Name: s.Names[last.Leaders[1]], Probability: 0.7}, session.Entry{Index: 999, Name: "Zyxin"}
	last.Leaders[1], last.Probability[1], s.Names[999] = 999, 1, "Zyxin"
	s.Contest = &session.Contest{Step: last.Step, Exchanges: []session.Exchange{{Selector: 1, From: from, To: to, By: session.ByContest, Share: 0.31}}}

	c := convergenceOf(h, new(Palette))
	whole := c.spec()
	p := whole.Rows[0][0]
	lane := slices.Index(p.Y.Bands, "1")
	series, texts := map[string][]string{}, map[string]float64{}
	for _, layer := range p.Layers {
		for _, d := range layer.Data {
			if layer.Mark == spec.Text && int(d.Y) == lane {
				texts[d.Text], series[d.Text] = layer.Shift, append(series[d.Text], d.Series)
			}
			if layer.Mark == spec.Bar && int(d.Y) == lane && d.X2 == float64(last.Step)/samplePerEpoch && d.Tips[3] != from.Name {
				t.Errorf("before the contest the lane ends in %v, want %s", d.Tips, from.Name)
			}
		}
	}
	if name := "Zyxin, replaced " + from.Name; texts[name] <= texts["█████"] || texts["█████"] <= texts["║"] || texts["║"] == 0 {
		t.Errorf("right of the lane stands %v", texts)
	}
	if got := series["█████"]; len(got) != 1 || got[0] != c.seriesName(999) {
		t.Errorf("the block is of %q", got)
	}
	sentence := s.Contest.Sentence(3)
	if !slices.Contains(whole.Subtitle, sentence) || !strings.Contains(c.text(wideLetters), sentence) || !strings.Contains(c.text(wideLetters), "replaced "+from.Name) {
		t.Errorf("the caption is %q, the text\n%s", whole.Subtitle, c.text(wideLetters))
	}

	m := sampleMatrix(3, 5, 1)
	m.Contest = s.Contest
	row := slices.Index(m.Selectors, 1)
	drawn := heatOf(m)
	if !slices.Contains(drawn.subtitle, sentence) || !strings.HasSuffix(drawn.leaderText(row, wideLetters), ", replaced "+from.Name) || WordsOf(m).Act != sentence {
		t.Errorf("the matrix says %q and %q", drawn.subtitle, drawn.leaderText(row, wideLetters))
	}
}
