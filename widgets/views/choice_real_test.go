//go:build !race

package views

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/tests/kit/reporttest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/report"
)

// chosen is a session in a host that can be started again, of which everything that names the choice is asked.
type chosen struct {
	*testing.T
	directory string
	host      *host.Host
	did       []string
}

func (c *chosen) start() {
	opener := new(train.Opener)
	c.host = host.New(host.Options{Open: opener.Open, Resume: opener.Resume})
}

func (c *chosen) open(config session.Config) session.Status {
	return must(session.VerbOpen.Call(c.Context(), c.host, session.OpenRequest{Session: "choice", Config: config, Directory: c.directory}))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// agreed returns the names that the selection has, by rank, and expects them in the same order in the summary, the table, the report, the
// rows, the unique argmax of P and the last look of the record, if that is of this step.
func (c *chosen) agreed() []string {
	c.Helper()
	ctx, s := c.Context(), session.On(c.host, "choice")
	status := must(s.Status(ctx))
	selection := must(s.Selection(ctx))
	var want []string
	bySelector := make([]string, len(selection))
	for _, f := range selection {
		want = append(want, f.Name)
		bySelector[f.Selector] = f.Name
	}
	expect := func(what string, got []string) {
		c.Helper()
		if !slices.Equal(got, want) {
			c.Errorf("after %s, step %d: the %s names %v, the selection %v", strings.Join(c.did, ", "), status.Step, what, got, want)
		}
	}

	rows := must(s.Rows(ctx, session.RowsRequest{Evaluate: []string{session.Train}}))
	var names []string
	for _, f := range rows.Features {
		names = append(names, f.Name)
	}
	expect("rows", names)
	names = nil
	summary := chart.Summary(rows.Evaluations[0], rows.Selection, rows, chart.About{})
	lines := strings.Split(summary.Text, "\n")
	heading := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "rank") })
	for _, line := range lines[heading+1:][:len(want)] {
		names = append(names, strings.Fields(line)[1])
	}
	expect("summary", names)

	gathered := must(report.Gather(ctx, s, report.Options{}))
	page := must(report.HTML([]report.Session{gathered}, new(chart.Palette), "test", nil))
	names = nil
	for _, line := range reporttest.Read(c.T, page).Tables["genes"][1:] {
		names = append(names, strings.TrimSuffix(line[1], " (must)"))
	}
	expect("report", names)

	canvas := &pagetest.Page{}
	life, end := context.WithCancel(ctx)
	defer end()
	table := Table(life, ipywidgets.NewManager(canvas, ipywidgets.Options{}), c.host, status)
	table.draw = func() ipywidgets.Bundle { return ipywidgets.Bundle{Data: map[string]any{}} }
	table.Follow()
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		names = nil
		listed, _ := canvas.Value(table.ID(), "rows").([]any)
		for _, row := range listed {
			names = append(names, fmt.Sprint(row.([]any)[1]))
		}
		if slices.Equal(names, want) || time.Now().After(late) {
			break
		}
	}
	expect("table", names)

	m := must(s.Matrix(ctx, session.MatrixRequest{Top: status.D}))
	taken := make([]string, len(m.Values))
	used := map[int]bool{}
	for range m.Values {
		row, column := -1, -1
		for i, values := range m.Values {
			for at, p := range values {
				if taken[m.Selectors[i]] == "" && !used[at] && (row < 0 || p > m.Values[row][column]) {
					row, column = i, at
				}
			}
		}
		taken[m.Selectors[row]], used[column] = m.Names[column], true
	}
	if !slices.Equal(taken, bySelector) {
		c.Errorf("after %s, step %d: the unique argmax of P is %v, the selection %v", strings.Join(c.did, ", "), status.Step, taken, bySelector)
	}
	looks := must(s.History(ctx, session.HistoryRequest{Metrics: []string{"loss"}, Selectors: true})).Selectors
	if last := len(looks.Looks) - 1; last >= 0 && looks.Looks[last].Step == status.Step {
		for _, f := range selection {
			if leader := looks.Names[looks.Looks[last].Leaders[f.Selector]]; leader != f.Name && f.LostTo == nil {
				c.Errorf("after %s, step %d: the last look saw %s, the selection has %s", strings.Join(c.did, ", "), status.Step, leader, f.Name)
			}
		}
	}
	return want
}

