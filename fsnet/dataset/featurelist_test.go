package dataset

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// listFile writes a file of names.
func listFile(t testing.TB, text string) string { return write(t, "panel.txt", []byte(text)) }

func TestFeatureList(t *testing.T) {
	want := []string{"TP53", "MYC", "HLA-A"}
	path := listFile(t, "\ufeff# a panel\r\nTP53\r\n\r\nMYC\tsomething, else\n\"HLA-A\",0.5\nTP53\n")
	for text, dir := range map[string]string{"TP53, MYC,HLA-A,MYC,": "", path: "", "panel.txt": filepath.Dir(path)} {
		if got, err := ReadFeatureList("must", text, dir, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{" , ": "must names no feature", listFile(t, "# nothing\n"): "names no feature",
		listFile(t, "\x00"): "is not text", listFile(t, "a\n\t3\n"): "line 2 has no name"} {
		if _, err := ReadFeatureList("must", text, "", nil); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// A name with commas is found as it is quoted, and as it stands where its parts are no features.
func TestFeatureNamesWithCommas(t *testing.T) {
	features := []string{"G1", "PC(16:0,18:1)", "1,2-dichloroethane", "Sex, f/m", "PE(1:0"}
	want := []string{"PC(16:0,18:1)", "G1", "Sex, f/m"}
	for _, text := range []string{`"PC(16:0,18:1)",G1,"Sex, f/m"`, "PC(16:0,18:1),G1,Sex, f/m", listFile(t, "PC(16:0,18:1)\n\"G1\",0.5\nSex, f/m\n"),
		listFile(t, "PC(16:0,18:1)\t1\nG1\t2\n\"Sex, f/m\"\n")} {
		if got, err := ReadFeatureList("must", text, "", features); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	pairs := []string{"PC(16:0,18:1)", "2", "G1", "3", "PE(1:0", "4"}
	for _, text := range []string{"PC(16:0,18:1):2,G1:3,PE(1:0:4", `"PC(16:0,18:1):2",G1:3,PE(1:0:4`, `"PC(16:0,18:1)":2,G1:3,"PE(1:0":4`,
		listFile(t, "PC(16:0,18:1),2\nG1,3\nPE(1:0,4\n"), listFile(t, "\"PC(16:0,18:1)\",2\n\"G1\",3\nPE(1:0,4\n"), listFile(t, "PC(16:0,18:1)\t2\nG1\t3\nPE(1:0\t4\n")} {
		found, err := ReadFeaturePairs("cost", text, "", features)
		var got []string
		for _, p := range found {
			got = append(got, p.Name, p.Value)
		}
		if err != nil || !slices.Equal(got, pairs) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	_, err := FindFeatures("must", "cohort", []string{"PC(16:0,18:2)"}, features)
	if err == nil || !strings.Contains(err.Error(), `did you mean "PC(16:0,18:1)"?`) {
		t.Error(err)
	}
}

func TestFeaturePairs(t *testing.T) {
	got, err := ReadFeaturePairs("cost", listFile(t, "gene,cost\nTP53,2.5\n# no\nMYC\t1e3\n"), "", nil)
	if err != nil || len(got) != 2 || got[0].Name != "TP53" || got[0].Value != "2.5" || got[1].Value != "1e3" ||
		!strings.HasSuffix(got[1].Where, "panel.txt: line 4") {
		t.Errorf("%+v, %v", got, err)
	}
	for text, says := range map[string]string{"TP53\n": "line 1 has 1 field ", "a,1,2\n": "has 3 fields", "a,1\nb,2\na,3\n": `line 3: "a" is already there, in line 1`, "gene,cost\n": "names no feature", "a,\n": "has 2 fields"} {
		if _, err := ReadFeaturePairs("cost", listFile(t, text), "", nil); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
	if _, err := ReadFeaturePairs("cost", "nowhere.txt", "", nil); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

func TestFindFeatures(t *testing.T) {
	features := []string{"TP53", "MYC", "EGFR", "a", "b", "c", "d", "e", "f"}
	if at, err := FindFeatures("must", "cohort", []string{"EGFR", "TP53"}, features); err != nil || !slices.Equal(at, []int{2, 0}) {
		t.Error(at, err)
	}
	for says, names := range map[string][]string{
		`must: cohort has no feature "TP35", "MIC" - did you mean TP53, MYC?`:     {"TP35", "EGFR", "MIC"},
		`"wwwww", "xxxxx", "yyyyy", "zzzzz", "qqqqq" - name features as the data`: {"uuuuu", "vvvvv", "wwwww", "xxxxx", "yyyyy", "zzzzz", "qqqqq"},
		"nor is there a file of this name":                                        {"panel.txt"},
	} {
		if _, err := FindFeatures("must", "cohort", names, features); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// No file makes it panic, and every name that it gives is one.
func FuzzFeatureList(f *testing.F) {
	f.Add("TP53\t1\n# x\nMYC,2\n")
	f.Add("\ufeff\"a\",\n,")
	f.Add("PC(16:0,18:1),2\n\"Sex, f/m\",3\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := listFile(t, text)
		names, err := ReadFeatureList("must", path, "", nil)
		if err == nil && (len(names) == 0 || slices.Contains(names, "")) {
			t.Errorf("%q: %q", text, names)
		}
		if pairs, err := ReadFeaturePairs("cost", path, "", nil); err == nil {
			for _, p := range pairs {
				if p.Name == "" || p.Value == "" {
					t.Errorf("%q: %+v", text, pairs)
				}
			}
		}
	})
}
