package views

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// epochChanges are what a host tells after an epoch of a training with k selectors: a point of each curve, and every interval epochs a look.
func epochChanges(epoch, interval, k int) session.Changes {
	const perEpoch = 5
	c := session.Changes{From: perEpoch*(epoch-1) + 1, History: session.History{Session: "s", Step: perEpoch * epoch, PerEpoch: perEpoch,
		Curves: map[string]session.Curve{}, Selectors: &session.Selectors{Names: map[int]string{}, SettleSteps: 5 * perEpoch * interval, Settled: make([]int, k)}}}
	for i, metric := range curvesRequest().Metrics {
		c.Curves[metric] = session.Curve{Steps: []int{c.Step}, Values: []float64{math.Exp(math.Sin(float64(epoch * (i + 1))))}}
	}
	if epoch%interval == 0 {
		look := session.Look{Step: c.Step}
		for i := range k {
			j := 7 * i
			if epoch/interval < 60 {
				j += epoch / interval % 5
			}
			look.Leaders, look.Probability = append(look.Leaders, j), append(look.Probability, min(0.99, float64(epoch/interval)/80))
			c.Selectors.Names[j] = fmt.Sprintf("gene%04d", j)
		}
		c.Selectors.Looks = []session.Look{look}
	}
	return c
}

// undrawn returns a copy of the track of which nothing is drawn.
func (t *track) undrawn() *track {
	other := &track{name: t.name, past: t.past, history: t.history, curves: map[string]*session.Growing{}}
	for metric, curve := range t.curves {
		copied := *curve
		copied.Steps, copied.Values, copied.Means = slices.Clone(curve.Steps), slices.Clone(curve.Values), slices.Clone(curve.Means)
		other.curves[metric] = &copied
	}
	return other
}

// trained is the chart of a training of so many epochs with ten selectors, as a view has it that watched from the first.
func trained(module *ipywidgets.Model, epochs int) *liveCurves {
	c := newCurves(module, new(chart.Palette))
	for e := 1; e <= epochs; e++ {
		if err := c.tracks[0].apply(epochChanges(e, max(epochs/100, 1), 10)); err != nil {
			panic(err)
		}
	}
	c.news()
	return c
}

// What a page puts together from what is new at each frame is what a page gets that asks for everything, and what is computed from the whole
// record at once, with rewinds, other smoothing and thinning between.
func TestFrames_AreTheWhole(t *testing.T) {
	p, c := newChart()
	check := func(when string) {
		t.Helper()
		drawn := func() string {
			own := p.own()
			own.Curves = maps.Clone(own.Curves)
			for metric, curve := range own.Curves {
				curve.Keep = 0
				own.Curves[metric] = curve
			}
			if own.Looks != nil {
				own.Looks = new(*own.Looks)
				own.Looks.Keep = 0
			}
			text, err := json.Marshal(own)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		joined := drawn()
		c.sendAll()
		if whole := drawn(); joined != whole {
			t.Fatalf("%s a page has\n%.600s\nand one that asks gets\n%.600s", when, joined, whole)
		}
		anew := newCurves(newModule(new(curvesPage)), c.palette)
		anew.smooth, anew.tracks[0] = c.smooth, c.tracks[0].undrawn()
		anew.news()
		if got, want := c.tracks[0].drawn.piece, anew.tracks[0].drawn.piece; !reflect.DeepEqual(got, want) {
			t.Fatalf("%s the drawing is not that of the record:\n%+v\n%+v", when, got, want)
		}
	}
	run := func(from, to int) {
		t.Helper()
		for e := from; e <= to; e++ {
			if err := c.apply(epochChanges(e, 40, 3)); err != nil {
				t.Fatal(err)
			}
			if e%611 == 0 || e == 13 {
				check(fmt.Sprintf("after epoch %d", e))
			}
		}
	}
	run(1, 700)
	c.smoothOver(0)
	run(701, 800)
	c.smoothOver(30)
	run(801, 1500)
	back := epochChanges(1000, 40, 3)
	back.From, back.Curves, back.Selectors.Looks = back.Step+1, map[string]session.Curve{}, nil
	back.Events = []session.Event{{Step: back.Step, Kind: "rewind", Text: "rewound"}}
	if err := c.apply(back); err != nil {
		t.Fatal(err)
	}
	check("after a rewind")
	run(1001, 1400)
	next := epochChanges(1401, 40, 3)
	next.EventsFrom, next.Events = 1, []session.Event{{Step: next.Step - 5, Kind: "set", Text: "lambda", Changes: []config.Change{{Key: "lambda"}}}}
	c.apply(next)
	check("after the loss has changed")
	c.smoothOver(bySpan)
	run(1402, 3000)
	if n := len(p.tracks); n != 2 {
		t.Errorf("%d tracks", n)
	}
}

// nothing takes messages.
type nothing struct{ bytes int }

func (n *nothing) Send(m ipywidgets.Message) { n.bytes += len(m.Data) }

// A frame costs what is new: after 100,000 epochs as much as after 100.
func BenchmarkFrame(b *testing.B) {
	for _, epochs := range []int{100, 1000, 10_000, 100_000} {
		page := new(nothing)
		module := ipywidgets.NewModel(ipywidgets.NewManager(page, ipywidgets.Options{}), ipywidgets.Module{}, map[string]ipywidgets.Entry{"saved": {}})
		c := trained(module, epochs)
		c.saving = true // not here
		base := c.tracks[0].undrawn()
		for what, interval := range map[string]int{"epoch": 1 << 40, "look": 1} {
			b.Run(fmt.Sprintf("%s/%d", what, epochs), func(b *testing.B) {
				for i := range b.N {
					if i%10 == 0 { // it stays about as long as it is
						b.StopTimer()
						c.tracks[0] = base.undrawn()
						c.news()
						b.StartTimer()
					}
					c.apply(epochChanges(epochs+1+i%10, interval, 10))
				}
			})
		}
		b.Run(fmt.Sprintf("reload/%d", epochs), func(b *testing.B) {
			for range b.N {
				c.tracks[0] = base.undrawn()
				c.sendAll()
			}
		})
	}
}
