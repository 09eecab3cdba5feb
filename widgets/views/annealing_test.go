package views

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func scheduled(step int, schedule string) session.Status {
	s := paused()
	s.Step, s.Epoch, s.Config = step, float64(step)/5, config.Settings{K: 2}
	s.Config.Live = config.Live{Epochs: 100, Tau0: 10, TauEnd: 0.01, Schedule: schedule, Sharpness: 16, SharpnessSchedule: "late"}
	if parsed, err := config.ParseSchedule(schedule); err == nil {
		s.Tau, s.Sharpness = parsed.Tau(s.Epoch, s.Config.Live), 1
	}
	return s
}

// draws sends points ahead, as a person draws them.
func (b *bench) draws(content string) {
	b.Helper()
	b.send(content)
	b.settle()
	if b.state("answer") != "1" {
		b.Errorf("answer %s", b.state("answer"))
	}
}

// The inspector shows each selector with its leader and rivals, and the points
// of both schedules.
func TestAnnealing_ShowsSelectorsAndSchedules(t *testing.T) {
	drive(t, Annealing, scheduled(50, "exponential"), func(b *bench) {
		b.shows("rows", `[[0,"<f>",0.75,0,0.625,"h",4,30,120,null,"<f>",0.75,null],[1,"<f>",0.5,2,0.25,"g",0,0,null,0,"g",0.25,null]]`)
		b.shows("points", `{"sharpness":[[0,1],[25,1],[50,1],[75,4],[100,16]],"tau":[[0,10],[25,1.77827941`)
		b.shows("points", `,[100,0.01]]}`)
		b.shows("past_tau", `"AACAPwAAEEEAAABAAAAAQQ=="`) // 1, 9, 2, 8
		b.shows("past_sharpness", `"AACAPwAAgD8="`)       // 1, 1
	})
}

// The points that a person draws become the schedule, from the current value
// on.
func TestAnnealing_DrawingSetsSchedule(t *testing.T) {
	for _, c := range []struct {
		name, draw string
		now        session.Status
		set        string
		points     string // of the sharpness
	}{
		{"from the present step", `{"points":[[20,1],[100,0.5]]}`, scheduled(50, "hold:2"), "schedule=points:10=2,20=1,100=0.5", ""},
		{"before the first step", `{"points":[[0,5],[100,0.01]]}`, scheduled(0, "exponential"), "schedule=points:0=5,100=0.01", ""},
		{"what lies behind stays", `{"points":[[40,1]]}`, scheduled(50, "points:0=8,5=4,40=4"), "schedule=points:0=8,5=4,10=4,40=1", ""},
		{"passed meanwhile", `{"points":[[5,9],[10,9],[20,1]]}`, scheduled(50, "hold:2"), "schedule=points:10=2,20=1", ""},
		{"none ahead", `{"points":[]}`, scheduled(50, "hold:2"), "schedule=points:10=2", ""},
		{"the sharpness", `{"drawn":"sharpness","points":[[20,1],[100,30]]}`, scheduled(50, "hold:2"),
			"sharpness_schedule=points:10=1,20=1,100=30", "[10,1],[20,1],[100,30]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			drive(t, Annealing, c.now, func(b *bench) {
				b.draws(c.draw)
				b.expect("set " + c.set)
				if c.points == "" {
					c.points = "[0,1],[25,1],[50,1],[75,4],[100,16]"
				}
				b.shows("points", `{"sharpness":[`+c.points+`]`)
				b.shows("message", "schedule is other")
			})
		})
	}
}

// If the choice doesn't depend on a schedule, the page gives config's reason
// and doesn't open on it. A drawn schedule takes effect if the one in force has
// nothing to go between.
func TestAnnealing_IdleSchedules(t *testing.T) {
	for _, protocol := range config.Protocols() {
		settings, err := config.Config{Data: "ALLAML", Protocol: protocol}.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		now := scheduled(0, "exponential")
		now.Config = settings
		idle, _ := annealingNow(now)["idle"].(map[string]any)
		want, _ := settings.Idle("schedule")
		if got, _ := idle["tau"].(string); got != want {
			t.Errorf("%s: of the temperature it says %q, want %q", protocol, got, want)
		}
		if got := idle["sharpness"]; protocol == config.Paper && got != nil {
			t.Errorf("the paper has no sharpness, but one can be drawn: it says %q", got)
		}
		if len(idle) == 2 {
			t.Errorf("%s: nothing can be drawn", protocol)
		}
	}
}

