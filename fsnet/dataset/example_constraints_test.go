package dataset_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// One feature is wanted, one is not, and one is dear; names are the data's.
func ExampleReadConstraints() {
	data, err := dataset.New("cohort", []float32{1, 2, 3, 4, 2, 1, 5, 3}, []string{"TP53", "MYC", "EGFR", "KRAS"}, []string{"a", "b"})
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := dataset.ReadConstraints(config.Settings{K: 2, Must: []string{"EGFR"}, Never: []string{"MYC"}, Cost: "KRAS:2.5"}, data)
	fmt.Println(k, err)

	_, err = dataset.ReadConstraints(config.Settings{K: 2, Must: []string{"MYC"}, Never: []string{"MYC"}}, data)
	fmt.Println(err)
	// Output:
	// 1 must be chosen, 1 never, 1 with a cost <nil>
	// MYC is both in must and in never - take it out of one of them
}

// A list of genes is edited between two comparisons: the rows of the first say what it was.
func ExampleConstraintFilesOf() {
	dir, err := os.MkdirTemp("", "known")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	settings := config.Settings{K: 2, Must: []string{"genes.txt"}}
	says := func(genes string) dataset.ConstraintFiles {
		err := os.WriteFile(filepath.Join(dir, "genes.txt"), []byte(genes), 0o600)
		files, asked := dataset.ConstraintFilesOf(settings, dir)
		if err := errors.Join(err, asked); err != nil {
			fmt.Println(err)
		}
		return files
	}
	then, again, now := says("EGFR\n"), says("# the same\nEGFR\n"), says("TP53\n")
	fmt.Println(dataset.ConstraintKeys())
	fmt.Println(then.Marks())
	fmt.Printf("%q\n", then.Changed(again, settings))
	fmt.Println(then.Changed(now, settings))
	fmt.Println(dataset.ChangedMarks(map[string]string{"must": "genes.txt", "must_hash": then["must"]}, map[string]string{"must": "genes.txt"}))
	// Output:
	// [must never cost feature_groups]
	// [must_hash=56bc8715d482]
	// ""
	// genes.txt (must) has changed: its hash was 56bc8715d482, and is now ca80a94f3784
	// made with another content of genes.txt (must): its hash was 56bc8715d482, and is now that of no file
}

// What a training is told: how many of some columns can be chosen at once, which one must be, and what is added to the selectors' logits.
func ExampleConstraints_LogitBias() {
	data, err := dataset.New("cohort", []float32{1, 2, 3, 4, 2, 1, 5, 3}, []string{"TP53", "MYC", "EGFR", "KRAS"}, []string{"a", "b"})
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := dataset.ReadConstraints(config.Settings{K: 2, Must: []string{"EGFR"}, Never: []string{"MYC"}, Cost: "KRAS:2.5"}, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	columns := []int{0, 1, 2, 3}
	bias := k.LogitBias(columns, 2, 1000)
	fmt.Println(k.Most(columns), "of 4 can be chosen;", k.IsRequired(2), "for EGFR; the hash has", len(k.Hash()), "digits")
	for selector := range 2 {
		fmt.Printf("%.1f\n", bias.Logits[4*selector:4*selector+4])
	}
	// Output:
	// 3 of 4 can be chosen; true for EGFR; the hash has 64 digits
	// [-1000.0 -1000.0 0.0 -1000.0]
	// [0.0 -1000.0 -1000.0 -0.9]
}

// A panel is typed, or a file with a name a line. A name that the data do not have is refused with the nearest that they have.
func ExampleFindFeatures() {
	features := []string{"TP53", "MYC", "EGFR", "KRAS"}
	names, err := dataset.ReadFeatureList("features", "EGFR, TP53, EGFR", ".", features)
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := dataset.FindFeatures("features", "cohort.csv", names, features)
	fmt.Println(names, at, err)

	_, err = dataset.FindFeatures("features", "cohort.csv", []string{"egfr"}, features)
	fmt.Println(err)
	// Output:
	// [EGFR TP53] [2 0] <nil>
	// features: cohort.csv has no feature "egfr" - did you mean EGFR?
}

// Symbols of features that the data name otherwise; a line of headings is left out.
func ExampleReadSymbols() {
	dir, err := os.MkdirTemp("", "symbols")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "genes.tsv"), []byte("feature\tsymbol\nX95735_at\tZYX\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	symbols, err := dataset.ReadSymbols("genes.tsv", dir)
	fmt.Println(symbols, err)
	// Output:
	// map[X95735_at:ZYX] <nil>
}
