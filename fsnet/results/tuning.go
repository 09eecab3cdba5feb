package results

import (
	"strings"

	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
)

// Tuned holds what the combinations of a plan reach.
type Tuned struct {
	Dataset string `json:"dataset"` // name of the data set
	// metric of the scores: accuracy, or r2 if the label is a quantity
	Metric  session.Metric `json:"metric"`
	Rows    int            `json:"rows"`    // number of training rows; no other rows were used
	D       int            `json:"d"`       // number of features
	Classes []string       `json:"classes"` // names of the classes, or the ranges of a quantity
	Folds   int            `json:"folds"`   // folds of the training rows
	// how often the rows are divided into folds, each time differently
	Repeats   int    `json:"repeats"`
	Judge     string `json:"judge"`      // judge whose score decides: own, svm or kernel-ridge
	Seed      int64  `json:"seed"`       // seed of everything random
	SplitSeed int64  `json:"split_seed"` // seed that divided the rows
	Grid      Grid   `json:"grid"`       // keys and the values that were tried
	Seeds     int    `json:"seeds"`      // Seeds of a sweep, one per repeat. It is 0 for a tuning or a path.
	Planned   int    `json:"planned"`    // planned trainings; fewer are done after an interruption
	Done      int    `json:"done"`       // completed trainings
	// what each combination reaches, by k, then in the order of the grid
	Points []Point `json:"points"`
	// Index in points of the highest mean. It is null while something is
	// missing, or if every combination failed on a fold.
	Best      *int     `json:"best"`
	Chosen    *int     `json:"chosen"`    // Index in points of the choice. It is null if Best is null.
	Threshold *float64 `json:"threshold"` // the best mean less its standard error
	// Command that trains with the choice. It is "" if there is none.
	Command  string        `json:"command"`
	Magic    string        `json:"magic"`              // the same as a magic for a notebook
	Selected []PathFeature `json:"selected,omitempty"` // features of a path, by rank
}

// Grid is every combination of the values of its axes.
type Grid []Axis

// Axis is a key with the values to try, as text. Preferred values come
// first.
type Axis struct {
	Key    string   `json:"key"`    // name of the key
	Values []string `json:"values"` // values to try, as text
}

// Point is one combination and its scores.
type Point struct {
	Settings []Setting `json:"settings"` // settings of the grid, in its order
	K        int       `json:"k"`        // number of features to choose
	Folds    int       `json:"folds"`    // folds that have figures, over all repeats
	// folds that failed; a combination with one is not chosen
	Failed int `json:"failed"`
	// Score of the judge that decides. It is null if there are no figures.
	Score *Estimate `json:"score"`
	Own   *Estimate `json:"own"` // Score of its network. It is null for a path.
	// score of the support vector machine, or of the kernel ridge regression
	// for a quantity
	Beside *Estimate `json:"beside"`
	// Difference to the best, fold by fold. It is null if it is not known.
	Difference *Estimate `json:"difference"`
	Error      string    `json:"error"` // error of the first fold that failed
	// for a sweep: score of the judge for each seed that has all its folds
	BySeed []BySeed `json:"by_seed,omitempty"`
	// for a sweep: how that score varies over seeds, with the interval of
	// its mean
	Interval *metric.Spread `json:"interval,omitempty"`
}

// Setting is a key and its value.
type Setting struct {
	Key   string `json:"key"`   // name of the key
	Value string `json:"value"` // value as text
}

// Name returns the combination in words, e.g. "k=10 lambda=0".
func (p Point) Name() string {
	words := make([]string, len(p.Settings))
	for i, s := range p.Settings {
		words[i] = s.Key + "=" + s.Value
	}
	return strings.Join(words, " ")
}

// Estimate is a mean over held-out folds.
type Estimate struct {
	Mean float64 `json:"mean"` // mean over the folds
	// standard error of the mean over the n folds of a repeat, √(Σ (a_f −
	// ā)² / (n (n − 1))). For several repeats it is the root of the mean of
	// its squares, because other folds of the same rows are not new rows. It
	// is 0 for one fold.
	SE float64 `json:"se"`
}

// BySeed holds what one seed of a sweep reaches.
type BySeed struct {
	Seed  int64   `json:"seed"`  // seed of the training and its folds
	Score float64 `json:"score"` // score of the judge, mean over the folds
}

// PathFeature is a feature of a path.
type PathFeature struct {
	Rank        int     `json:"rank"`        // rank from 1, in the order of forward selection
	Index       int     `json:"index"`       // 0-based column of the file as read
	Name        string  `json:"name"`        // name of the feature
	Enters      int     `json:"enters"`      // the smallest k that includes it
	Probability float64 `json:"probability"` // probability in its selector's row of P
}