// A drawing that no schedule can be changes nothing, and one line tells the
// page so.
func TestAnnealing_RejectsBadDrawings(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("[20,1],", 65), ",")
	for draw, says := range map[string]string{
		`{"points":[[20,1],[20,2]]}`: "does not come after", `{"points":[[20,1],[15,2]]}`: "does not come after",
		`{"points":[[20,0]]}`: "not from 1e-06", `{"points":[[20,1e300]]}`: "not from",
		`{"points":[[101,1]]}`: "not from 0 to 100", `{"points":[[-1,1]]}`: "not from 0",
		`{"points":[[20]]}`: "1 numbers", `{"points":[[20,1,2]]}`: "3 numbers",
		`{"points":"all"}`: "has no points", `{"points":[["a",1]]}`: "has no points", `[]`: "has no points", `null`: "has no points",
		`{"points":[` + many + `]}`: "64 are the most", `{"points":[[20,1e999]]}`: "has no points",
		`{"points":[[20,1],[20.0000000001,2]]}`: "too close", `{"drawn":"sharpness","points":[[20,0.5]]}`: "a sharpness of 0.5 is not from 1 ",
		`{"drawn":"lambda","points":[[20,1]]}`: `\"lambda\" cannot be drawn`,
	} {
		drive(t, Annealing, scheduled(50, "hold:2"), func(b *bench) {
			points := b.state("points")
			b.draws(draw)
			b.expect("")
			b.shows("message", says)
			if b.state("points") != points || strings.Contains(b.state("message"), `\n`) {
				t.Errorf("%s: points %s, message %s", draw, b.state("points"), b.state("message"))
			}
		})
	}
	drive(t, Annealing, scheduled(50, "hold:2"), func(b *bench) {
		b.fails = errs.New(errs.Request, "open it anew", "session <a> is read-only")
		b.draws(`{"points":[[20,1]]}`)
		b.shows("message", "session <a> is read-only - open it anew")
	})
}

// A page is sent less than 100 kB a second for K = 50, however long the run.
func TestAnnealing_LimitsBytes(t *testing.T) {
	drive(t, Annealing, scheduled(50, "exponential"), func(b *bench) {
		b.page.Bytes()
		const seconds, each = 20, 5
		for n := range seconds * each {
			u := session.Update{Progress: session.Progress{Status: scheduled(50+n, "exponential")}}
			for k := range 50 {
				name := fmt.Sprintf("AFFX-gene-%06d_at", n*50+k)
				u.Selection = append(u.Selection, session.Selected{
					Selector: k, Name: name, Probability: 0.123456789123 / float64(n+1),
					Leader: session.Entry{Name: name, Probability: 0.123456789123 / float64(n+1)}, Second: session.Entry{Name: name},
				})
			}
			var c session.Curve
			for i := range 20 {
				c.Steps, c.Values = append(c.Steps, 50+20*n+i), append(c.Values, 1)
			}
			u.History = &session.Changes{From: 50 + 20*n, History: session.History{PerEpoch: 5, Curves: map[string]session.Curve{"tau": c}}}
			b.tell(u)
			time.Sleep(time.Second / each)
		}
		if perSecond := b.page.Bytes() / seconds; perSecond > 100_000 || perSecond < 1000 {
			t.Errorf("%d bytes a second", perSecond)
		}
	})
}

// The lines of the picture say how often a leader changed, as a person would
// say it.
func TestAnnealing_SelectorLines(t *testing.T) {
	lost, before, soon, late := 2, 80, 95, 101
	got := selectorLines([]session.Selected{
		{Selector: 1, SettlesAt: &before, Name: "b", Leader: session.Entry{Name: "a", Probability: 0.9},
			Second: session.Entry{Name: "c", Probability: 0.05}, Entropy: 0.5, LeadsSince: 30, Changes: 1, LostTo: &lost},
		{Selector: 0, Leader: session.Entry{Name: "x"}}, {Selector: 2, Leader: session.Entry{Name: "y"}, Changes: 7, SettlesAt: &late},
		{Selector: 3, Leader: session.Entry{Probability: 0.5}, SettlesAt: &soon},
	}, session.Status{Step: 90, Steps: 100})
	for i, want := range []string{
		"",
		"selector 0: x 0.000, entropy 0.00 bits, margin 0.000, leader since step 0, never changed, no trend to settle",
		"selector 1: a 0.900, entropy 0.50 bits, margin 0.850, leader since step 30, " +
			"changed once, settled at step 80; duplicate: selector 2 has it, this one gets b",
		"changed 7 times, does not settle within this schedule", "never changed, settles at about step 95",
	} {
		if line := strings.Split(got, "\n")[i]; !strings.HasSuffix(line, want) {
			t.Errorf("line %d is %q, want %q", i, line, want)
		}
	}
}

