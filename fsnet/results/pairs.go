package results

import (
	"fmt"

	"fsnetlab/internal/phrase"
)

// Pairs holds the pairs of features that say more together than each feature
// says on its own.
type Pairs struct {
	Dataset string `json:"dataset"` // name of the data set
	Rows    int    `json:"rows"`    // training rows that were read, at most 2000
	// Groups or pairs of these rows, if rows belong together. The tests read the
	// mean of each.
	Units *Units `json:"units,omitempty"`
	D     int    `json:"d"`    // features that took part
	Seed  int64  `json:"seed"` // seed that divided the rows
	// Number of tested pairs. It is 0 if there are too few rows or features.
	Tested      int      `json:"tested"`
	Significant int      `json:"significant"` // number of significant pairs
	Pairs       []Pair   `json:"pairs"`       // pairs, the clearest first, at most 1000
	Classes     []string `json:"classes"`     // names of the classes, or the ranges of a quantity
	Row         []int    `json:"row"`         // number in the data set, from 0, of each row of the plots
	Y           []int    `json:"y"`           // index in classes of each row of the plots
	Plots       []Plot   `json:"plots"`       // values of the first pairs, at most 12
}

// Pair is two features that say more together than each says on its own.
type Pair struct {
	Features []string `json:"features"` // names of the two features
	Indices  []int    `json:"indices"`  // 0-based columns of the file
	Kind     string   `json:"kind"`     // together, for a weighted sum, or product, as in XOR
	// share of what the features leave unexplained that the pair explains,
	// from 0 to 1
	Share float64 `json:"share"`
	F     float64 `json:"f"` // statistic of the test
	P     float64 `json:"p"` // p of the pair, corrected for all pairs, from 0 to 1
	// share of the classes, or of the quantity, that each feature explains
	// on its own, by a line, from 0 to 1
	Alone  []float64 `json:"alone"`
	AloneP []float64 `json:"alone_p"` // p of each feature on its own, corrected for all features
	Text   string    `json:"text"`    // the pair in words: "M0 and M1 tell together; neither does alone"
}

// Plot holds the values of the features of a pair, as read, by training row.
// Missing values are null.
type Plot struct {
	X []*float64 `json:"x"` // values of the first feature
	Y []*float64 `json:"y"` // values of the second feature
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
