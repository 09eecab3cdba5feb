package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/dataset"
)

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

	_, err = dataset.FindFeatures("features", "cohort.csv", []string{"EGFRR"}, features)
	fmt.Println(err)
	// Output:
	// [EGFR TP53] [2 0] <nil>
	// features: cohort.csv has no feature "EGFRR" - did you mean EGFR?
}

// What a file says has a hash, in which comments do not count; a list that was typed says it all.
func ExampleHashFeatureList() {
	dir, err := os.MkdirTemp("", "panel")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "genes.txt"), []byte("EGFR\n# dear\nTP53\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	ofFile, err := dataset.HashFeatureList("must", "genes.txt", dir)
	fmt.Println(ofFile, err)
	ofList, err := dataset.HashFeatureList("must", "EGFR,TP53", dir)
	fmt.Printf("%q %v\n", ofList, err)
	// Output:
	// c4c42400acbf <nil>
	// "" <nil>
}

// What each feature costs, as it is typed.
func ExampleReadFeaturePairs() {
	pairs, err := dataset.ReadFeaturePairs("cost", "TP53:2.5,MYC:1", ".", []string{"TP53", "MYC"})
	for _, p := range pairs {
		fmt.Println(p.Name, p.Value)
	}
	fmt.Println(err)
	// Output:
	// TP53 2.5
	// MYC 1
	// <nil>
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
