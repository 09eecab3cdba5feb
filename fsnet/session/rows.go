package session

import (
	"encoding/json"
	"math"
)

// RowsRequest selects rows of the data.
type RowsRequest struct {
	Session string `json:"session,omitempty"`
	Test    bool   `json:"test,omitempty"`   // include the test rows, which counts as a look at them
	Random  bool   `json:"random,omitempty"` // include as many other features, drawn at random
	// include features that are correlated with each chosen feature
	Neighbours bool `json:"neighbours,omitempty"`
	// subsets of the rows to evaluate. The answer then has these evaluations
	// and the selection, all of the same step even while the session runs.
	Evaluate []string `json:"evaluate,omitempty"`
}

// Rows holds the values of the chosen features in the rows of the data.
type Rows struct {
	Session  string       `json:"session"`
	Step     int          `json:"step"`
	Seed     int64        `json:"seed"` // seed of the random choices in this answer
	Classes  []string     `json:"classes"`
	Train    PartRows     `json:"train"`
	Test     *PartRows    `json:"test,omitempty"` // nil if it was not requested
	Features []RowFeature `json:"features"`       // chosen features, by rank
	// which of them tell together: "M0 and M1 tell together; neither does alone"
	Pairs     []string     `json:"pairs,omitempty"`
	Random    []RowFeature `json:"random,omitempty"`
	TestLooks int          `json:"test_looks"` // number of looks at the test rows, as in [Evaluation]

	// How far a training has come that is not over. See [Status.Unfinished].
	Unfinished string `json:"unfinished,omitempty"`
	// at the same step
	Selection   []Selected   `json:"selection,omitempty"`
	Evaluations []Evaluation `json:"evaluations,omitempty"` // at the same step, for the subsets in Evaluate
}

// PartRows lists rows of one subset. If there are many rows, it lists a
// sample: from each class in proportion, but at least one.
type PartRows struct {
	Of    []int `json:"of"`    // number of rows of each class in the whole subset
	Row   []int `json:"row"`   // 0-based rows of the file as read
	Class []int `json:"class"` // index of the class of each row
}

// RowFeature holds the values of a feature in these rows, in the units of
// the file.
type RowFeature struct {
	Index int     `json:"index"` // 0-based column of the file as read
	Name  string  `json:"name"`
	Train []Value `json:"train"`          // one value per training row
	Test  []Value `json:"test,omitempty"` // one value per test row
	// number of features that go with this one and lend it their probability
	SpeaksFor  int         `json:"speaks_for,omitempty"`
	Neighbours []Neighbour `json:"neighbours,omitempty"`
}

// Neighbour is a feature correlated with another one.
type Neighbour struct {
	Index       int     `json:"index"`
	Name        string  `json:"name"`
	Correlation float64 `json:"correlation"`      // Pearson's r, over the training rows shown
	Spoken      bool    `json:"spoken,omitempty"` // the other feature speaks for this one
}

// Value is a value of the data. A missing value is NaN, and null in JSON.
type Value float64

// MarshalJSON writes null for NaN.
func (v Value) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads null as NaN.
func (v *Value) UnmarshalJSON(text []byte) error {
	*v = Value(math.NaN())
	if string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, (*float64)(v))
}
