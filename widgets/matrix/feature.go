package matrix

import (
	"slices"
	"strconv"

	"fsnetlab/widgets/live"
)

// pick shows a feature beside the matrix; none where the column is below 0.
func (v *View) pick(column int) {
	if column < 0 {
		v.Set(map[string]any{"feature": nil})
		return
	}
	f, err := v.Session.Feature(v.Life, v.named(column))
	switch {
	case live.Integer(v.Get("picked")) != column: // another was picked meanwhile
	case err != nil:
		v.Set(map[string]any{"feature": nil})
		v.Fail(err)
	default:
		v.Set(map[string]any{"feature": live.FeatureState(f)})
	}
}

// named is a column's name, since names go before numbers: a feature may be called 12. It is the number where the name is not known.
func (v *View) named(column int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.Index(v.last.Index, column); i >= 0 && i < len(v.last.Names) {
		return v.last.Names[i]
	}
	return strconv.Itoa(column)
}
