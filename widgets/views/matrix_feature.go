package views

import (
	"slices"
	"strconv"
)

// pick shows a feature beside the matrix; none where the column is below 0.
func (v *matrixView) pick(column int) {
	if column < 0 {
		v.Set(map[string]any{"feature": nil})
		return
	}
	f, err := v.Service.Feature(v.Life, v.Name, v.named(column))
	switch {
	case Integer(v.Get("picked")) != column: // another was picked meanwhile
	case err != nil:
		v.Set(map[string]any{"feature": nil})
		v.Fail(err)
	default:
		v.Set(map[string]any{"feature": FeatureState(f)})
	}
}

// named is a column's name, since names go before numbers: a feature may be called 12. It is the number where the name is not known.
func (v *matrixView) named(column int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.Index(v.last.Index, column); i >= 0 && i < len(v.last.Names) {
		return v.last.Names[i]
	}
	return strconv.Itoa(column)
}
