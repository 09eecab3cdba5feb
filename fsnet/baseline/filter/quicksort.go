package filter

// poolOrder is the order in which the original mRMR program has its features: by falling relevance, rounded to 32 bits, where equal ones
// come as its quicksort happens to leave them. Tables of few rows have many equal ones, and the first decides about all that follow.
//
// The quicksort is that of Numerical Recipes (median of the first, the middle and the last; insertion up to seven).
func poolOrder(relevance []float64) []int {
	order, keys := make([]int, len(relevance)), make([]float32, len(relevance))
	for j, r := range relevance {
		order[j], keys[j] = j, float32(-r)
	}
	quicksort(order, keys)
	return order
}

// quicksort sorts keys, rising, and order with them.
func quicksort(order []int, keys []float32) {
	swap := func(a, b int) {
		keys[a], keys[b] = keys[b], keys[a]
		order[a], order[b] = order[b], order[a]
	}
	for len(keys) > 7 {
		last := len(keys) - 1
		swap(last/2, 1)
		for _, pair := range [][2]int{{1, last}, {0, last}, {1, 0}} {
			if keys[pair[0]] > keys[pair[1]] {
				swap(pair[0], pair[1])
			}
		}
		i, j, middle := 1, last, keys[0]
		for {
			for i++; keys[i] < middle; i++ {
			}
			for j--; keys[j] > middle; j-- {
			}
			if j < i {
				break
			}
			swap(i, j)
		}
		swap(0, j)
		quicksort(order[i:], keys[i:])
		order, keys = order[:j], keys[:j]
	}
	for j := 1; j < len(keys); j++ {
		for i := j; i > 0 && keys[i-1] > keys[i]; i-- {
			swap(i-1, i)
		}
	}
}
