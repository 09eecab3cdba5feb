package config

import (
	"reflect"
	"testing"
)

// What is said of the rows is in settings that a saved model gives back, and a model's rows are not divided, but measured as they were.
func TestColumnsOfRowsAreKept(t *testing.T) {
	s, err := Config{Data: "x.csv", Groups: "a", RowWeights: "b", Nuisance: "c", Pairs: "d"}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Config().Resolve()
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%+v, not %+v: %v", again, s, err)
	}
	want := []RowColumn{{"paired", "d"}, {"nuisance", "c"}}
	if got := s.WithoutDivision().RowColumns(); !reflect.DeepEqual(got, want) {
		t.Errorf("of rows to predict %v counts", got)
	}
}
