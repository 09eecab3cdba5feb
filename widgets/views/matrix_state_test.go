package views

import (
	"reflect"
	"testing"

	"fsnetlab/fsnet/session"
)

// What each selector gets is a place among the columns that stay; one whose column is left out is not shown.
func TestMatrixColumnsThatStayKeepWhatIsSelected(t *testing.T) {
	m := session.Matrix{
		Index: []int{4, 9, 2}, Names: []string{"a", "b", "c"}, Selectors: []int{0, 1, 2}, Selected: []int{0, 2, 1},
		Values: [][]float64{{0.9, 0.01, 0.05}, {0.1, 0.02, 0.8}, {0.1, 0.03, 0.7}}, LeftOut: []float64{0, 0, 0},
	}
	kept := holding(m, 0.5)
	if !reflect.DeepEqual(kept.Names, []string{"a", "c"}) || !reflect.DeepEqual(kept.Selected, []int{0, 1, -1}) {
		t.Errorf("columns %v, selected %v", kept.Names, kept.Selected)
	}
	if whole := holding(m, 0); !reflect.DeepEqual(whole, m) {
		t.Errorf("all columns are %+v", whole)
	}
}