// press presses a button at random, around the step at which the training ended first.
func (c *chosen) press(draw *rand.Rand, config session.Config, ended int) {
	c.Helper()
	ctx, s := c.Context(), session.On(c.host, "choice")
	at := must(s.Status(ctx)).Step
	switch draw.IntN(7) {
	case 0:
		c.did = append(c.did, "run")
		must(s.Run(ctx, session.Until{}))
	case 1:
		n := 1 + draw.IntN(5)
		c.did = append(c.did, fmt.Sprint("step ", n))
		must(s.Step(ctx, n))
	case 2:
		to := min(at, max(0, ended+draw.IntN(3)-1))
		c.did = append(c.did, fmt.Sprint("rewind to ", to))
		must(s.Rewind(ctx, to))
	case 3:
		to := draw.IntN(at + 1)
		c.did = append(c.did, fmt.Sprint("rewind to ", to))
		must(s.Rewind(ctx, to))
	case 4: // changes no step that was made, and a rewind undoes it
		c.did = append(c.did, "set dropout and rewind")
		must(s.Set(ctx, session.Config{Dropout: new(0.1 + 0.1*float64(draw.IntN(3)))}))
		must(s.Rewind(ctx, max(0, at-1)))
	case 5: // goes on as its fork
		c.did = append(c.did, "fork")
		before := c.agreed()
		must(session.VerbFork.Call(ctx, c.host, session.ForkRequest{Session: "choice", As: "branch", Step: &at, Replace: true}))
		if err := s.Close(ctx); err != nil {
			c.Fatal(err)
		}
		must(session.VerbFork.Call(ctx, c.host, session.ForkRequest{Session: "branch", As: "choice", Step: &at, Replace: true}))
		if after := c.agreed(); !slices.Equal(before, after) {
			c.Errorf("after %s: %v become %v", strings.Join(c.did, ", "), before, after)
		}
		if err := session.On(c.host, "branch").Close(ctx); err != nil {
			c.Fatal(err)
		}
	case 6:
		c.did = append(c.did, "restart")
		before := c.agreed()
		c.host.Shutdown()
		c.start()
		if now := c.open(config); now.Step != at {
			c.Fatalf("after %s: step %d became %d", strings.Join(c.did, ", "), at, now.Step)
		}
		if after := c.agreed(); !slices.Equal(before, after) {
			c.Errorf("after %s: %v become %v", strings.Join(c.did, ", "), before, after)
		}
	}
}

// Whatever buttons are pressed, and in whatever order, everything that names the choice names the same features, and a step that is reached
// again has the same ones: where the contest exchanges a feature, and where a pair is held from the first step.
func TestViews_OneChoice(t *testing.T) {
	random := num.RNG(3, "one choice")
	pair, middle := "class,M0,M1", "class,M"
	for j := range 40 {
		pair, middle = pair+fmt.Sprint(",g", j), middle+fmt.Sprint(",g", j)
	}
	for i := range 100 {
		class := i % 2
		a, b := random.NormFloat64(), random.NormFloat64()
		if a*b > 0 != (class == 1) {
			b = -b
		}
		pair += fmt.Sprintf("\n%s,%.4f,%.4f", []string{"well", "ill"}[class], a, b)
		middle += fmt.Sprintf("\n%s,%.4f", []string{"well", "ill"}[class], 0.2*random.NormFloat64()+2*float64(class*(2*random.IntN(2)-1)))
		for range 40 {
			cell := fmt.Sprintf(",%.4f", random.NormFloat64())
			pair, middle = pair+cell, middle+cell
		}
	}
	for name, table := range map[string]string{"pair": pair, "middle": middle} {
		t.Run(name, func(t *testing.T) {
			c := &chosen{T: t, directory: t.TempDir()}
			if err := os.WriteFile(filepath.Join(c.directory, "table.csv"), []byte(table+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			config := session.Config{Data: "table.csv", Label: "class", K: 3, Hidden: []int{4}, Epochs: 60, Backend: "go", Seed: 1, Batch: new(16)}
			c.start()
			defer func() { c.host.Shutdown() }()
			c.open(config)
			at := map[int][]string{0: c.agreed()}
			ended := must(session.On(c.host, "choice").Run(t.Context(), session.Until{}))
			at[ended.Step] = c.agreed()
			if markers := map[string][]string{"pair": {"M0", "M1"}, "middle": {"M"}}[name]; slices.ContainsFunc(markers, func(m string) bool {
				return !slices.Contains(at[ended.Step], m)
			}) || len(ended.Contest.Exchanges) == 0 && name == "middle" {
				t.Fatalf("%v are chosen: this test says nothing; %+v", at[ended.Step], ended.Contest)
			}
			draw := num.RNG(5, "buttons "+name)
			for range 25 {
				c.press(draw, config, ended.Step)
				now := must(session.On(c.host, "choice").Status(t.Context())).Step
				names := c.agreed()
				if before := at[now]; before == nil {
					at[now] = names
				} else if !slices.Equal(names, before) {
					t.Errorf("after %s: at step %d %v are chosen, which were %v", strings.Join(c.did, ", "), now, names, before)
				}
			}
		})
	}
}
