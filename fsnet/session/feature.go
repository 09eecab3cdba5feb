package session

import (
	"encoding/json"
	"strconv"
)

// Feature is one feature of the data, as the training rows show it and as the training sees it.
type Feature struct {
	Session string `json:"session"`
	Step    int    `json:"step"`
	Index   int    `json:"index"` // 0-based column of the file as read
	Name    string `json:"name"`
	Kept    bool   `json:"kept"` // false where it is constant over the training rows and was set aside: it has no embedding and no course then

	Bins    Bins           `json:"bins"`
	All     Distribution   `json:"all"`     // of all training rows
	Classes []Distribution `json:"classes"` // of the training rows of each class

	Embedding       []float64 `json:"embedding,omitempty"`        // what the weight predictors see of it
	EmbeddingLabels []string  `json:"embedding_labels,omitempty"` // what each dimension is of
	Probability     []float64 `json:"probability,omitempty"`      // P[selector, feature] of each selector, now
	Course          Course    `json:"course"`
}

// Bins are a histogram over the training rows, of the bins that the embedding counts in, except with a nuisance: it counts values within
// their sites, these are as in the file. Missing values count as the mean that they are filled with.
type Bins struct {
	Edges  []float64 `json:"edges"`  // one more than bins, in the file's units; each bin has its lower edge, the last both
	Counts [][]int   `json:"counts"` // classes × bins
}

// Distribution sums up values in the file's units.
type Distribution struct {
	Class   string  `json:"class,omitempty"`
	N       int     `json:"n"`       // values
	Missing int     `json:"missing"` // left out
	Mean    float64 `json:"mean"`
	SD      float64 `json:"sd"` // divided by n
	Min     float64 `json:"min"`
	Q1      float64 `json:"q1"`
	Median  float64 `json:"median"`
	Q3      float64 `json:"q3"`
	Max     float64 `json:"max"`
}

// Quantile is a quantile, 0 ≤ q ≤ 1, of one sorted value or more, as a Distribution has them: with h = q (n − 1) counted from the
// smallest it lies on the line between the values ⌊h⌋ and ⌊h⌋ + 1 (definition 7 of Hyndman and Fan, The American Statistician 50, 1996).
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Course is how the feature fared in P: after step Steps[i], Selectors[i] gave it the largest probability of all, Probability[i].
type Course struct {
	Steps       []int     `json:"steps"`
	Probability []float64 `json:"probability"`
	Selectors   []int     `json:"selectors"`
}

// Add puts a step behind the course: column holds the feature's entry in P of each selector.
func (c *Course) Add(step int, column []float64) {
	best := 0
	for k, p := range column {
		if p > column[best] {
			best = k
		}
	}
	c.Steps, c.Probability, c.Selectors = append(c.Steps, step), append(c.Probability, column[best]), append(c.Selectors, best)
}

// FeaturesRequest says which names are asked for.
type FeaturesRequest struct {
	Session string `json:"session"`
	Prefix  string `json:"prefix,omitempty"` // with which they begin, letter by letter
	Most    int    `json:"most,omitempty"`   // how many at the most, up to [MaxFeatures]; 0 is 100
}

// MaxFeatures is how many names [VerbFeatures] gives at the most.
const MaxFeatures = 1000

// FeatureRequest names a feature.
type FeatureRequest struct {
	Session string `json:"session"`
	Feature Which  `json:"feature"`
}

// Which is a feature's name or its 0-based column, on the wire a text or a number.
type Which string

// UnmarshalJSON takes both.
func (w *Which) UnmarshalJSON(text []byte) error {
	var number int
	if json.Unmarshal(text, &number) == nil && string(text) != "null" {
		*w = Which(strconv.Itoa(number))
		return nil
	}
	return json.Unmarshal(text, (*string)(w))
}
