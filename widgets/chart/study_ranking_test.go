package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// rankedComparison has methods of these mean ranks, the best first.
func rankedComparison(splits int, difference float64, ranks ...float64) Compared {
	names := []string{
		"fsnet", "mrmr:criterion=miq", "hsic-lasso", "anova", "lassonet", "svm", "l1-logistic-regression",
		"stg", "cae-supervised", "dietnet", "dnp", "random", "cae", "block-hsic-lasso",
	}
	c := Compared{
		Dataset: "cohort", K: 10, Ranking: &ComparedRanking{Splits: splits, CriticalDifference: difference, P: friedman(splits, ranks)},
	}
	for i, rank := range ranks {
		mean := 0.95 - 0.03*float64(i)
		c.Entries = append(c.Entries, ComparedMethod{Method: names[i], Splits: splits,
			AccuracySVM: spreadOf(mean, 0.04, splits), Seconds: spreadOf(0.02*float64(1+i*i), 0.001, splits)})
		c.Ranking.Ranks = append(c.Ranking.Ranks, struct {
			Method string  `json:"method"`
			Rank   float64 `json:"rank"`
		}{names[i], rank})
	}
	reached := 0
	for from := range ranks { // as package compare does
		to := from + 1
		for to < len(ranks) && ranks[to]-ranks[from] < difference {
			to++
		}
		if to-from > 1 && to > reached {
			c.Ranking.Groups = append(c.Ranking.Groups, names[from:to])
		}
		reached = max(reached, to)
	}
	return c
}

// friedman is the p of Friedman's test where no split has ties.
func friedman(splits int, ranks []float64) float64 {
	n, k, squares := float64(splits), float64(len(ranks)), 0.0
	for _, rank := range ranks {
		squares += rank * rank
	}
	return distuv.ChiSquared{K: k - 1}.Survival(max(12*n/(k*(k+1))*squares-3*n*(k+1), 0))
}

// spreadOf has the interval that package compare gives to a mean over splits that halve the rows.
func spreadOf(mean, sd float64, splits int) *ComparedSpread {
	n := float64(splits)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd * math.Sqrt(1/n+1)
	return &ComparedSpread{Mean: mean, SD: sd, Low: new(mean - half), High: new(mean + half)}
}

func comparisons() map[string]Compared {
	return map[string]Compared{
		"three":    rankedComparison(3, 1.91, 1.17, 1.83, 3),
		"eight":    rankedComparison(20, 2.35, 1.9, 2.6, 3.1, 4.4, 4.9, 5.6, 6.2, 7.3),
		"fourteen": rankedComparison(20, 4.43, 2.2, 3.05, 3.4, 4.9, 5.1, 6.4, 7.2, 7.3, 8.6, 9.2, 10.4, 11.1, 12.6, 13.55),
		"ties":     rankedComparison(2, 7.42, 1.5, 1.5, 4.5, 4.5, 4.5, 4.5, 7.5, 7.5),
	}
}

// Whatever the ranks, neighbours that are not told apart have a bar, and bars in one lane are apart.
func TestRankBars(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := comparisons()
	for i := range 500 {
		ranks := make([]float64, 2+random.IntN(13))
		for j := range ranks {
			ranks[j] = 1 + float64(random.IntN(4*len(ranks)-3))/4 // many of them equal
		}
		slices.Sort(ranks)
		all[fmt.Sprint("random ", i)] = rankedComparison(5, 0.5+3*random.Float64(), ranks...)
	}
	for name, c := range all {
		bars := rankPanels(c.Ranking, nil)[1].Layers[0].Data
		bound, taken := map[int]int{}, map[[2]float64]bool{}
		for _, d := range bars {
			bound[d.Course]++
			if at := [2]float64{d.X, d.Y}; taken[at] {
				t.Errorf("%s: two bars at %v", name, at)
			}
			taken[[2]float64{d.X, d.Y}] = true
		}
		for i, group := range c.Ranking.Groups {
			if bound[i] != len(group) {
				t.Errorf("%s: a bar over %d methods, not %v", name, bound[i], group)
			}
		}
	}
}
