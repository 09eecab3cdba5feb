package host

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
)

// Every curve of a session has a field of its name, and fields are written by name, as readers of earlier versions have them.
func TestLinesHaveEveryMetric(t *testing.T) {
	for _, name := range session.Metrics() {
		var line LogLine
		figure := line.figure(name)
		if figure == nil {
			t.Errorf("a line has no field for %s", name)
			continue
		}
		*figure = new(0.5)
		text, err := json.Marshal(line)
		if err != nil || !strings.Contains(string(text), `"`+name+`":0.5`) {
			t.Errorf("%s is written as %s: %v", name, text, err)
		}
	}
	var names []string
	for field := range reflect.TypeFor[LogLine]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("the fields are %s", names)
	}
}
