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
var written = flag.String("specifications", "", "write the Vega-Lite specifications into this `directory`")

// SpecificationStandsAlone checks that a specification names no address, lets the theme through and keeps to the grammar: views of one of
// three kinds, marks with a type, data that hold the fields that the encoding names. It writes the specification where -specifications
// asks for it.
func SpecificationStandsAlone(t *testing.T, name string, spec json.RawMessage) {
	t.Helper()
	if *written != "" {
		if err := os.WriteFile(filepath.Join(*written, name+".json"), spec, 0o644); err != nil {
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
	Walk(tree, "", func(path, key string, value any) {
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
	views := 0
	checkView(t, name, tree, nil, &views)
	if views == 0 {
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

func checkView(t *testing.T, path string, view map[string]any, fields map[string]bool, views *int) {
	t.Helper()
	fields = fieldsOf(view, fields)
	for _, kind := range []string{"hconcat", "vconcat", "layer"} {
		parts, ok := view[kind].([]any)
		if !ok {
			continue
		}
		for i, part := range parts {
			checkView(t, fmt.Sprintf("%s/%s/%d", path, kind, i), part.(map[string]any), fields, views)
		}
		return
	}
	*views++
	mark, ok := view["mark"].(map[string]any)
	if !ok || mark["type"] == "" {
		t.Errorf("%s has no mark", path)
	}
	encoding, _ := view["encoding"].(map[string]any)
	Walk(encoding, path, func(at, key string, value any) {
		if key == "field" && len(fields) > 0 && !fields[value.(string)] {
			t.Errorf("%s: no field %q in the data, which have %v", at, value, fields)
		}
	})
}

// fieldsOf adds the fields of a view's data and of what is calculated from them; a view without data has its parent's.
func fieldsOf(view map[string]any, inherited map[string]bool) map[string]bool {
	fields := map[string]bool{}
	data, ok := view["data"].(map[string]any)
	if !ok {
		for f := range inherited {
			fields[f] = true
		}
	} else {
		for _, record := range data["values"].([]any) {
			for f := range record.(map[string]any) {
				fields[f] = true
			}
		}
	}
	transforms, _ := view["transform"].([]any)
	for _, tr := range transforms {
		if as, ok := tr.(map[string]any)["as"].(string); ok {
			fields[as] = true
		}
	}
	return fields
}
