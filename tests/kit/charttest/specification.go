package charttest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//nolint:gochecknoglobals // a flag of the tests
var specifications = flag.String("specifications", "", "write the Vega-Lite specifications into this `directory`")

// SpecificationStandsAlone checks that a specification names no address, contains its data and
// marks, and does not override the theme. With -specifications it writes the specification to that
// directory.
func SpecificationStandsAlone(t *testing.T, name string, spec json.RawMessage) {
	t.Helper()
	if *specifications != "" {
		if err := os.WriteFile(filepath.Join(*specifications, name+".json"), spec, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var tree map[string]any
	DecodeJSON(t, spec, &tree)
	if got, want := tree["$schema"], "https://vega.github.io/schema/vega-lite/v5.json"; got != want {
		t.Errorf("%s: $schema is %v, want %v", name, got, want)
	}
	delete(tree, "$schema")
	if tree["background"] != "transparent" {
		t.Errorf("%s: background is %v: it must let the theme through", name, tree["background"])
	}
	if tree["description"] == "" {
		t.Errorf("%s: nothing is said for those who cannot see it", name)
	}
	marks := 0
	Walk(tree, "", func(path, key string, value any) {
		if key == "mark" {
			marks++
		}
		if key == "url" || key == "href" {
			t.Errorf("%s%s names an address: %v", name, path, value)
		}
		if s, ok := value.(string); ok && strings.Contains(s, "://") {
			t.Errorf("%s%s holds an address: %s", name, path, s)
		}
		if key == "data" {
			if _, ok := value.(map[string]any)["values"]; !ok {
				t.Errorf("%s%s: the data are not inside", name, path)
			}
		}
	})
	if marks == 0 {
		t.Errorf("%s has no view with a mark", name)
	}
}

// Walk visits every value of a decoded JSON tree.
func Walk(value any, path string, visit func(path, key string, value any)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			visit(path+"/"+key, key, inner)
			Walk(inner, path+"/"+key, visit)
		}
	case []any:
		for i, inner := range v {
			Walk(inner, fmt.Sprintf("%s/%d", path, i), visit)
		}
	}
}
