package repair

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/method/embedding"
)

// kin makes n rows of eight columns, as one list of columns: 0 tells two
// classes well, 1 to 3 go with it and tell them less, 3 the other way, 4 equals
// 0, and 5 to 7 are noise.
func kin(n, classes int) (columns [][]float32, y embedding.Target) {
	noise, of := made(n, 8, classes)
	columns = make([][]float32, 8)
	for i, c := range of {
		at := func(j int) float32 { return noise[i*8+j] }
		best := 6*float32(c) + at(0)
		for j, v := range []float32{best, best + 2*at(1), best + 2*at(1) + 2*at(2), -best - 2*at(1) - at(3), best, at(5), at(6), at(7)} {
			columns[j] = append(columns[j], v)
		}
	}
	return columns, embedding.Target{Y: of, Classes: classes}
}

// rowsOf turns columns, in an order, into rows.
func rowsOf(columns [][]float32, order []int) (x []float32) {
	for i := range columns[0] {
		for _, j := range order {
			x = append(x, columns[j][i])
		}
	}
	return x
}

func listsOf(columns [][]float32, order []int, y embedding.Target, known Known) (lists [][]int) {
	for list := range slices.Chunk(Spokesmen(rowsOf(columns, order), len(order), y, known), Speakers) {
		own := make([]int, 0, Speakers)
		for _, at := range list {
			if j := order[at]; len(own) == 0 || own[len(own)-1] != j {
				own = append(own, j)
			}
		}
		lists = append(lists, own)
	}
	return lists
}

// The strongest features that go with a feature may speak for it, the strongest
// first, for classes and for a quantity. Noise speaks for itself.
func TestSpokesmen_AreTheStrongest(t *testing.T) {
	columns, classes := kin(60, 2)
	quantity := classes
	for i := range classes.Y {
		quantity.Quantity = append(quantity.Quantity, float64(columns[0][i]))
	}
	for name, y := range map[string]embedding.Target{"classes": classes, "quantity": quantity} {
		lists := listsOf(columns, []int{0, 1, 2, 3, 4, 5, 6, 7}, y, Known{})
		for j, want := range [][]int{{0}, {0, 4, 1}, {0, 4, 1, 3, 2}, {0, 4, 1, 3}, {0, 4}, {5}, {6}, {7}} {
			if !slices.Equal(lists[j], want) {
				t.Errorf("%s: %v may speak for %d, want %v", name, lists[j], j, want)
			}
		}
	}
}

// Reordered columns, and equal weights of all rows, change nothing.
func TestSpokesmen_IgnoreTheFile(t *testing.T) {
	for _, classes := range []int{2, 3} {
		columns, y := kin(60, classes)
		columns = slices.Delete(columns, 4, 5) // of equal ones the order decides
		order := []int{0, 1, 2, 3, 4, 5, 6}
		want := listsOf(columns, order, y, Known{})
		mixed := []int{4, 2, 6, 0, 3, 1, 5}
		equal := y
		equal.Weights = slices.Repeat([]float64{1}, len(y.Y))
		for at, list := range listsOf(columns, mixed, equal, Known{}) {
			if !slices.Equal(list, want[mixed[at]]) {
				t.Errorf("%d classes: %v may speak for %d, before %v", classes, list, mixed[at], want[mixed[at]])
			}
		}
	}
}

// Must, never, cost and groups decide first.
func TestSpokesmen_Constraints(t *testing.T) {
	columns, y := kin(60, 2)
	order := []int{0, 1, 2, 3, 4, 5, 6, 7}
	bias := func(set func(selector, j int) float32) []float32 {
		var all []float32
		for selector := range 3 {
			for j := range 8 {
				all = append(all, set(selector, j))
			}
		}
		return all
	}
	groups := []float32{1, 1, 0, 0, 0, 0, 0, 0}
	for name, c := range map[string]struct {
		known Known
		want  [][]int
	}{
		"must": {Known{Bias: bias(func(selector, j int) float32 {
			if (selector == 0) != (j == 0) {
				return -Forbidden
			}
			return 0
		})}, [][]int{{0}, {4, 1}, {4, 1, 3, 2}, {4, 1, 3}, {4}}},
		"never": {Known{Bias: bias(func(_, j int) float32 {
			if j == 0 || j == 1 {
				return -Forbidden
			}
			return 0
		})}, [][]int{{0}, {1}, {4, 3, 2}, {4, 3}, {4}}},
		"cost": {Known{Bias: bias(func(_, j int) float32 {
			if j == 0 {
				return float32(-math.Log(2))
			}
			return 0
		})}, [][]int{{4, 0}, {4, 1}, {4, 1, 3, 2}, {4, 1, 3}, {4}}},
		"groups": {Known{Groups: groups, Limit: 1}, [][]int{{0}, {0, 1}, {4, 3, 2}, {4, 3}, {4}}},
	} {
		lists := listsOf(columns, order, y, c.known)
		for j, want := range c.want {
			if !slices.Equal(lists[j], want) {
				t.Errorf("%s: %v may speak for %d, want %v", name, lists[j], j, want)
			}
		}
	}
}

// With two rows, a class without rows, a constant column or a single one, each
// feature has a list that ends with itself.
func TestSpokesmen_LittleData(t *testing.T) {
	for name, c := range map[string]struct {
		x []float32
		d int
		y embedding.Target
	}{
		"two rows":   {[]float32{1, 2, 5, 5}, 2, embedding.Target{Y: []int{0, 1}, Classes: 2}},
		"constant":   {[]float32{1, 7, 2, 7, 4, 7}, 2, embedding.Target{Y: []int{0, 1, 1}, Classes: 3}},
		"one column": {[]float32{1, 2, 4}, 1, embedding.Target{Y: []int{0, 1, 1}, Classes: 2}},
	} {
		lists := Spokesmen(c.x, c.d, c.y, Known{})
		if len(lists) != c.d*Speakers {
			t.Fatalf("%s: %d numbers", name, len(lists))
		}
		for j := range c.d {
			if lists[(j+1)*Speakers-1] != int32(j) {
				t.Errorf("%s: %v", name, lists)
			}
		}
	}
}
