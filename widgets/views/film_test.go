package views

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/tests/kit/sessiontest/fake"
	"fsnetlab/widgets/ipywidgets"
)

// film is a session, its panel, and a person who does this and that.
type film struct {
	*testing.T
	host   *host.Host
	panel  *panelView
	config session.Config
	did    []string

	thinned bool // a curve was so long that the panel left points out
}

// settled waits until the panel has heard of everything, and compares each point that it holds with what %fsnet curves shows.
func (f *film) settled() {
	f.Helper()
	s := session.On(f.host, "film")
	var want session.History
	end := time.Now().Add(20 * time.Second)
	for {
		request := *curvesRequest()
		request.Points = session.MaxPoints
		var err error
		if want, err = s.History(f.Context(), request); err != nil {
			f.Fatal(err)
		}
		got := f.panel.curves.whole()
		if got.Step == want.Step && len(got.Events) == len(want.Events) {
			for _, curve := range want.Curves {
				f.thinned = f.thinned || len(curve.Steps) > mostPoints
			}
			if wrong := differs(got, want, f.thinned); wrong == "" {
				return
			} else if time.Now().After(end) {
				f.Fatalf("after %s: %s", strings.Join(f.did, ", "), wrong)
			}
		}
		if time.Now().After(end) {
			f.Fatalf("after %s the panel is at step %d with %d events, the session at %d with %d", strings.Join(f.did, ", "), got.Step,
				len(got.Events), want.Step, len(want.Events))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// differs says where a panel's history is not the session's. Where the panel has never left points out they are the same, point by point;
// else every point of the panel is one of the session's.
func differs(got, want session.History, thinned bool) string {
	for metric, curve := range want.Curves {
		held := got.Curves[metric]
		if len(held.Steps) < len(curve.Steps) && !thinned {
			return fmt.Sprintf("%s has %d points, want %d: %v, want %v", metric, len(held.Steps), len(curve.Steps), held.Steps, curve.Steps)
		}
	}
	for metric, curve := range got.Curves {
		whole := want.Curves[metric]
		for i, step := range curve.Steps {
			if i > 0 && step <= curve.Steps[i-1] {
				return fmt.Sprintf("%s: the steps are %v", metric, curve.Steps)
			}
			if at, found := slices.BinarySearch(whole.Steps, step); !found || whole.Values[at] != curve.Values[i] {
				return fmt.Sprintf("%s is %g at step %d, which the session has not: %v", metric, curve.Values[i], step, whole.Steps)
			}
		}
	}
	if got.Selectors != nil && want.Selectors != nil && !slices.EqualFunc(got.Selectors.Looks, want.Selectors.Looks, func(a, b session.Look) bool {
		return a.Step == b.Step && slices.Equal(a.Leaders, b.Leaders)
	}) {
		return fmt.Sprintf("%d looks, want %d", len(got.Selectors.Looks), len(want.Selectors.Looks))
	}
	return ""
}

// play does something at random: it may be any verb that changes what is drawn.
func (f *film) play(ctx context.Context, draw *rand.Rand) {
	f.Helper()
	s := session.On(f.host, "film")
	status, err := s.Status(ctx)
	if err != nil {
		f.Fatal(err)
	}
	past := draw.IntN(status.Step + 1)
	switch draw.IntN(9) {
	case 0, 1, 2:
		n := []int{1, 1, 1, 2, 7, 40, 150}[draw.IntN(7)]
		f.did = append(f.did, fmt.Sprint("step ", n))
		_, err = s.Step(ctx, n)
	case 3:
		to := status.Step + 1 + draw.IntN(60)
		f.did = append(f.did, fmt.Sprint("run to step ", to))
		_, err = s.Run(ctx, session.Until{Step: to})
	case 4, 5:
		f.did = append(f.did, fmt.Sprint("rewind to ", past))
		_, err = s.Rewind(ctx, past)
	case 6:
		f.did = append(f.did, fmt.Sprint("fork at ", past))
		var other session.Session
		if other, err = s.Fork(ctx, fmt.Sprint("other", len(f.did)), past); err == nil {
			err = other.Close(ctx)
		}
	case 7:
		f.did = append(f.did, "set lambda")
		_, err = s.Set(ctx, session.Config{Lambda: new(0.1 + draw.Float64())})
	case 8: // a page that begins anew is told everything, and a new panel hears it from the start
		f.did = append(f.did, "reload")
		f.panel.end()
		f.thinned = false
		f.open()
	}
	if err != nil {
		f.Fatalf("%s: %v", strings.Join(f.did, ", "), err)
	}
	if draw.IntN(3) > 0 {
		f.settled()
	}
}

func (f *film) open() {
	status, err := session.On(f.host, "film").Status(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	f.panel = newPanel(f.Context(), ipywidgets.NewManager(&pagetest.Page{}, ipywidgets.Options{}), f.host, status)
	f.panel.keeper.draw = func() ipywidgets.Bundle { return ipywidgets.Bundle{Data: map[string]any{}} }
	f.panel.Follow()
}

// once plays the sequence that destroyed the charts: each step that was made singly in an epoch that was not over was taken in again.
func (f *film) once() {
	f.Helper()
	for _, n := range []int{1, 1, 1000} {
		f.did = append(f.did, fmt.Sprint("step ", n))
		if _, err := session.On(f.host, "film").Step(f.Context(), n); err != nil {
			f.Fatal(err)
		}
		f.settled()
	}
}

func newFilm(t *testing.T, opener host.Opener, config session.Config, directory string) *film {
	h := host.New(host.Options{Open: opener})
	t.Cleanup(h.Shutdown)
	f := &film{T: t, host: h, config: config}
	if _, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "film", Config: config, Directory: directory}); err != nil {
		t.Fatal(err)
	}
	f.open()
	return f
}

// Whatever a person does, in any order, the panel has the points of %fsnet
// curves, and their steps rise.
func TestFilm_HasTheSessionsPoints(t *testing.T) {
	endless := session.Config{Data: "planted", K: 3, Epochs: 1_000_000, Stop: "never"}
	t.Run("once", func(t *testing.T) { newFilm(t, fake.Open, endless, "").once() })
	for seed := range 12 {
		t.Run(fmt.Sprint("any/", seed), func(t *testing.T) {
			t.Parallel()
			f, draw := newFilm(t, fake.Open, endless, ""), num.RNG(int64(seed), "film")
			for range 25 {
				f.play(t.Context(), draw)
			}
			f.settled()
		})
	}
}
