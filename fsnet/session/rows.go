package session

import (
	"encoding/json"
	"math"
)

// RowsRequest selects rows of the data.
type RowsRequest struct {
	Session    string `json:"session,omitempty"`
	Test       bool   `json:"test,omitempty"`       // include the test rows: a look at them, which is counted
	Random     bool   `json:"random,omitempty"`     // include as many random other features
	Neighbours bool   `json:"neighbours,omitempty"` // include features correlated with each chosen one
	// Evaluate lists subsets of the rows to evaluate. The answer then has these evaluations and the
	// selection, all of one step even while the session runs.
	Evaluate []string `json:"evaluate,omitempty"`
}

// Rows holds the values of the chosen features in the rows of the data.
type Rows struct {
	Session   string       `json:"session"`
	Step      int          `json:"step"`
	Seed      int64        `json:"seed"` // of random choices in this answer
	Classes   []string     `json:"classes"`
	Train     PartRows     `json:"train"`
	Test      *PartRows    `json:"test,omitempty"` // nil if not requested
	Features  []RowFeature `json:"features"`       // the chosen ones, by rank
	Random    []RowFeature `json:"random,omitempty"`
	TestLooks int          `json:"test_looks"` // number of looks at the test rows, as in [Evaluation]

	Unfinished  string       `json:"unfinished,omitempty"`  // says how far a training has come that is not over; see [Status.Unfinished]
	Selection   []Selected   `json:"selection,omitempty"`   // of the same step
	Evaluations []Evaluation `json:"evaluations,omitempty"` // as requested by Evaluate, of the same step
}

// PartRows lists rows of one subset. Of many rows a sample is drawn, from each class in proportion
// and at least one.
type PartRows struct {
	Of    []int `json:"of"`    // number of rows of each class in the whole subset
	Row   []int `json:"row"`   // 0-based rows of the file as read
	Class []int `json:"class"` // index of each row's class
}

// RowFeature holds a feature's values in these rows, in the file's units.
type RowFeature struct {
	Index      int         `json:"index"` // 0-based column of the file as read
	Name       string      `json:"name"`
	Train      []Value     `json:"train"`                // one value per training row
	Test       []Value     `json:"test,omitempty"`       // one value per test row
	SpeaksFor  int         `json:"speaks_for,omitempty"` // number of features that go with it and whose probability goes over to it
	Neighbours []Neighbour `json:"neighbours,omitempty"`
}

// Neighbour is a feature correlated with another one.
type Neighbour struct {
	Index       int     `json:"index"`
	Name        string  `json:"name"`
	Correlation float64 `json:"correlation"`      // Pearson's r, over the training rows shown
	Spoken      bool    `json:"spoken,omitempty"` // the feature that it is a neighbour of speaks for it
}

// Value is a value of the data; a missing one is NaN, and null in JSON.
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
