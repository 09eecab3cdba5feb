package nn

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
)

// Each round doubles a number, writes it into its row and adds that row of
// another table. There are as many rounds as told or, if their number is known,
// as the table has rows.
func TestWhile_Rounds(t *testing.T) {
	device, err := device.Open(t.Context(), "auto")
	check(t, err)
	defer device.Close()
	if device.Name == "go" {
		t.Skip("SKIPPED: the Go backend has no DynamicSlice, and makes single steps")
	}
	table := [][]float32{{10, 20}, {30, 40}, {50, 60}, {70, 80}}
	for _, c := range []struct {
		most  int
		count int32
		x     float32
		rows  []float32
	}{
		{4, 0, 1, []float32{0, 0, 0, 0, 0, 0, 0, 0}},
		{4, 2, 4, []float32{12, 22, 34, 44, 0, 0, 0, 0}},
		{4, 4, 16, []float32{12, 22, 34, 44, 58, 68, 86, 96}},
		{5, 2, 16, []float32{12, 22, 34, 44, 58, 68, 86, 96}},
	} {
		exec, err := graph.NewExec(device.Backend(), func(x, count, table *graph.Node) []*graph.Node {
			room := graph.BroadcastToDims(graph.Const(x.Graph(), float32(0)), 4, 2)
			rounds := func(s []*graph.Node) *graph.Node { return Count(s[2], c.most, s[1]) }
			round := func(i *graph.Node, s []*graph.Node) []*graph.Node {
				x := graph.Add(s[0], s[0])
				row := graph.Add(Row(s[2], i), graph.BroadcastToDims(x, 2))
				return []*graph.Node{x, s[1], s[2], SetRow(s[3], row, i)}
			}
			out := While([]*graph.Node{x, count, table, room}, rounds, round)
			return []*graph.Node{out[0], out[3]}
		})
		check(t, err)
		out, err := exec.Call(float32(1), c.count, table)
		check(t, err)
		x, rows := tensors.ToScalar[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
		if x != c.x || !slices.Equal(rows, c.rows) {
			t.Errorf("at most %d, %d rounds: %v, rows %v", c.most, c.count, x, rows)
		}
		exec.Finalize()
	}
}

// If counts are known, a few powers of two make any number of steps. Otherwise
// one call makes as many as there is room for.
func TestCallOf_PowersOfTwo(t *testing.T) {
	for _, known := range []bool{false, true} {
		for remaining := 1; remaining <= 300; remaining++ {
			calls, sizes := 0, map[int]bool{}
			for made := 0; made < remaining; calls++ {
				steps, room := CallOf(known, remaining-made, capacity)
				if steps < 1 || steps > room || room > capacity || known && steps != room && (steps != 1 || room != capacity) {
					t.Fatalf("%d of %d: %d steps with room for %d", made, remaining, steps, room)
				}
				made += steps
				sizes[room] = true
			}
			if most := (remaining + capacity - 1) / capacity; !known && (calls != most || len(sizes) != 1) || known && calls > 2*most+7 {
				t.Errorf("known = %v: %d steps take %d calls of %d sizes", known, remaining, calls, len(sizes))
			}
		}
	}
}
