package widgets_test

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets"
)

// Each verb asks the kernel for its view of the session.
func TestViews_AskTheKernel(t *testing.T) {
	for _, c := range []struct {
		name string
		verb func(session.Session)
		want map[string]any
	}{
		{"matrix", func(s session.Session) { widgets.SelectionMatrix(s) }, map[string]any{"view": "matrix"}},
		{"sample", func(s session.Session) {
			widgets.SelectionMatrix(s, session.MatrixRequest{Of: "sample", Top: 20})
		}, map[string]any{"view": "matrix", "of": "sample", "top": 20.0}},
		{"live", func(s session.Session) { widgets.LiveMatrix(s, session.MatrixRequest{Of: "soft"}) },
			map[string]any{"view": "matrix", "of": "soft", "live": true}},
		{"panel", widgets.TrainingPanel, map[string]any{"view": "panel"}},
		{"feature", func(s session.Session) { widgets.Feature(s, "CST3") }, map[string]any{"view": "feature", "feature": "CST3"}},
		{"anneal", widgets.AnnealingInspector, map[string]any{"view": "anneal"}},
		{"table", widgets.FeatureTable, map[string]any{"view": "table"}},
		{"convergence", func(s session.Session) { widgets.Convergence(s) }, map[string]any{"view": "convergence"}},
		{"heatmap", func(s session.Session) { widgets.Heatmap(s) }, map[string]any{"view": "heatmap"}},
		{"test rows", func(s session.Session) { widgets.Heatmap(s, session.RowsRequest{Test: true}) },
			map[string]any{"view": "heatmap", "test": true}},
		{"pca", widgets.PCA, map[string]any{"view": "pca"}},
		{"distributions", widgets.Distributions, map[string]any{"view": "distributions"}},
		{"curves", func(s session.Session) { widgets.Curves(s) }, map[string]any{"view": "curves"}},
		{"loss", func(s session.Session) {
			widgets.Curves(s, session.HistoryRequest{Metrics: []string{"loss"}, From: 5, Points: 100, Smooth: new(0)})
		}, map[string]any{"view": "curves", "metrics": []any{"loss"}, "from": 5.0, "points": 100.0, "smooth": 0.0}},
		{"selection", widgets.SelectionTable, map[string]any{"view": "selection"}},
		{"summary", widgets.Summary, map[string]any{"view": "summary"}},
		{"evaluation", func(s session.Session) { widgets.Evaluation(s, "test") }, map[string]any{"view": "evaluation", "part": "test"}},
		{"status", widgets.Status, map[string]any{"view": "status"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.verb(session.Use(c.name, session.Config{}))
			c.want["session"] = c.name
			if got := asked.seen(t, c.name); !reflect.DeepEqual(got, c.want) {
				t.Errorf("asked for %v, want %v", got, c.want)
			}
		})
	}
}

// The package links little, because cells wait for what they link.
func TestShow_LinksLittle(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "fsnetlab/widgets").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{"fsnetlab/widgets": true, "fsnetlab/fsnet/session": true,
		"fsnetlab/fsnet/config": true, "fsnetlab/fsnet/errs": true, "fsnetlab/widgets/chart/words": true,
		"fsnetlab/internal/phrase": true}
	for dependency := range strings.FieldsSeq(string(out)) {
		first, _, _ := strings.Cut(dependency, "/")
		if dependency == "net/http" || strings.Contains(first, ".") || (first == "fsnetlab" && !allowed[dependency]) {
			t.Errorf("package widgets links %s into every cell", dependency)
		}
	}
}
