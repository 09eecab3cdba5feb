package results

import (
	"fmt"

	"fsnetlab/internal/phrase"
)

// Pairs holds the pairs of features that tell more together than each on its own.
type Pairs struct {
	Dataset     string   `json:"dataset"`         // name of the data set
	Rows        int      `json:"rows"`            // training rows that were read, at most 2000
	Units       *Units   `json:"units,omitempty"` // groups or pairs of these rows, if rows belong together: the tests read the mean of each
	D           int      `json:"d"`               // features that took part
	Seed        int64    `json:"seed"`            // that divided the rows
	Tested      int      `json:"tested"`          // pairs of features; 0 if there are too few rows or features
	Significant int      `json:"significant"`     // pairs that are significant
	Pairs       []Pair   `json:"pairs"`           // the clearest first, at most 1000
	Classes     []string `json:"classes"`         // names of the classes, or the ranges of a quantity
	Row         []int    `json:"row"`             // of each row of the plots, its number in the data set, from 0
	Y           []int    `json:"y"`               // of each row of the plots, its place in classes
	Plots       []Plot   `json:"plots"`           // values of the first pairs, at most 12
}

// Pair is two features that tell more together than each on its own.
type Pair struct {
	Features []string `json:"features"` // names
	Indices  []int    `json:"indices"`  // 0-based columns of the file
	Kind     string   `json:"kind"`     // together, as a weighted sum; or product, as in XOR
	Share    float64  `json:"share"`    // share of what the features leave that the pair explains, from 0 to 1
	F        float64  `json:"f"`        // statistic of the test
	P        float64  `json:"p"`        // after correction for all pairs, from 0 to 1
	// share of the classes or of the quantity that each feature explains alone, by a line, from 0 to
	// 1
	Alone  []float64 `json:"alone"`
	AloneP []float64 `json:"alone_p"` // p of each feature alone, after correction for all features
	Text   string    `json:"text"`    // in words: "M0 and M1 tell together; neither does alone"
}

// Plot holds the values of a pair's features, as read, by training row; null where a value is
// missing.
type Plot struct {
	X []*float64 `json:"x"` // of the first feature
	Y []*float64 `json:"y"` // of the second feature
}

// Size names the size of the table that was read, with its units.
func (p Pairs) Size() string {
	if u := p.Units; u != nil {
		return phrase.TableOf(p.Rows, u.N, u.Name, p.D)
	}
	return phrase.Table(p.Rows, p.D)
}

// Title says how many pairs there are.
func (p Pairs) Title() string {
	switch {
	case p.Tested == 0:
		rows := "rows"
		if p.Units != nil {
			rows = p.Units.Name + "s"
		}
		return "no pairs were tested: there are too few " + rows + " or features"
	case p.Significant == 0:
		return "no pair tells more than its parts"
	case p.Significant == 1:
		return fmt.Sprintf("1 of %d pairs tells more than its parts", p.Tested)
	}
	return fmt.Sprintf("%d of %d pairs tell more than their parts", p.Significant, p.Tested)
}
