package results

import (
	"strings"

	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
)

// Tuned holds what the combinations of a plan reach.
type Tuned struct {
	Dataset   string         `json:"dataset"`    // name of the data set
	Metric    session.Metric `json:"metric"`     // of the scores: accuracy, or r2 where the label is a quantity
	Rows      int            `json:"rows"`       // training rows, which are all that was looked at
	D         int            `json:"d"`          // features
	Classes   []string       `json:"classes"`    // names of the classes, or the ranges of a quantity
	Folds     int            `json:"folds"`      // of the training rows
	Repeats   int            `json:"repeats"`    // of the folds, other ones each time
	Judge     string         `json:"judge"`      // whose score decides: own, svm or kernel-ridge
	Seed      int64          `json:"seed"`       // of everything random
	SplitSeed int64          `json:"split_seed"` // that divided the rows
	Grid      Grid           `json:"grid"`       // keys and the values that were tried
	Seeds     int            `json:"seeds"`      // of a sweep, one a repeat; 0 of a tuning or a path
	Planned   int            `json:"planned"`    // trainings; fewer are done after an interruption
	Done      int            `json:"done"`       // trainings that are done
	Points    []Point        `json:"points"`     // what each combination reaches, by k, then in the order of the grid
	// place in points of the highest mean; null while something is missing, or where every
	// combination failed on a fold
	Best      *int          `json:"best"`
	Chosen    *int          `json:"chosen"`             // place in points of the choice; null as best is
	Threshold *float64      `json:"threshold"`          // the best mean less its standard error
	Command   string        `json:"command"`            // trains with the choice; "" without one
	Magic     string        `json:"magic"`              // the same in a notebook
	Selected  []PathFeature `json:"selected,omitempty"` // the features, by rank; only of a path
}

// Grid is every combination of the values of its axes.
type Grid []Axis

// Axis is a key with the values to try, as text, in the order of preference.
type Axis struct {
	Key    string   `json:"key"`    // name of the key
	Values []string `json:"values"` // as text
}

// Point is one combination and its scores.
type Point struct {
	Settings   []Setting      `json:"settings"`           // the grid's settings, in its order
	K          int            `json:"k"`                  // features to choose
	Folds      int            `json:"folds"`              // with figures, of all repeats
	Failed     int            `json:"failed"`             // folds; a combination that failed on one is not chosen
	Score      *Estimate      `json:"score"`              // of the judge that decides; null without figures
	Own        *Estimate      `json:"own"`                // score of its own network; null in a path
	Beside     *Estimate      `json:"beside"`             // score of the support vector machine, or of a quantity of the kernel ridge regression
	Difference *Estimate      `json:"difference"`         // to the best, fold by fold; null where that is not known
	Error      string         `json:"error"`              // of the first fold that failed
	BySeed     []BySeed       `json:"by_seed,omitempty"`  // of a sweep: what the judge says of each seed whose folds are all done
	Interval   *metric.Spread `json:"interval,omitempty"` // of a sweep: how that varies over seeds, with the interval of its mean
}

// Setting is a key and its value.
type Setting struct {
	Key   string `json:"key"`   // name of the key
	Value string `json:"value"` // as text
}

// Name returns the combination in words, such as "k=10 lambda=0".
func (p Point) Name() string {
	words := make([]string, len(p.Settings))
	for i, s := range p.Settings {
		words[i] = s.Key + "=" + s.Value
	}
	return strings.Join(words, " ")
}

// Estimate is a mean over held-out folds.
type Estimate struct {
	Mean float64 `json:"mean"` // over the folds
	// SE is the standard error of the mean over the n folds of a repeat, √(Σ (a_f − ā)² / (n (n −
	// 1))). For several repeats it is the root of the mean of its squares, since other folds of the
	// same rows are not new rows. It is 0 for one fold.
	SE float64 `json:"se"`
}

// BySeed holds what one seed of a sweep reaches.
type BySeed struct {
	Seed  int64   `json:"seed"`  // of the training and its folds
	Score float64 `json:"score"` // mean over the folds, by the judge
}

// PathFeature is a feature of a path.
type PathFeature struct {
	Rank        int     `json:"rank"`        // from 1, in the order of forward selection
	Index       int     `json:"index"`       // 0-based column of the file as read
	Name        string  `json:"name"`        // of the feature
	Enters      int     `json:"enters"`      // the smallest k that has it
	Probability float64 `json:"probability"` // of the feature in its selector's row of P
}
