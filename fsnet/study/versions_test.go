package study

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what this program comes to")

// versioned is what a method of some version comes to.
type versioned struct {
	Version           int      `json:"version"`
	Judge             string   `json:"judge"`
	Selected          []string `json:"selected,omitempty"`
	AccuracySVM       string   `json:"accuracy_svm"`
	AccuracyOwn       string   `json:"accuracy_own,omitempty"`
	BalancedAccuracy  string   `json:"balanced_accuracy"`
	MutualInformation string   `json:"mutual_information,omitempty"`
	ModelKB           string   `json:"model_kb"`
}

// What a version comes to it comes to for good: whoever changes what a method selects or predicts raises its version, so that rows of
// before are refused rather than mixed with those of now.
func TestVersions(t *testing.T) {
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
		now[r.Method] = versioned{r.Version, r.Judge, r.Selected, text(r.AccuracySVM), text(r.AccuracyOwn), text(r.BalancedAccuracy), text(r.MutualInformation), text(r.ModelKB)}
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
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
