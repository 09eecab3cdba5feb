package session

import (
	"encoding/json"
	"math"
)

// RowsRequest says which rows of the data are asked for.
type RowsRequest struct {
	Session    string `json:"session,omitempty"`
	Test       bool   `json:"test,omitempty"`       // the test rows, too: a look at them, which is counted
	Random     bool   `json:"random,omitempty"`     // as many other features, drawn by chance, too
	Neighbours bool   `json:"neighbours,omitempty"` // the features that go with each chosen one, too
}

// Rows is what the chosen features are in the rows of the data.
type Rows struct {
	Session   string       `json:"session"`
	Step      int          `json:"step"`
	Seed      int64        `json:"seed"` // that drew what is drawn here
	Classes   []string     `json:"classes"`
	Train     PartRows     `json:"train"`
	Test      *PartRows    `json:"test,omitempty"` // nil where they were not asked for
	Features  []RowFeature `json:"features"`       // the chosen ones, by rank
	Random    []RowFeature `json:"random,omitempty"`
	TestLooks int          `json:"test_looks"` // how often the test rows were looked at
}

// PartRows are rows of one part. Of many rows some are drawn, of each class its share and one at least.
type PartRows struct {
	Of    []int `json:"of"`    // rows of each class in the whole part
	Row   []int `json:"row"`   // 0-based rows of the file as read
	Class []int `json:"class"` // of each, as an index into the classes
}

// RowFeature is a feature of the rows, in the file's units.
type RowFeature struct {
	Index      int         `json:"index"` // 0-based column of the file as read
	Name       string      `json:"name"`
	Train      []Value     `json:"train"`          // of each row of that part
	Test       []Value     `json:"test,omitempty"` // of each row of that part
	Neighbours []Neighbour `json:"neighbours,omitempty"`
}

// Neighbour is a feature that goes with another one.
type Neighbour struct {
	Index       int     `json:"index"`
	Name        string  `json:"name"`
	Correlation float64 `json:"correlation"` // Pearson's, over the training rows shown
}

// Value is one of the data; what is missing is NaN, and null in JSON.
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
