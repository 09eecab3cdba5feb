package nn

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
)

// Each round doubles a number, writes it into its row and adds that row of another table; it ends after the rounds that it is told, or once
// the number is over ten.
func TestWhile(t *testing.T) {
	device, err := device.Open(t.Context(), "auto")
	check(t, err)
	defer device.Close()
	if device.Name == "go" {
		t.Skip("SKIPPED: the Go backend has no DynamicSlice, and makes single steps")
	}
	exec, err := graph.NewExec(device.Backend(), func(x, count, table *graph.Node) []*graph.Node {
		room := graph.BroadcastToDims(graph.Const(x.Graph(), float32(0)), 4, 2)
		more := func(i *graph.Node, s []*graph.Node) *graph.Node {
			return graph.LogicalAnd(graph.LessThan(i, s[1]), graph.LessThan(s[0], graph.Const(i.Graph(), float32(10))))
		}
		round := func(i *graph.Node, s []*graph.Node) []*graph.Node {
			x := graph.Add(s[0], s[0])
			row := graph.Add(Row(s[2], i), graph.BroadcastToDims(x, 2))
			return []*graph.Node{x, s[1], s[2], SetRow(s[3], row, i)}
		}
		out, made := While([]*graph.Node{x, count, table, room}, more, round)
		return []*graph.Node{out[0], out[3], made}
	})
	check(t, err)
	defer exec.Finalize()
	table := [][]float32{{10, 20}, {30, 40}, {50, 60}, {70, 80}}
	for _, c := range []struct {
		count int32
		made  int32
		x     float32
		rows  []float32
	}{
		{0, 0, 1, []float32{0, 0, 0, 0, 0, 0, 0, 0}},
		{2, 2, 4, []float32{12, 22, 34, 44, 0, 0, 0, 0}},
		{9, 4, 16, []float32{12, 22, 34, 44, 58, 68, 86, 96}},
	} {
		out, err := exec.Call(float32(1), c.count, table)
		check(t, err)
		x, rows, made := tensors.ToScalar[float32](out[0]), tensors.MustCopyFlatData[float32](out[1]), tensors.ToScalar[int32](out[2])
		if x != c.x || made != c.made || !slices.Equal(rows, c.rows) {
			t.Errorf("%d rounds: %v after %d, rows %v", c.count, x, made, rows)
		}
	}
}
