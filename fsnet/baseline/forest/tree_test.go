package forest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
	"fsnetlab/tests/kit/baselinetest"
)

type forestFixture struct {
	baselinetest.Table
	Tree *struct {
		Depth       int
		Nodes       [][3]int // column or −1, left, right
		Thresholds  []float64
		Importances []float64
	}
	Impurity, Permutation []float64
	Top                   []int
}

func tableOf(t *testing.T, data baseline.Data) (*table, *baseline.Work) {
	t.Helper()
	w, err := baseline.Begin(t.Context(), RandomForest{}, data, baseline.Options{K: 1}, "test")
	if err != nil {
		t.Fatal(err)
	}
	made, err := newTable(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return made, w
}

// A tree on all rows and all features is scikit-learn's, split by split: testdata/make_forest.py.
func TestTreeAgainstScikitLearn(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]forestFixture](t, "forest.json") {
		if f.Tree == nil {
			continue
		}
		data := f.Data(t)
		table, w := tableOf(t, data)
		weights := make([]int64, len(data.Rows))
		for i := range weights {
			weights[i] = 1
		}
		grown := table.grow(rand.New(rand.NewPCG(1, 1)), weights, data.Width(), f.Tree.Depth)
		questions := table.questions(grown, w.Columns())
		if len(questions) != len(f.Tree.Nodes) {
			t.Fatalf("%s: %d nodes, scikit-learn has %d", f.Name, len(questions), len(f.Tree.Nodes))
		}
		for i, want := range f.Tree.Nodes {
			q := questions[i]
			if int(q.column) != want[0] || int(q.left) != want[1] || int(q.right) != want[2] || math.Abs(q.threshold-f.Tree.Thresholds[i]) > 1e-6 {
				t.Errorf("%s: node %d is %+v, scikit-learn's %v at %v", f.Name, i, q, want, f.Tree.Thresholds[i])
			}
		}
		importances := make([]float64, data.Width())
		for _, s := range table.gains(grown) {
			importances[table.order[s.feature]] = s.value
		}
		for j, want := range f.Tree.Importances {
			if math.Abs(importances[j]-want) > 1e-12 {
				t.Errorf("%s: column %d has %v, scikit-learn says %v", f.Name, j, importances[j], want)
			}
		}
	}
}

// slowTree is the definition, followed literally: every threshold between two values of a feature is tried, and every impurity computed
// from the rows. It draws as grower does.
type slowTree struct {
	table      *table
	columns    [][]float64
	weights    []int64
	random     *rand.Rand
	drawn      []int
	candidates int
	nodes      []question
}

func (s *slowTree) impurity(rows []int) (total, gini float64) {
	shares := make([]float64, s.table.classes)
	for _, i := range rows {
		shares[s.table.y[i]] += float64(s.weights[i])
		total += float64(s.weights[i])
	}
	gini = 1
	for _, share := range shares {
		gini -= share / total * share / total
	}
	return total, gini
}

func (s *slowTree) part(rows []int, column int, threshold float64) (left, right []int) {
	for _, i := range rows {
		if s.columns[column][i] <= threshold {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right
}

func (s *slowTree) grow(rows []int) int32 {
	at := int32(len(s.nodes))
	counts, class := make([]int64, s.table.classes), 0
	for _, i := range rows {
		counts[s.table.y[i]] += s.weights[i]
	}
	for c := range counts {
		if counts[c] > counts[class] {
			class = c
		}
	}
	best := question{column: -1, class: int32(class)}
	n, gini := s.impurity(rows)
	if gini > 1e-12 {
		least, found := math.Inf(1), false
		for v := 0; v < len(s.drawn) && (v < s.candidates || !found); v++ {
			pick := v + s.random.IntN(len(s.drawn)-v)
			s.drawn[v], s.drawn[pick] = s.drawn[pick], s.drawn[v]
			column := s.table.order[s.drawn[v]]
			values := map[float64]bool{}
			for _, i := range rows {
				values[s.columns[column][i]] = true
			}
			for below := range values {
				above := math.Inf(1)
				for value := range values {
					if value > below {
						above = min(above, value)
					}
				}
				if math.IsInf(above, 1) {
					continue
				}
				found = true
				left, right := s.part(rows, column, below)
				inLeft, giniLeft := s.impurity(left)
				inRight, giniRight := s.impurity(right)
				mixed := (inLeft*giniLeft + inRight*giniRight) / n
				threshold := below/2 + above/2
				same := column == int(best.column) && math.Abs(mixed-least) < 1e-12
				if mixed < least-1e-12 || same && threshold < best.threshold {
					least = min(least, mixed)
					best.column, best.threshold = int32(column), threshold
				}
			}
		}
	}
	s.nodes = append(s.nodes, best)
	if best.column >= 0 {
		left, right := s.part(rows, int(best.column), best.threshold)
		l := s.grow(left)
		r := s.grow(right)
		s.nodes[at].left, s.nodes[at].right = l, r
	}
	return at
}

// Trees of rows drawn with replacement and features drawn at each node, to the last leaf, on columns with many equal values.
func TestTreeAgainstTheDefinition(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 3))
		n, d, classes := 8+random.IntN(40), 1+random.IntN(9), 2+random.IntN(3)
		data := baseline.Data{Classes: classes}
		for i := range n {
			row := make([]float64, d)
			for j := range row {
				row[j] = float64(random.IntN(3 + 4*j)) // the first with three values
			}
			data.Rows, data.Y = append(data.Rows, row), append(data.Y, i%classes)
		}
		table, w := tableOf(t, data)
		drawing := rand.New(rand.NewPCG(seed, 4))
		weights := table.draw(drawing)
		slow := &slowTree{table: table, columns: w.Columns(), weights: weights, candidates: 1 + int(seed)%3}
		slow.drawn = places.All(len(table.order))
		again := rand.New(rand.NewPCG(seed, 4))
		if !reflect.DeepEqual(table.draw(again), weights) {
			t.Fatal("rows are not a function of the seed")
		}
		slow.random = again
		var rows []int
		for i, weight := range weights {
			if weight > 0 {
				rows = append(rows, i)
			}
		}
		slow.grow(rows)
		grown := table.questions(table.grow(drawing, weights, slow.candidates, 0), w.Columns())
		if !reflect.DeepEqual(grown, slow.nodes) {
			t.Errorf("seed %d: %+v\nby definition %+v", seed, grown, slow.nodes)
		}
	}
}
