package study

import (
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// FsNet under several settings in one table: each is what it is alone with these options, and the others are tested against the first.
func TestFsNetMoreThanOnce(t *testing.T) {
	p := some(t, "fsnet:protocol=paper,epochs=7,anova,fsnet", 2, 2)
	rows := made(t, p, nil)
	alone := options()
	alone.Protocol, alone.Epochs, alone.Split = config.Paper, 7, "stratified" // splits are the table's, whatever the protocol
	methods, err := Methods(FsNet)
	if err != nil {
		t.Fatal(err)
	}
	single, err := New(p.Data, alone, methods, p.K, p.Splits)
	if err != nil {
		t.Fatal(err)
	}
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
	if table.Entries[0].Splits != 2 || table.Entries[2].Splits != 2 || *table.Entries[0].AccuracyOwn == *table.Entries[2].AccuracyOwn {
		t.Errorf("their rows are mixed: %+v", table.Entries)
	}
	if r := table.Ranking; r == nil || len(r.Ranks) != 3 {
		t.Errorf("%+v", r)
	}
}

// Every key of a configuration is one that holds for all methods or one that FsNet's name takes, and what a name takes changes the identity
// of its rows.
func TestEveryKeyHasItsPlace(t *testing.T) {
	other := map[string]string{
		"protocol": "paper", "epochs": "7", "batch": "4", "learning_rate": "0.5", "selector_learning_rate": "0.5", "lambda": "0.5",
		"reconstruction": "sum", "dropout": "0.5", "tau0": "5", "tau_end": "0.5", "schedule": "points:0=3,4=1", "embedding": "histogram",
		"standardize_embedding": "false,embedding=class-deviation", "selector_logits": "softmax-selectors", "predictor_hidden": "3,2", "hidden": "8,4",
		"class_weight": "balanced", "stop": "patience:5", "tau_every": "epoch",
		"screen": "0", "sharpness": "5", "sharpness_schedule": "linear", "selector_growth": "2", "repulsion": "1",
		"bins": "4", "must": "noise3", "never": "noise3", "cost": "noise3:2", "feature_groups": "noise3:a", "group_limit": "2",
		"learning_rate_decay": "0.1", "tau_pace": "2", "selection": "sample", "evaluation": "as-built",
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

// With a split_seed split s is that of split_seed + s, for FsNet and the others, and the method's seed goes its own way.
func TestSplitSeed(t *testing.T) {
	p := some(t, "fsnet,anova,random", 2, 2)
	o := options()
	o.SplitSeed = new(o.Seed + 1)
	apart, err := New(p.Data, o, p.Methods, p.K, p.Splits)
	if err != nil {
		t.Fatal(err)
	}
	moved := made(t, apart, nil)
	o.Seed, o.SplitSeed = o.Seed+1, nil
	plain, err := New(p.Data, o, p.Methods, p.K, p.Splits)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range made(t, plain, nil) { // the same splits, and other seeds of the methods
		got := moved[i]
		if got.Method == "anova" && (!slices.Equal(got.Selected, want.Selected) || *got.AccuracySVM != *want.AccuracySVM) {
			t.Errorf("split %d: anova has %v, %v, and on that split %v, %v", got.Split, got.Selected, *got.AccuracySVM, want.Selected, *want.AccuracySVM)
		}
		if got.Seed != want.Seed-1 || got.Settings == want.Settings {
			t.Errorf("seed %d and %d, settings %q and %q", got.Seed, want.Seed, got.Settings, want.Settings)
		}
		if got.Method == "random" && slices.Equal(got.Selected, want.Selected) {
			t.Errorf("split %d: another seed draws the same features", got.Split)
		}
	}
}

// fsnet-path is one training a split, with the largest K, whose first features the rows of a smaller K have. Another largest K makes other
// rows.
func TestNested(t *testing.T) {
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
		case r.Error != "" || r.AccuracySVM == nil || (r.AccuracyOwn != nil) != (r.Method == FsNet):
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

// Names of features that a comma separates belong to the setting that lists them, as typed, up to what a method or a setting is called.
func TestListsOfFeaturesInAName(t *testing.T) {
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
