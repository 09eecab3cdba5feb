package study_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

// The experiment of docs/lab/comparators.md on what error control is worth, which takes minutes, so that it runs when it is asked for:
//
//	go test ./fsnet/planted -run ErrorControl -v -timeout 2h -control 5
var (
	control = flag.Int("control", 0, "make the experiment on error control with so many repeats a kind")
	data    = flag.String("data", "ALLAML", "data set, a built-in one or a file")
	methods = flag.String("methods", "deeppink:fdr=0.2 deeppink:fdr=0.2,screen=half deeppink:fdr=0.2,pool=50",
		"methods that say which features they vouch for, with spaces between")
)

// TestErrorControl prints how many features methods vouch for (those that are no padding), and which part of these is false.
func TestErrorControl(t *testing.T) {
	if *control == 0 {
		t.Skip("SKIPPED: an experiment of minutes; -control 1 makes a small one")
	}
	settings, err := config.Config{Data: *data}.Resolve()
	must(err)
	d, err := dataset.Open(t.Context(), settings, ".")
	must(err)
	on, err := device.OpenScope(t.Context(), "auto")
	must(err)
	defer on.Close()
	var lines strings.Builder
	for _, kind := range study.Kinds() {
		type tally struct {
			vouched           int
			fdr, alike, power float64
		}
		counted := map[string]*tally{}
		for repeat := range *control {
			set, truth, err := study.Plant(d, study.PlantOptions{Kind: kind, Repeat: repeat, Strength: 10})
			must(err)
			settings.Data, settings.K = set.Name, 50
			settings.TestFraction = 1e-9 // one row: all others are training rows
			prepared, err := dataset.PrepareContext(t.Context(), set, settings)
			must(err)
			rows := baseline.Of(prepared, prepared.Parts.Train)
			for name := range strings.FieldsSeq(*methods) {
				m, err := comparators.Named(name)
				must(err)
				model, err := m.Fit(t.Context(), rows, baseline.Options{K: 50, Seed: int64(repeat), Device: on})
				must(err)
				var list []int
				for _, f := range model.Selected {
					if !f.Padding {
						list = append(list, prepared.Kept[f.Index])
					}
				}
				if counted[name] == nil {
					counted[name] = new(tally)
				}
				c, figures, n := counted[name], truth.Judge(list), float64(*control)
				c.vouched += len(list)
				c.fdr, c.alike, c.power = c.fdr+figures.FDR/n, c.alike+figures.FDRAlike/n, c.power+figures.PowerAlike/n
				t.Logf("%s %d, %s: %d features, %+v", kind, repeat, name, len(list), figures)
			}
		}
		for name := range strings.FieldsSeq(*methods) {
			c := counted[name]
			fmt.Fprintf(&lines, "| %s | `%s` | %.1f | %.2f | %.2f | %.2f |\n", kind, name, float64(c.vouched)/float64(*control), c.fdr, c.alike, c.power)
		}
	}
	t.Logf("\n| kind | method | features | FDR | FDR+ | power+ |\n|---|---|---|---|---|---|\n%s", lines.String())
}