// The future is drawn as it will be: if the temperature moves by epoch, each
// epoch at the one it ends with. The points that people drag are on the line
// through those, so that setting them again changes nothing.
func TestAnnealing_AheadIsWhatIsUsed(t *testing.T) {
	for _, c := range []struct {
		every, pace string
		used        func(step int) float64
	}{
		{config.TauStep, "", func(step int) float64 { return float64(step) / 5 }},
		{config.TauEpoch, "", func(step int) float64 { return min(math.Floor(float64(step)/5)+1, 100) }},
		{config.TauStep, "0.5", func(step int) float64 { return float64(step) / 10 }},
		{config.TauEpoch, "0.5", func(step int) float64 { return min(math.Floor(float64(step)/5)+1, 100) / 2 }},
	} {
		every, used := c.every, c.used
		tau := func(place float64) float64 { return 10 * math.Pow(0.001, place/100) }
		s := session.Status{Step: 52, Steps: 500, StepsPerEpoch: 5, Epoch: 10.4, Tau: tau(used(52))}
		s.Config.Live = config.Live{
			Epochs: 100, Tau0: 10, TauEnd: 0.01, Schedule: "exponential", Rules: config.Rules{TauEvery: every, TauPace: c.pace}, Sharpness: 20, SharpnessSchedule: "late",
		}
		c := temperature().ahead(s)
		if len(c.Steps) < 100 {
			t.Fatalf("%d points are ahead", len(c.Steps))
		}
		for i, step := range c.Steps {
			if want := tau(used(step)); math.Abs(math.Log(c.Values[i]/want)) > math.Log(10/0.01)/500+1e-9 && step != 52 ||
				i == 0 && c.Values[i] != s.Tau {
				t.Errorf("by %s: step %d is drawn at τ = %v, and is made at %v", every, step, c.Values[i], want)
			}
		}
		points, err := temperature().points(s)
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := temperature().compose(s, points[1:])
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := config.ParseSchedule(text)
		if err != nil {
			t.Fatal(err)
		}
		for step := 52; step <= 500; step++ {
			if got, want := drawn.Tau(float64(step)/5, s.Config.Live), tau(used(step)); math.Abs(math.Log(got/want)) > 1e-3 {
				t.Fatalf("by %s: %s makes τ = %v of %v at step %d", every, text, got, want, step)
			}
		}
	}
}

// Whatever a browser sends, what is set is a schedule that keeps the temperature of now and goes through the points ahead.
func FuzzPoints(f *testing.F) {
	for _, seed := range []string{
		`{"drawn":"sharpness","points":[[20,1],[100,20]]}`, `{"points":[[20,1],[100,0.5]]}`, `{"points":[[5,9],[20,1]]}`,
		`{"points":[]}`, `{"points":[[20,1e-6],[20.000001,1e6]]}`, `{"points":[[20]]}`, `null`, `{"points":[[1e999,1]]}`,
	} {
		f.Add(seed, 50, false)
		f.Add(seed, 0, false)
		f.Add(seed, 52, true)
	}
	f.Fuzz(func(t *testing.T, content string, step int, byEpoch bool) {
		drawn, points, err := readPoints(json.RawMessage(content))
		if err != nil {
			return
		}
		s := session.Status{Step: max(0, step%500), Tau: 2, Sharpness: 2}
		s.Epoch = float64(s.Step) / 5
		s.Config.Protocol = config.FsNet
		s.Config.Live = config.Live{
			Epochs: 100, Tau0: 2, TauEnd: 2, Sharpness: 2, Schedule: "points:0=8,5=4", SharpnessSchedule: "points:0=8,5=4",
		}
		if byEpoch {
			s.Config.TauEvery = config.TauEpoch
		}
		text, passed, err := drawn.compose(s, points)
		if err != nil {
			return
		}
		*drawn.text(&s.Config.Live) = text
		course, err := s.Config.Course()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := drawn.at(course, s.Epoch); s.Step > 0 && math.Abs(got-2) > 1e-3*2 {
			t.Errorf("%s: %g now, was 2", text, got)
		}
		s.Config.TauEvery = config.TauStep // points lie on the line, whatever steps make of it
		if course, err = s.Config.Course(); err != nil {
			t.Fatal(err)
		}
		for _, p := range points[passed:] {
			got := drawn.at(course, p.epoch)
			if close := math.Abs(math.Log(got/p.value)) < 1e-2; !close && len(points) == passed+1 {
				t.Errorf("%s: %g at epoch %g, drawn was %g", text, got, p.epoch, p.value)
			}
		}
	})
}
