package matrix

// integer is a number of the state, which the browser or this program has set.
func integer(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return now
}
