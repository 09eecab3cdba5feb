package replica_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// listed is a plan of replicas of a small table, with made-up rows.
func listed(t *testing.T, change func(*config.Config)) *replica.Listing {
	t.Helper()
	options := config.Config{Data: "cohort.csv", K: 1, Epochs: 60, Seed: 7}
	if change != nil {
		change(&options)
	}
	data := &dataset.Dataset{Name: "cohort", N: 40, D: 3, Features: []string{"a", "b", "c"}, Classes: []string{"x", "y"},
		Hash: strings.Repeat("ab", 32)}
	l, err := replica.List(data, options, 6, "go", ".")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// madeUp is a row of replica r of a listing with figures that no float32 holds.
func madeUp(t *testing.T, l *replica.Listing, r int) replica.Row {
	t.Helper()
	seed := l.Cells[r].Seed
	row, ok := l.Row(replica.Replica{Seed: seed, Result: &replica.Result{
		Dataset: "cohort", N: 40, D: 3, K: 1, Seed: seed, Seconds: 1 + float64(r), StepsPerSecond: 3, Device: "this one",
		AccuracyTest: 1.0 / (3 + float64(r)),
		Selected:     []replica.Selected{{Rank: 1, Index: r % 3, Name: "abc"[r%3 : r%3+1], Probability: 0.1 * float64(r)}}, Steps: 10,
		Notes: replica.Notes{Majority: 2.0 / 3, Reason: "because", Source: "cohort.csv"},
	}})
	if !ok {
		t.Fatalf("no row of seed %d", seed)
	}
	return row
}

func textOf(t *testing.T, object any) string {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A plan comes back from its file, and each of its parts once.
func TestListingIsWrittenAndRead(t *testing.T) {
	l := listed(t, nil)
	text, err := l.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, plan, err := replica.ReadListing(text)
	if err != nil {
		t.Fatal(err)
	}
	if textOf(t, again) != textOf(t, l) || strings.Count(string(text), "\n    {\"id\"") != 6 {
		t.Errorf("%s", text)
	}
	if plan.Replicas != 6 || plan.Settings.Seed != 7 || plan.Settings.Backend != "go" ||
		plan.Settings.Data != "cohort.csv" || plan.DataHash != l.Data.Hash {
		t.Errorf("%+v", plan)
	}
	ids := map[string]bool{}
	for r, c := range l.Cells {
		ids[c.ID] = true
		if c.Seed != plan.Seed(r) {
			t.Errorf("replica %d has the seed %d", r, c.Seed)
		}
	}
	if len(ids) != 6 {
		t.Errorf("%d ids of 6 replicas", len(ids))
	}
	for n := 1; n <= 8; n++ {
		var all []int
		for i := 1; i <= n; i++ {
			part, err := l.Part(i, n)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, part...)
		}
		if !slices.Equal(all, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("%d parts are %v", n, all)
		}
	}
	if chosen, err := l.Choose([]string{l.Cells[4].ID, " " + strings.ToUpper(l.Cells[1].ID), l.Cells[4].ID}); err != nil ||
		!slices.Equal(chosen, []int{1, 4}) {
		t.Errorf("%v, %v", chosen, err)
	}
}

// Whatever a result is a function of is in the id, and what it is not a function of is not.
func TestIdentityIsAllThatAResultFollowsFrom(t *testing.T) {
	first := listed(t, nil).Cells[2].ID
	for name, change := range map[string]func(*config.Config){
		"epochs": func(c *config.Config) { c.Epochs = 61 }, "k": func(c *config.Config) { c.K = 2 },
		"protocol":   func(c *config.Config) { c.Protocol = config.Paper },
		"split_seed": func(c *config.Config) { c.SplitSeed = new(int64(9)) }, "seed": func(c *config.Config) { c.Seed = 8 },
	} {
		if id := listed(t, change).Cells[2].ID; id == first {
			t.Errorf("%s changes no id", name)
		}
	}
	if id := listed(t, func(c *config.Config) { c.Seed = 8 }).Cells[1].ID; id != first {
		t.Error("a replica of another plan with its seed has another id")
	}
	if id := listed(t, func(c *config.Config) { c.Lambda = new(1.0) }).Cells[2].ID; id != first {
		t.Error("a key that is given as it is anyway changes the id")
	}
}

// However rows are grouped, in files and merges, the same comes of them, to the bit.
func TestMergeIsTheSameInAnyOrderAndGrouping(t *testing.T) {
	l := listed(t, nil)
	var rows []replica.Row
	for r := range 6 {
		rows = append(rows, madeUp(t, l, r))
	}
	want, err := l.Merge([]replica.File{{Name: "all", Rows: rows}})
	if err != nil || len(want) != 6 || len(l.Missing(want)) != 0 {
		t.Fatal(err, want)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		files := make([]replica.File, 3)
		for _, i := range random.Perm(6) {
			to := &files[random.IntN(3)]
			line, err := rows[i].Line()
			if err != nil {
				t.Fatal(err)
			}
			read, half, err := replica.ReadRows(line)
			if err != nil || len(half) > 0 {
				t.Fatal(err, half)
			}
			to.Rows = append(to.Rows, read...)
		}
		got, err := l.Merge(files)
		if err != nil || textOf(t, got) != textOf(t, want) || got[3].Result.Notes != want[3].Result.Notes {
			t.Fatalf("%v\n%s\n%s", err, textOf(t, got), textOf(t, want))
		}
	}
	// Another machine took longer and has another name: the same replica. One that failed there is no news.
	slow := madeUp(t, l, 0)
	result := *slow.Result
	result.Seconds, result.Device = 99, "another"
	slow.Result = &result
	bad, ok := l.Row(replica.Replica{Seed: rows[1].Seed, Err: fault.New(fault.Failed, "", "no memory")})
	if !ok {
		t.Fatal("no row of a failure")
	}
	got, err := l.Merge([]replica.File{{Name: "b", Rows: []replica.Row{slow, bad}}, {Name: "a", Rows: rows}})
	if err != nil || textOf(t, got) != textOf(t, want) {
		t.Errorf("%v\n%s", err, textOf(t, got))
	}
	if got, err := l.Merge([]replica.File{{Name: "b", Rows: []replica.Row{bad}}}); err != nil || len(got) != 1 ||
		got[0].Err == nil || len(l.Missing(got)) != 5 {
		t.Errorf("%v, %v", got, err)
	}
}

// Rows of something else, and files that somebody changed, are named, and never a wrong report.
func TestMergeRefuses(t *testing.T) {
	l := listed(t, nil)
	row := madeUp(t, l, 2)
	other := func(change func(*replica.Identity)) replica.Row {
		r := row
		change(&r.Identity)
		r.ID = r.Identity.ID()
		return r
	}
	wrong := *row.Result
	wrong.AccuracyTest = 0.3333333333333334
	disagrees := row
	disagrees.Result = &wrong
	swapped := row
	swapped.Result = madeUp(t, l, 3).Result
	for want, files := range map[string][]replica.File{
		"of other settings":                   {{Rows: []replica.Row{other(func(i *replica.Identity) { i.Settings = "epochs=1" })}}},
		"of version 1 of FsNet":               {{Rows: []replica.Row{other(func(i *replica.Identity) { i.Version = 1 })}}},
		"trained on xla:cuda":                 {{Rows: []replica.Row{other(func(i *replica.Identity) { i.Device = "xla:cuda" })}}},
		"of other data":                       {{Rows: []replica.Row{other(func(i *replica.Identity) { i.Data = "123" })}}},
		"of another K":                        {{Rows: []replica.Row{other(func(i *replica.Identity) { i.K = 2 })}}},
		"of version 9 of splits":              {{Rows: []replica.Row{other(func(i *replica.Identity) { i.Results = 9 })}}},
		"a row of seed 13":                    {{Rows: []replica.Row{other(func(i *replica.Identity) { i.Seed = 13 })}}},
		"does not match its id":               {{Rows: []replica.Row{{Cell: replica.Cell{ID: row.ID, Identity: madeUp(t, l, 1).Identity}}}}},
		"two rows of seed 9":                  {{Rows: []replica.Row{row, row}}},
		"a result of another replica":         {{Rows: []replica.Row{swapped}}},
		"first and second disagree on seed 9": {{Name: "first", Rows: []replica.Row{row}}, {Name: "second", Rows: []replica.Row{disagrees}}},
	} {
		if got, err := l.Merge(files); err == nil || !strings.Contains(err.Error(), want) || !fault.Is(err, fault.Request) {
			t.Errorf("%v, %v, wanted %q", got, err, want)
		}
	}
}

func TestReadRowsFindsBadLines(t *testing.T) {
	line, err := madeUp(t, listed(t, nil), 0).Line()
	if err != nil {
		t.Fatal(err)
	}
	rows, half, err := replica.ReadRows(append(line, line[:30]...))
	if err != nil || len(rows) != 1 || string(half) != string(line[:30]) {
		t.Errorf("%v, %q, %v", rows, half, err)
	}
	for _, text := range []string{"{}\n", "dataset,method\n", `{"id":"a"}` + "\n", "\n", `{"id":"a","result":{},"error":{}}` + "\n"} {
		if _, _, err := replica.ReadRows(append(slices.Clone(line), text...)); err == nil || !strings.Contains(err.Error(), "line 2 is not a row") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReadListingRefuses(t *testing.T) {
	text, err := listed(t, nil).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for want, from := range map[string][2]string{
		"a plan of another fsnet":                    {"fsnet replicas 1", "fsnet replicas 2"},
		"not a plan of fsnet replicas":               {"fsnet replicas 1", "something"},
		"a plan of fsnet compare":                    {"fsnet replicas 1", "fsnet plan 1"},
		"lists 6 replicas but says that there are 5": {`"replicas": 6`, `"replicas": 5`},
		"does not match its id":                      {`"seed":9,`, `"seed":10,`},
		"of other settings":                          {`"epochs": "60"`, `"epochs": "61"`},
		"epochs":                                     {`"epochs": "60"`, `"epochs": "0"`},
	} {
		changed := strings.Replace(string(text), from[0], from[1], 1)
		if _, _, err := replica.ReadListing([]byte(changed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, wanted %q", err, want)
		}
	}
	if _, _, err := replica.ReadListing(text[:100]); err == nil {
		t.Error("half a plan is a plan")
	}
}

// Workers train those that are asked for, each as among all, names each when it is done, and refuses other data than the plan's.
func TestOnlySomeReplicas(t *testing.T) {
	settings, directory := cohort()
	plan := replica.Plan{Settings: settings, Directory: directory, Replicas: 5}
	runner := &replica.Workers{Count: 2, Command: (&fleet{}).command}
	all, err := runner.Run(t.Context(), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	some := plan
	some.Only = []int{3, 1}
	var finished []int64
	got, err := runner.Run(t.Context(), some, func(p replica.Progress) {
		if p.Finished != nil {
			finished = append(finished, p.Finished.Seed)
		}
		if p.Replicas != 2 {
			t.Errorf("%d replicas", p.Replicas)
		}
	})
	if err != nil || len(got) != 2 || got[0].Seed != all[3].Seed || got[1].Seed != all[1].Seed {
		t.Fatalf("%v, %+v", err, got)
	}
	for i, from := range some.Only {
		if textOf(t, got[i].Result.Timeless()) != textOf(t, all[from].Result.Timeless()) {
			t.Errorf("replica %d is %+v, among all %+v", from, got[i].Result, all[from].Result)
		}
	}
	if slices.Sort(finished); !slices.Equal(finished, []int64{all[1].Seed, all[3].Seed}) {
		t.Errorf("finished are %v", finished)
	}
	some.DataHash = strings.Repeat("0", 64)
	if _, err := runner.Run(t.Context(), some, nil); !fault.Is(err, fault.Request) ||
		!strings.Contains(err.Error(), "is not the data set of the plan") {
		t.Errorf("other data: %v", err)
	}
	some.Only = []int{} // none, as of an empty part
	quick, cancel := context.WithTimeout(t.Context(), time.Minute)
	if got, err := runner.Run(quick, some, nil); err != nil || len(got) != 0 || quick.Err() != nil {
		t.Errorf("none: %v, %v, %v", got, err, quick.Err())
	}
	cancel()
	some.Only = []int{1, 1}
	if _, err := runner.Run(context.Background(), some, nil); !fault.Is(err, fault.Request) {
		t.Errorf("twice: %v", err)
	}
}
