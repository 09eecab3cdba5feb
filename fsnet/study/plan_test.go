package study

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
)

// folded is a plan of four folds, twice.
func folded(t *testing.T, data *dataset.Dataset, o config.Config) *Plan {
	t.Helper()
	methods := must(Methods("anova,fsnet"))
	p, err := New([]*dataset.Dataset{data}, o, methods, []int{2}, 20)
	if err == nil {
		err = p.Fold(4, 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A comparison over folds tests every row once per repeat, with the method that
// was fitted without it. Its rows continue only a run over the same folds.
func TestPlan_Folds(t *testing.T) {
	data := planted(t)
	var names []string
	for i := range data.N {
		names = append(names, fmt.Sprint("donor ", i/4))
	}
	data = must(data.WithGroups(names))
	p := folded(t, data, options())
	rows := made(t, p, nil)
	if len(rows) != 16 || p.Splits != 8 || p.Divided() != "4 folds, 2 times" || p.TestFraction(data) != 8.0/40 && p.TestFraction(data) != 12.0/40 {
		t.Fatalf("%d rows of %s, %g for testing", len(rows), p.Divided(), p.TestFraction(data))
	}
	if got := p.testPerTraining(data); math.Abs(got-1./3) > 1e-15 {
		t.Errorf("%g test rows for each training row of four folds", got)
	}
	folds := must(dataset.Folds(data, 4, 2, 11))
	tested := make([]int, data.N)
	for _, row := range rows {
		if row.Error != "" || row.Dataset != "planted" || !strings.HasSuffix(row.Settings, "folds=4") || row.Seed != 11+int64(row.Split) {
			t.Errorf("%+v", row)
		}
		if row.Method != "anova" {
			continue
		}
		prepared := must(dataset.Prepare(folds[row.Split], p.Settings))
		for _, i := range prepared.Parts.Test {
			tested[i]++
		}
	}
	if slices.Min(tested) != 2 || slices.Max(tested) != 2 {
		t.Errorf("rows are tested %v times", tested)
	}
	if again := made(t, p, rows); len(again) != len(rows) {
		t.Errorf("%d rows go on as %d", len(rows), len(again))
	}
	halves := some(t, "anova,fsnet", 2, 2)
	halves.Data = p.Data
	if err := halves.Check(opened(t).Name, rows); !errs.Is(err, errs.Request) {
		t.Errorf("rows of folds go on as rows of halves: %v", err)
	}
}

// What a plan foretells holds for the rows that its splits train on, even where
// test_fraction doesn't apply to them.
func TestPlan_ForetellsFolds(t *testing.T) {
	data := planted(t)
	halves, folds := some(t, "svm", 1, 2), some(t, "svm", 1, 2)
	if err := folds.Fold(10, 1); err != nil {
		t.Fatal(err)
	}
	train := func(p *Plan) int {
		parts := must(dataset.Split(p.First(data), p.Settings))
		return len(parts.Train)
	}
	if train(halves) != 20 || train(folds) != 36 {
		t.Errorf("%d and %d rows to train on", train(halves), train(folds))
	}
	less, more := halves.Memory(data, "xla:cpu"), folds.Memory(data, "xla:cpu")
	if more <= less {
		t.Errorf("20 rows to train on take %d bytes, 36 take %d", less, more)
	}
}

// A split that the user gives counts as one, however often it is trained on.
func TestPlan_OwnSplitIsOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cohort.csv")
	var text strings.Builder
	text.WriteString("a,b,part,label\n")
	for i := range 20 {
		fmt.Fprintf(&text, "%d,%d,%s,%s\n", i*7%5, i*3%11, []string{"train", "train", "test"}[i%3], []string{"x", "y"}[i%2])
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Split, o.Data = "column:part", path
	settings := must(o.Resolve())
	data := must(dataset.Open(t.Context(), settings, ""))
	methods := must(Methods("fsnet,anova"))
	p, err := New([]*dataset.Dataset{data}, o, methods, []int{1}, 5)
	if err != nil || p.Divided() != "one split (column:part), 5 times" || p.testPerTraining(data) != 6./14 {
		t.Errorf("%v, %s, %g", err, p.Divided(), p.testPerTraining(data))
	}
	// One split has no interval and no test, of rows as of a listing that is
	// merged without data.
	rows := p.Cells()
	for i := range rows {
		rows[i].Score = new(float64((i + rows[i].Split) % 2))
	}
	_, bare := listingOf(t, p)
	for _, plan := range []*Plan{p, bare} {
		table := Summarize(plan, rows)[0]
		if a := table.Entries[1].AgainstFsNet; a == nil || a.P != nil || a.Better+a.Equal+a.Worse != 5 || table.Ranking != nil {
			t.Errorf("%+v, ranked %+v", a, table.Ranking)
		}
		e := table.Entries[0]
		if _, _, ok := e.Score.Interval(); ok || e.Score.SD == 0 || e.Splits != 5 || !plan.OneSplit() {
			t.Errorf("%+v of %+v", e.Score, e)
		}
	}
}

// FsNet with several settings in one table: each is what it is alone with these
// options, and the others are tested against the first.
func TestPlan_SeveralFsNets(t *testing.T) {
	p := some(t, "fsnet:protocol=paper,epochs=7,anova,fsnet", 2, 2)
	rows := made(t, p, nil)
	alone := options()
	alone.Protocol, alone.Epochs, alone.Split = config.Paper, 7, "stratified" // splits are the table's, whatever the protocol
	methods := must(Methods(FsNet))
	single := must(New(p.Data, alone, methods, p.K, p.Splits))
	var paper, plain []Row
	for _, r := range rows {
		switch r.Method {
		case "fsnet:protocol=paper,epochs=7":
			r.Method = FsNet
			paper = append(paper, r)
		case FsNet:
			plain = append(plain, r)
		}
	}
	if want := made(t, single, nil); !reflect.DeepEqual(timeless(paper), timeless(want)) {
		t.Errorf("by name %+v\nby options %+v", paper, want)
	}
	if paper[0].Settings != "protocol=paper;epochs=7" || plain[0].Settings != "epochs=5" {
		t.Errorf("settings %q and %q", paper[0].Settings, plain[0].Settings)
	}
	if slices.Equal(paper[0].Selected, plain[0].Selected) && slices.Equal(paper[1].Selected, plain[1].Selected) {
		t.Error("both protocols select the same")
	}
	table := Summarize(p, rows)[0]
	if table.Reference != "fsnet:protocol=paper,epochs=7" || table.Entries[0].AgainstFsNet != nil || table.Entries[1].AgainstFsNet == nil || table.Entries[2].AgainstFsNet == nil {
		t.Errorf("%+v", table)
	}
	if table.Entries[0].Splits != 2 || table.Entries[2].Splits != 2 || *table.Entries[0].Own == *table.Entries[2].Own {
		t.Errorf("their rows are mixed: %+v", table.Entries)
	}
	if r := table.Ranking; r == nil || len(r.Ranks) != 3 {
		t.Errorf("%+v", r)
	}
}

// Every key of a configuration either holds for all methods or can be part of
// FsNet's name. A key in the name changes the identity of its rows.
func TestPlan_EveryKeyHasItsPlace(t *testing.T) {
	other := map[string]string{
		"protocol": "paper", "epochs": "7", "batch": "4", "learning_rate": "0.5", "selector_learning_rate": "0.5", "lambda": "0.5",
		"dropout": "0.5", "tau0": "5", "tau_end": "0.5", "schedule": "points:0=3,4=1",
		"hidden":       "8,4",
		"class_weight": "balanced", "stop": "patience:5",
		"screen": "0", "sharpness": "5", "sharpness_schedule": "linear", "repulsion": "1",
		"must": "noise3", "never": "noise3", "cost": "noise3:2", "feature_groups": "noise3:a", "group_limit": "2",
	}
	if len(other) != len(Settings()) {
		t.Errorf("name another value of each of %v", Settings())
	}
	identities := map[string]string{}
	for _, key := range Settings() {
		methods, err := Methods(FsNet + ":" + key + "=" + other[key] + ",anova")
		if err != nil || len(methods) != 2 {
			t.Errorf("%s: %v, %v", key, methods, err)
			continue
		}
		p, err := New([]*dataset.Dataset{planted(t)}, config.Config{}, methods, []int{2}, 1)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		text := p.Cells()[0].Settings
		if before, ok := identities[text]; ok || text == "" {
			t.Errorf("%s and %s have the same rows: %q", key, before, text)
		}
		identities[text] = key
	}
}

// With a split_seed, split s is that of split_seed + s, for FsNet and the
// others. The method's seed is independent.
func TestPlan_SplitSeed(t *testing.T) {
	p := some(t, "fsnet,anova,random", 2, 2)
	o := options()
	o.SplitSeed = new(o.Seed + 1)
	apart := must(New(p.Data, o, p.Methods, p.K, p.Splits))
	moved := made(t, apart, nil)
	o.Seed, o.SplitSeed = o.Seed+1, nil
	plain := must(New(p.Data, o, p.Methods, p.K, p.Splits))
	for i, want := range made(t, plain, nil) { // the same splits, and other seeds of the methods
		got := moved[i]
		if got.Method == "anova" && (!slices.Equal(got.Selected, want.Selected) || *got.Score != *want.Score) {
			t.Errorf("split %d: anova has %v, %v, and on that split %v, %v", got.Split, got.Selected, *got.Score, want.Selected, *want.Score)
		}
		if got.Seed != want.Seed-1 || got.Settings == want.Settings {
			t.Errorf("seed %d and %d, settings %q and %q", got.Seed, want.Seed, got.Settings, want.Settings)
		}
		if got.Method == "random" && slices.Equal(got.Selected, want.Selected) {
			t.Errorf("split %d: another seed draws the same features", got.Split)
		}
	}
}

// fsnet-path is one training per split, with the largest K. Its first features
// are the rows of a smaller K. Another largest K makes other rows.
func TestPlan_NestedPath(t *testing.T) {
	p := some(t, "fsnet,fsnet-path,fsnet-path:lambda=0", 2, 2, 4)
	largest := map[string][]string{}
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	rows := made(t, p, nil)
	for _, r := range rows {
		if r.K == 4 {
			largest[r.Method+string(rune('0'+r.Split))] = r.Selected
		}
	}
	for _, r := range rows {
		place := r.Method + string(rune('0'+r.Split))
		switch {
		case r.Error != "" || r.Score == nil || (r.Own != nil) != (r.Method == FsNet):
			t.Errorf("%+v", r)
		case r.Method != FsNet && !slices.Equal(r.Selected, largest[place][:r.K]):
			t.Errorf("%s, k = %d: %v, and the largest %v", place, r.K, r.Selected, largest[place])
		case r.Method == FsNetPath && !slices.Equal(sorted(largest[place]), sorted(largest[FsNet+string(rune('0'+r.Split))])):
			t.Errorf("%s: %v, and fsnet %v", place, largest[place], largest)
		}
	}
	if err := some(t, "fsnet-path", 2, 2, 5).Check(opened(t).Name, rows[2:3]); err == nil {
		t.Errorf("a row of %q is taken for one of a path to 5", rows[2].Settings)
	}
}

// Names of features separated by commas belong to the setting that lists them,
// as typed, up to the next method or setting.
func TestMethods_ListsOfFeatures(t *testing.T) {
	for text, want := range map[string][]string{
		"fsnet:must=TP53,Myc,anova":                    {"fsnet:must=TP53,Myc", "anova"},
		"Fsnet:MUST=TP53, 1552_AT ,protocol=Paper,SVM": {"fsnet:protocol=paper,must=TP53,1552_AT", "svm"},
		"fsnet:cost=TP53:2,MYC:3,mrmr:criterion=miq":   {"fsnet:cost=TP53:2,MYC:3", "mrmr:criterion=miq"},
		"fsnet-path:never=A,B,hidden=64,32,random":     {"fsnet-path:never=A,B,hidden=64,32", "random"},
	} {
		methods, err := Methods(text)
		var got []string
		for _, m := range methods {
			got = append(got, m.Name)
			if again, err := Methods(m.Name); err != nil || len(again) != 1 || again[0].Name != m.Name {
				t.Errorf("%s comes back as %+v, %v", m.Name, again, err)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

var update = flag.Bool("update", false, "write what this program comes to")

// versioned is what a method of some version comes to.
type versioned struct {
	Version           int      `json:"version"`
	Judge             string   `json:"judge"`
	Selected          []string `json:"selected,omitempty"`
	Score             string   `json:"score"`
	Own               string   `json:"own,omitempty"`
	BalancedAccuracy  string   `json:"balanced_accuracy"`
	MutualInformation string   `json:"mutual_information,omitempty"`
	ModelKB           string   `json:"model_kb"`
}

// A version's results never change: if you change what a method selects or
// predicts, raise its version, so that earlier rows are rejected rather than
// mixed with new ones.
func TestVersions_NeverChange(t *testing.T) {
	const path = "testdata/versions.json"
	text := func(x *float64) string {
		if x == nil {
			return ""
		}
		return fmt.Sprintf("%.6g", *x)
	}
	now := map[string]versioned{}
	for _, r := range made(t, some(t, every(t)+",fsnet:protocol=paper", 1, 3), nil) {
		if r.Error != "" {
			t.Fatal(r.Method, r.Error)
		}
		now[r.Method] = versioned{r.Version, r.Judge, r.Selected, text(r.Score), text(r.Own), text(r.BalancedAccuracy), text(r.MutualInformation), text(r.ModelKB)}
	}
	if *update {
		out, err := json.MarshalIndent(now, "", "  ")
		if err == nil {
			err = os.WriteFile(path, append(out, '\n'), 0o644) //nolint:gosec // it is read by everybody
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	content := must(os.ReadFile(path))
	var then map[string]versioned
	if err := json.Unmarshal(content, &then); err != nil {
		t.Fatal(err)
	}
	for method, n := range now {
		name, _, _ := strings.Cut(method, ":")
		switch b, ok := then[method]; {
		case !ok || b.Version != n.Version || b.Judge != n.Judge:
			t.Errorf("%s is not in %s in its version %d, %s: run this test with -update", method, path, n.Version, n.Judge)
		case !reflect.DeepEqual(n, b):
			t.Errorf("version %d of %s, judged by %s, came to\n%+v, and now to\n%+v\nraise its version (or rowsVersion, where all methods changed), then run this test with -update", n.Version, name, n.Judge, b, n)
		}
	}
	if len(then) != len(now) {
		t.Errorf("%s has %d methods, there are %d", path, len(then), len(now))
	}
}
