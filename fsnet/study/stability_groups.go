package study

import (
	"math"
	"slices"
)

// LookAlikes puts columns that say the same together: average linkage on 1 − |r|, r being Pearson's correlation, cut where the mean distance of
// two groups is above 1 − alike. columns are m lists of as many values; the result numbers the group of each, in the order of their first
// members. A column that does not vary is alone.
//
// It takes m² numbers, and time in proportion to m² · n.
func LookAlikes(columns [][]float64, alike float64) []int {
	m := len(columns)
	standard := make([][]float64, m)
	for i, c := range columns {
		standard[i] = standardized(c)
	}
	distance := make([][]float64, m)
	for i := range distance {
		distance[i] = make([]float64, m)
		for j := range i {
			distance[i][j] = 1 - min(1, math.Abs(dotProduct(standard[i], standard[j])))
			distance[j][i] = distance[i][j]
		}
	}
	parent := make([]int, m)
	for i := range parent {
		parent[i] = i
	}
	averageLinkage(distance, func(a, b int, height float64) {
		if height <= 1-alike {
			parent[b] = a
		}
	})
	return numberedTrees(parent)
}

// averageLinkage merges m clusters one after the other by average linkage and tells merge of each: b becomes part of a, at a height. It changes the
// distances. It follows chains of nearest neighbours (F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, The
// Computer Journal 26, 1983), so that the merges do not come by their height; average linkage never has one below those that it is made of.
func averageLinkage(distance [][]float64, merge func(a, b int, height float64)) {
	m := len(distance)
	size := slices.Repeat([]float64{1}, m)
	gone := make([]bool, m)
	var chain []int
	for left, first := m, 0; left > 1; left-- {
		if len(chain) == 0 {
			for gone[first] {
				first++
			}
			chain = append(chain, first)
		}
		for {
			at := chain[len(chain)-1]
			before, near := -1, math.Inf(1)
			if len(chain) > 1 { // of equally near ones the one before it, so that a chain ends
				before = chain[len(chain)-2]
				near = distance[at][before]
			}
			next := before
			for j, d := range distance[at] {
				if !gone[j] && j != at && d < near {
					next, near = j, d
				}
			}
			if next != before {
				chain = append(chain, next)
				continue
			}
			chain = chain[:len(chain)-2]
			a, b := min(at, next), max(at, next)
			merge(a, b, near)
			for j := range m {
				if !gone[j] && j != a && j != b {
					distance[a][j] = (size[a]*distance[a][j] + size[b]*distance[b][j]) / (size[a] + size[b])
					distance[j][a] = distance[a][j]
				}
			}
			size[a] += size[b]
			gone[b] = true
			break
		}
	}
}

// numberedTrees gives the trees of a forest numbers, in the order of their first members.
func numberedTrees(parent []int) []int {
	number := map[int]int{}
	labels := make([]int, len(parent))
	for i := range parent {
		root := i
		for parent[root] != root {
			root = parent[root]
		}
		if _, ok := number[root]; !ok {
			number[root] = len(number)
		}
		labels[i] = number[root]
	}
	return labels
}

// standardized is a column of mean 0 and length 1; zeros where it does not vary.
func standardized(column []float64) []float64 {
	mean, squares := 0.0, 0.0
	for _, x := range column {
		mean += x / float64(len(column))
	}
	out := make([]float64, len(column))
	for i, x := range column {
		out[i] = x - mean
		squares += out[i] * out[i]
	}
	if length := math.Sqrt(squares); length > 0 {
		for i := range out {
			out[i] /= length
		}
	}
	return out
}

func dotProduct(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
