package sparse

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"fsnetlab/internal/num"
)

// table is a dense table with zeros, a missing value, negative numbers, an
// empty row and an empty column, and the same as it is stored.
func table(t testing.TB, n, d int) (x []float32, m *Matrix) {
	t.Helper()
	r := num.RNG(1, "table")
	var rows Rows
	rows.Reset()
	for i := range n {
		for j := range d {
			v := float32(0)
			if r.Float64() < 0.2 && i != 3 && j != 2 {
				v = float32(r.NormFloat64() * 5)
			}
			if i == 5 && j == 7 {
				v = float32(math.NaN())
			}
			if v != 0 {
				rows.Columns, rows.Values = append(rows.Columns, int32(j)), append(rows.Values, v)
			}
			x = append(x, v)
		}
		rows.End()
	}
	return x, NewMatrix(rows, d)
}

// valueAt is a value of a table.
func valueAt(m *Matrix, row int, column int32) float32 {
	columns, values := m.rows.Row(row)
	if k, there := slices.BinarySearch(columns, column); there {
		return values[k]
	}
	return 0
}

func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }

// sources are the same table kept in every way.
func sources(t *testing.T, m *Matrix) map[string]Source {
	t.Helper()
	n, d := m.Shape()
	var columns, values bytes.Buffer
	for k, j := range m.rows.Columns {
		_ = binary.Write(&columns, binary.LittleEndian, j)
		_ = binary.Write(&values, binary.LittleEndian, m.rows.Values[k])
	}
	file, err := NewFile(m.rows.Start, d, bytes.NewReader(columns.Bytes()), bytes.NewReader(values.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]Source{"matrix": m, "file": file}
	for name, most := range map[string]int64{"kept": 1 << 20, "spilled": 100} {
		view, missing, err := NewView(m, num.Indices(d), nil, nil, nil).Narrow(context.Background(), num.Indices(n), most, t.TempDir())
		if err != nil || missing != 1 {
			t.Fatal(err, missing)
		}
		t.Cleanup(func() { _ = view.Close() })
		if _, spilled := view.source.(*File); spilled != (name == "spilled") {
			t.Fatalf("%s is a %T", name, view.source)
		}
		kept[name] = view.source
	}
	kept["subset"] = NewPart(NewPart(m, num.Indices(n), nil), num.Indices(n), nil)
	starts := make([]int64, n+1)
	for i, at := range m.rows.Start {
		starts[i] = int64(at)
	}
	kept["stretches"] = NewStretches(starts, d, func(from, to int) (rows Rows, err error) {
		err = m.Read(context.Background(), num.Indices(n)[from:to], &rows)
		return rows, err
	})
	collected, err := Collect(n, d, func(visit func(row, column int, value float32)) error { // column by column, rows backwards
		for j := d - 1; j >= 0; j-- {
			for i := n - 1; i >= 0; i-- {
				if v := valueAt(m, i, int32(j)); v != 0 {
					visit(i, j, v)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	kept["collected"] = collected
	last := make([][]float32, 3)
	for i := range n {
		for at := range last {
			last[at] = append(last[at], valueAt(m, i, int32(d-len(last)+at)))
		}
	}
	kept["widened"] = NewWide(NewPart(m, nil, num.Indices(d)[:d-len(last)]), last)
	kept["picked"] = NewPart(NewPart(m, nil, backwards(d)), nil, backwards(d))
	return kept
}

func backwards(d int) []int {
	list := num.Indices(d)
	slices.Reverse(list)
	return list
}

// Every kind of source gives the same rows, in the same blocks or others, and
// its views match those of the dense table.
func TestSource_SameRows(t *testing.T) {
	const n, d = 40, 23
	ctx := context.Background()
	x, m := table(t, n, d)
	columns := []int{4, 22, 0, 7, 2}
	mean, scale, fill := []float64{1, 2, -1, 0.5, 0}, []float64{2, 0.1, 1, 3, 1}, []float64{0, 0, 0, 9, 0}
	want := func(i, at int) float32 {
		v := float64(x[i*d+columns[at]])
		if v != v {
			v = fill[at]
		}
		return float32((v - mean[at]) / scale[at])
	}
	for name, source := range sources(t, m) {
		t.Run(name, func(t *testing.T) {
			first, err := Scan(ctx, source)
			reference, _ := Scan(ctx, m)
			if err != nil || first.Hash != reference.Hash || first.Stored != int64(len(m.rows.Values)) ||
				!slices.Equal(first.Missing, []Place{{5, 7}}) {
				t.Fatalf("%v, %+v, not %+v", err, first, reference)
			}
			view := NewView(source, columns, mean, scale, fill)
			rows := []int{3, 5, 6, 17, 39}
			seen := 0
			err = view.Each(ctx, rows, func(i, from int, values []float32) {
				for k, v := range values {
					if seen++; !same(v, want(rows[i], from+k)) {
						t.Errorf("row %d, place %d: %v, not %v", rows[i], from+k, v, want(rows[i], from+k))
					}
				}
			})
			if err != nil || seen != len(rows)*len(columns) {
				t.Fatal(err, seen)
			}
			batch := []int{39, 5, 0, 5, 3}
			const width = 8
			out := slices.Repeat([]float32{-77}, len(batch)*width)
			if err := view.Gather(ctx, batch, width, out); err != nil {
				t.Fatal(err)
			}
			for at, v := range out {
				if i, k := at/width, at%width; k < len(columns) && !same(v, want(batch[i], k)) || k >= len(columns) && v != -77 {
					t.Errorf("batch row %d, place %d: %v", i, k, v)
				}
			}
			var order []int
			err = view.EachColumn(ctx, rows, func(j int, column []float64) {
				order = append(order, j)
				for i, v := range column {
					if !same(float32(v), want(rows[i], j)) {
						t.Errorf("column %d, row %d: %v, not %v", j, rows[i], v, want(rows[i], j))
					}
				}
			})
			if err != nil || !slices.Equal(order, num.Indices(len(columns))) {
				t.Fatal(err, order)
			}
		})
	}
}

// Moments have the same bits from rows in memory and from stored ones.
func TestMoments_SameBits(t *testing.T) {
	const n, d = 200, 3000 // wide enough for two goroutines
	x, m := table(t, n, d)
	rows := num.Indices(n)[:150]
	dense, err := MomentsOf(func(look func(i, from int, values []float32)) error {
		for i := range rows {
			look(i, 0, x[i*d:(i+1)*d])
		}
		return nil
	}, len(rows), d)
	if err != nil {
		t.Fatal(err)
	}
	view := NewView(m, num.Indices(d), nil, nil, nil)
	thin, err := MomentsOf(func(look func(i, from int, values []float32)) error {
		return view.Each(context.Background(), rows, look)
	}, len(rows), d)
	if err != nil || !slices.Equal(dense.Mean, thin.Mean) || !slices.Equal(dense.Std, thin.Std) || !slices.Equal(dense.Varies, thin.Varies) {
		t.Errorf("%v: %v %v, not %v %v", err, thin.Mean[:9], thin.Std[:9], dense.Mean[:9], dense.Std[:9])
	}
	if dense.Varies[2] || !dense.Varies[1] {
		t.Error("column 2 alone is constant")
	}
}

// Values that no table may have are found, with their place, before anything is
// computed.
func TestScan_Rejects(t *testing.T) {
	infinite := float32(math.Inf(-1))
	for name, test := range map[string]struct {
		rows Rows
		says string
	}{
		"beyond":       {Rows{[]int{0, 1, 2}, []int32{0, 3}, []float32{1, 1}}, "row 2, column 3: there are 3 columns"},
		"below":        {Rows{[]int{0, 1, 2}, []int32{-1, 0}, []float32{1, 1}}, "row 1, column -1: there are 3 columns"},
		"twice":        {Rows{[]int{0, 2}, []int32{1, 1}, []float32{1, 1}}, "row 1, column 1: it comes after column 1"},
		"in disorder":  {Rows{[]int{0, 2}, []int32{2, 1}, []float32{1, 1}}, "row 1, column 1: it comes after column 2"},
		"not a number": {Rows{[]int{0, 0, 1}, []int32{2}, []float32{infinite}}, "row 2, column 2: the value is infinite"},
	} {
		_, err := Scan(context.Background(), NewMatrix(test.rows, 3))
		if wrong := (*BadValueError)(nil); !errors.As(err, &wrong) || err.Error() != test.says {
			t.Errorf("%s: %v, not %s", name, err, test.says)
		}
	}
	for _, start := range [][]int{{0, 2, 1}, nil} {
		if _, err := NewFile(start, 3, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "do not ascend") {
			t.Errorf("%v: %v", start, err)
		}
	}
	short := bytes.NewReader(make([]byte, 8))
	file, err := NewFile([]int{0, 2, 4}, 3, short, short, nil) // 4 numbers, and bytes for 2
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Scan(context.Background(), file); err == nil || !strings.Contains(err.Error(), "it ends early") {
		t.Errorf("a short file: %v", err)
	}
}

// If scaling takes a value out of range, the error names it, and the file on
// disk is removed.
func TestNarrow_OutOfRange(t *testing.T) {
	m := NewMatrix(Rows{[]int{0, 1, 2}, []int32{1, 1}, []float32{1, 3e38}}, 2)
	dir := t.TempDir()
	_, _, err := NewView(m, []int{1}, []float64{0}, []float64{1e-20}, []float64{0}).Narrow(context.Background(), num.Indices(2), 0, dir)
	if beyond := (*RangeError)(nil); !errors.As(err, &beyond) || beyond.Place != (Place{1, 1}) {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Scan(stopped, m); err == nil {
		t.Error("read to the end after it was stopped")
	}
}

// Values in any order are collected by row and column, repeated ones added in
// their order. If a second visit differs, that is an error.
func TestCollect_AddsRepeated(t *testing.T) {
	type value struct {
		row, column int
		value       float32
	}
	all := []value{{2, 1, 1}, {0, 3, 1e8}, {2, 0, 5}, {0, 3, 1}, {0, 0, 7}, {0, 3, -1e8}, {2, 1, 2}}
	visitAll := func(visit func(int, int, float32)) error {
		for _, v := range all {
			visit(v.row, v.column, v.value)
		}
		return nil
	}
	m, err := Collect(3, 4, visitAll)
	sum := float32(1e8)
	sum += 1
	sum -= 1e8 // in the order in which they come
	if err != nil || !slices.Equal(m.rows.Start, []int{0, 2, 2, 4}) || !slices.Equal(m.rows.Columns, []int32{0, 3, 0, 1}) ||
		!slices.Equal(m.rows.Values, []float32{7, sum, 5, 3}) {
		t.Errorf("%v: %+v", err, m)
	}
	for name, second := range map[string][]value{"fewer": all[1:], "more": append(slices.Clone(all), value{1, 1, 1}), "other": append(slices.Clone(all[1:]), value{1, 1, 1})} {
		calls := 0
		_, err := Collect(3, 4, func(visit func(int, int, float32)) error {
			if calls++; calls == 2 {
				for _, v := range second {
					visit(v.row, v.column, v.value)
				}
				return nil
			}
			return visitAll(visit)
		})
		if err == nil || !strings.Contains(err.Error(), "changed while it was being read") {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone := errors.New("gone")
	if _, err := Collect(1, 1, func(func(int, int, float32)) error { return gone }); !errors.Is(err, gone) {
		t.Error(err)
	}
}
