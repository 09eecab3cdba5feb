package session

import (
	"encoding/json"
	"strconv"
)

// Feature describes one feature, in the data of the training rows and in the
// training.
type Feature struct {
	Session string `json:"session"`
	Step    int    `json:"step"`
	Index   int    `json:"index"` // 0-based column of the file as read
	Name    string `json:"name"`
	// false if it is constant over the training rows; it then has no
	// embedding and no course
	Kept bool `json:"kept"`

	Bins    Bins           `json:"bins"`
	All     Distribution   `json:"all"`     // over all training rows
	Classes []Distribution `json:"classes"` // over the training rows of each class

	// input of the weight predictors for this feature
	Embedding       []float64 `json:"embedding,omitempty"`
	EmbeddingLabels []string  `json:"embedding_labels,omitempty"` // a name for each dimension
	// P[selector, feature] for each selector, now
	Probability []float64 `json:"probability,omitempty"`
	Course      Course    `json:"course"`
}

// Bins is a histogram over the training rows, with the bins of the
// embedding. With a nuisance there is a difference: the embedding counts
// values within their sites, while these are as in the file. A missing value
// counts as the mean that replaces it.
type Bins struct {
	// one more than bins, in the units of the file; a bin includes its lower
	// edge, the last bin both edges
	Edges  []float64 `json:"edges"`
	Counts [][]int   `json:"counts"` // classes × bins
}

// Distribution summarises values in the units of the file.
type Distribution struct {
	Class   string  `json:"class,omitempty"`
	N       int     `json:"n"`       // number of values
	Missing int     `json:"missing"` // number of missing values, which are left out
	Mean    float64 `json:"mean"`
	SD      float64 `json:"sd"` // standard deviation, divided by n
	Min     float64 `json:"min"`
	Q1      float64 `json:"q1"`
	Median  float64 `json:"median"`
	Q3      float64 `json:"q3"`
	Max     float64 `json:"max"`
}

// Quantile returns a quantile, 0 ≤ q ≤ 1, of at least one sorted value. With
// h = q (n − 1) it interpolates linearly between the values ⌊h⌋ and ⌊h⌋ + 1,
// counted from 0 (definition 7 of Hyndman and Fan, The American Statistician
// 50, 1996).
func Quantile(sorted []float64, q float64) float64 {
	position := q * float64(len(sorted)-1)
	i := min(int(position), len(sorted)-1)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
}

// Course records a feature in P. After step Steps[i], Selectors[i] gave it
// the largest probability of all selectors, Probability[i].
type Course struct {
	Steps       []int     `json:"steps"`
	Probability []float64 `json:"probability"`
	Selectors   []int     `json:"selectors"`
}

// Add appends a step to the course. column holds the probability of the
// feature in each selector.
func (c *Course) Add(step int, column []float64) {
	best := 0
	for k, p := range column {
		if p > column[best] {
			best = k
		}
	}
	c.Steps, c.Probability, c.Selectors = append(c.Steps, step), append(c.Probability, column[best]), append(c.Selectors, best)
}

// FeaturesRequest asks for feature names.
type FeaturesRequest struct {
	Session string `json:"session"`
	Prefix  string `json:"prefix,omitempty"` // prefix of the names, case-sensitive
	Most    int    `json:"most,omitempty"`   // Number of names, at most [MaxFeatures]. 0 means 100.
}

// MaxFeatures is the largest number of names that [VerbFeatures] returns.
const MaxFeatures = 1000

// FeatureRequest names a feature.
type FeatureRequest struct {
	Session string `json:"session"`
	Feature Which  `json:"feature"`
}

// Which is the name of a feature or its 0-based column. In JSON it is a
// string or a number.
type Which string

// UnmarshalJSON accepts a string or a number.
func (w *Which) UnmarshalJSON(text []byte) error {
	var number int
	if json.Unmarshal(text, &number) == nil && string(text) != "null" {
		*w = Which(strconv.Itoa(number))
		return nil
	}
	return json.Unmarshal(text, (*string)(w))
}
