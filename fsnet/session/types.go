package session

import (
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// State of a session.
type State string

// The states. A session is settled when every row of P has a probability of at least 0.9 and no leader changed during the last 5% of
// the epochs; failed when a loss or gradient was not a number.
const (
	Idle    State = "idle"    // opened, no step yet
	Running State = "running" // a step or run is in progress
	Paused  State = "paused"  // advanced, and waiting
	Settled State = "settled"
	Done    State = "done" // the annealing came to its end
	Broken  State = "failed"
	Closed  State = "closed"
)

// Layer is one of the network that trains, as it was compiled.
type Layer struct {
	Name       string `json:"name"`            // such as encoder/0, the first of its stack
	Shape      []int  `json:"shape"`           // of its weights: in×out; of a weight predictor, and of scores, out×in
	Parameters int    `json:"parameters"`      // weights and biases
	Gives      []int  `json:"gives,omitempty"` // shape of the weights that a weight predictor predicts, the features last
	Predicts   bool   `json:"predicts"`        // also there when the network predicts; the others only train
}

// Score is how well a network predicts.
type Score struct {
	Metric Metric  `json:"metric"` // accuracy, or r2 where the label is a quantity
	Value  float64 `json:"value"`  // of the metric
}

// Metric is what a score is: the accuracy or, where the label is a quantity, the coefficient of determination R².
type Metric string

// The metrics, which package metric defines.
const (
	Accuracy Metric = "accuracy"
	RSquared Metric = "r2"
)

// MetricOf is that of classes, or of a quantity.
func MetricOf(quantity bool) Metric {
	if quantity {
		return RSquared
	}
	return Accuracy
}

// Quantity is whether the label is one.
func (m Metric) Quantity() bool { return m == RSquared }

// Name is what people call it.
func (m Metric) Name() string {
	if m.Quantity() {
		return "R²"
	}
	return string(Accuracy)
}

// Status is a session at one moment. Steps count from 0; Step is how many were made. Losses and scores are those of the last
// finished epoch's metrics window; they are NaN-free: Trained says whether there are any.
type Status struct {
	Session string          `json:"session"`
	State   State           `json:"state"`
	Reason  string          `json:"reason,omitempty"` // why it stopped, in words
	Config  config.Settings `json:"config"`           // as in force now

	Dataset  string   `json:"dataset"`
	N        int      `json:"n"`       // rows
	D        int      `json:"d"`       // features
	Classes  []string `json:"classes"` // or the ranges of a quantity
	Train    int      `json:"train_rows"`
	Validate int      `json:"validation_rows"`
	Test     int      `json:"test_rows"`
	Constant int      `json:"constant_features"` // set aside
	Screened int      `json:"screened_features"` // set aside, as they tell the classes apart least on their own

	// Compiling: it runs, and its first steps have not been made since it was opened here, since XLA is compiling them, which takes a second
	// or two, or loading what it compiled before.
	Compiling     bool    `json:"compiling,omitempty"`
	Step          int     `json:"step"`
	Steps         int     `json:"steps"` // in the whole annealing
	StepsPerEpoch int     `json:"steps_per_epoch"`
	Epoch         float64 `json:"epoch"`
	Tau           float64 `json:"tau"`
	Sharpness     float64 `json:"sharpness"` // σ, of which P = softmax(σ log δ) is made

	Trained            bool    `json:"trained"`
	Loss               float64 `json:"loss"`
	LossClass          float64 `json:"loss_class"`          // or of a quantity: see Learned
	LossReconstruction float64 `json:"loss_reconstruction"` // without λ
	TrainScore         Score   `json:"train_score"`         // on the training batches, with noise and dropout
	// ValidationScore is of the validation rows through the selection, at the last look at P; nil before the first one (after a hundredth of
	// the annealing, in whole epochs), and without such rows.
	ValidationScore *Score `json:"validation_score"`
	// mean over the rows of P of the largest probability, at that look; nil before the first
	MaxProbability *float64 `json:"max_probability"`
	SettledRows    int      `json:"settled_rows"` // 0 before the first look: a settled selector has been seen to lead for a while
	UniqueRows     *int     `json:"unique_rows"`  // different leaders among the rows of P, at that look; nil before the first

	StepsPerSecond float64 `json:"steps_per_second"`
	SecondsLeft    float64 `json:"seconds_left"`
	Seconds        float64 `json:"seconds"` // spent training
	Backend        string  `json:"backend"`
	Device         string  `json:"device"`
	BackendReason  string  `json:"backend_reason"`
	TestLooks      int     `json:"test_looks"` // how often the test rows were evaluated
	// numbers in the network that predicts: encoder and classifier
	Parameters int `json:"parameters"`
	// numbers that the training learns: also the weight predictors, or the scores of protocol=stepwise, and the decoder
	ParametersTrained int     `json:"parameters_trained"`
	ModelKB           float64 `json:"model_kb"`         // size of the network that predicts, in 1000 bytes
	Layers            []Layer `json:"layers,omitempty"` // of the network, in order; nil in what a watch tells

	RunDirectory string `json:"run_directory,omitempty"` // where its checkpoints are; "" while none are written
	SavedStep    *int   `json:"saved_step,omitempty"`    // of the last checkpoint; nil before the first
	ReadOnly     bool   `json:"read_only,omitempty"`     // another process has it open; it can be looked at and forked
	Warning      string `json:"warning,omitempty"`       // what does not work beside the training, such as writing checkpoints to a full disk
}

// Event is something that happened to a session at a step: it was opened, a live key was set, it stopped, it was rewound to this step,
// forked from another session at it, or resumed on another device.
type Event struct {
	Step    int             `json:"step"`
	Epoch   float64         `json:"epoch"`
	Kind    string          `json:"kind"` // open · set · stop · rewind · fork · resume
	Text    string          `json:"text"` // for people: "lambda 1 → 0.1"
	Changes []config.Change `json:"changes,omitempty"`
}

// Selected is one of the K chosen features.
type Selected struct {
	Rank        int     `json:"rank"`  // 1…K by falling probability
	Index       int     `json:"index"` // 0-based column of the file as read
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`    // P[selector, feature]
	Margin      float64 `json:"margin"`         // to the selector's second feature
	Selector    int     `json:"selector"`       // 0…K-1: the slot of the network that reads it
	LeadsSince  int     `json:"leads_since"`    // the step at which a look first saw its selector's present leader
	Must        bool    `json:"must,omitempty"` // it was to be chosen in any case

	Entropy float64 `json:"entropy"` // of the selector's row of P, in bits
	// how often its leader changed from one look at P to the next; a look is every hundredth of the annealing
	Changes int   `json:"changes"`
	Leader  Entry `json:"leader"`            // the largest entry of its row, also where another selector got it
	Second  Entry `json:"second"`            // the next
	LostTo  *int  `json:"lost_to,omitempty"` // the selector that got its leader, where another did: a duplicate
	// SettlesAt estimates the step at which it will be settled, or was: nil where there is no trend. A line is laid through the logit of
	// its leader's probability at the last looks since the leader changed (20 at the most, 4 at the least); where it rises by more than
	// twice its standard error, the estimate is where it reaches 0.9, and not before the leader has led for 5% of the annealing.
	SettlesAt *int `json:"settles_at,omitempty"`
}

// Entry is one feature in a row of P.
type Entry struct {
	Index       int     `json:"index"` // 0-based column of the file as read
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
}

// MatrixRequest asks for the selection matrix.
type MatrixRequest struct {
	Session string `json:"session,omitempty"`
	// probability (P, the default) · sample (M, at the present temperature and noise) · soft (temperature, no noise)
	Of  string `json:"of,omitempty"`
	Top int    `json:"top,omitempty"` // columns at the most, by mass; 0 is 40
	// Step is one from 0 to the present one: the matrix as it was after that step, which is made again from the nearest checkpoint beside
	// the session. Nil is the present one.
	Step *int `json:"step,omitempty"`
}

// Check refuses a matrix that there cannot be.
func (r MatrixRequest) Check() error {
	switch kinds := []string{"probability", "sample", "soft"}; {
	case r.Of != "" && !slices.Contains(kinds, r.Of):
		return errs.New(errs.Request, phrase.DidYouMean(r.Of, kinds), "of = %q is not a selection matrix", r.Of)
	case r.Top < 0 || r.Top > 10_000:
		return errs.New(errs.Request, "choose 1 to 10000 columns, or 0 for 40", "top = %d is out of range", r.Top)
	}
	return nil
}

// Matrix holds the columns of a selection matrix that hold mass: K rows, one column a feature, rows and columns ordered so that a
// converged selection lies on the diagonal.
type Matrix struct {
	Session   string      `json:"session"`
	Of        string      `json:"of"`
	Step      int         `json:"step"`
	Epoch     float64     `json:"epoch"`
	Tau       float64     `json:"tau"`
	D         int         `json:"d"`
	Index     []int       `json:"index"`     // of each column
	Names     []string    `json:"names"`     // of each column
	Selectors []int       `json:"selectors"` // of each row
	Values    [][]float64 `json:"values"`    // rows × columns
	LeftOut   []float64   `json:"left_out"`  // mass of each row in the columns not shown
	// Leaders are the names of each row's largest value of all, whether its column is shown or not.
	Leaders []string `json:"leaders,omitempty"`
	// LeaderValues are these largest values.
	LeaderValues []float64 `json:"leader_values,omitempty"`
	// Selected is the feature that each row's selector gets, as one of these columns, or -1 where it is not among them: its leader, or
	// where another selector has that, the best that is left.
	Selected []int `json:"selected,omitempty"`
}

// HistoryRequest asks for curves.
type HistoryRequest struct {
	Session string   `json:"session,omitempty"`
	Metrics []string `json:"metrics,omitempty"` // names; none is all of them
	From    int      `json:"from,omitempty"`    // first step
	Points  int      `json:"points,omitempty"`  // at the most, a curve, 4 to [MaxPoints]; 0 is 400
	// Selectors asks for the course of every selector, too.
	Selectors bool `json:"selectors,omitempty"`
	// Smooth says over how many epochs a chart of the answer averages the noisy curves, see [Curve.Smooth]: 0 is not at all, nil is
	// [SmoothEpochs].
	Smooth *int `json:"smooth,omitempty"`
}

// Check refuses curves that there cannot be.
func (r HistoryRequest) Check() error {
	for _, metric := range r.Metrics {
		if !slices.Contains(Metrics(), metric) {
			return errs.New(errs.Request, phrase.DidYouMean(metric, Metrics()), "metric %q is not known", metric)
		}
	}
	switch {
	case r.From < 0:
		return errs.New(errs.Request, "leave it out, or use 1 or more", "from = %d", r.From)
	case r.Points != 0 && (r.Points < 4 || r.Points > MaxPoints):
		return errs.New(errs.Request, fmt.Sprintf("choose 4 to %d", MaxPoints), "points = %d is out of range", r.Points)
	case r.Smooth != nil && *r.Smooth < 0:
		return errs.New(errs.Request, "give a number of epochs, or 0 for none", "smooth = %d", *r.Smooth)
	}
	return nil
}

// MaxPoints is the most points of a curve that can be asked for, which are all that a training keeps.
const MaxPoints = 100_000

// History is curves over the steps, thinned so that extremes stay, and the events.
type History struct {
	Session  string           `json:"session"`
	Step     int              `json:"step"`
	PerEpoch int              `json:"steps_per_epoch"`
	Curves   map[string]Curve `json:"curves"`
	Events   []Event          `json:"events"`
	// Selectors is nil where it was not asked for.
	Selectors *Selectors `json:"selectors,omitempty"`
	Smooth    *int       `json:"smooth,omitempty"` // as it was asked for
}

// Curve is one metric: Values[i] after step Steps[i].
type Curve struct {
	Steps  []int     `json:"steps"`
	Values []float64 `json:"values"`
	// Means are those of the stretches that the values are left of where a noisy curve was thinned; nil where every value stands for itself.
	Means []float64 `json:"means,omitempty"`
}

// Metrics are the names of the curves.
func Metrics() []string {
	return []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "accuracy_validation", "r2_train", "r2_validation",
		"tau", "sharpness", "max_probability", "max_soft", "entropy", "unique_rows", "learning_rate", "lambda"}
}

// The parts of the rows that a session can be evaluated on.
const (
	Train      = "train"
	Validation = "validation" // where validation_fraction is above 0
	Test       = "test"       // looks at them are counted
)

// Parts lists them.
func Parts() []string { return []string{Train, Validation, Test} }

// NoRows returns the error of evaluating a part of the rows, validation or test, that is empty.
func NoRows(part string) error {
	return errs.New(errs.Request, fmt.Sprintf("open a session with %s_fraction=0.2, say", part),
		"there are no %s rows: %s_fraction = 0", part, part)
}

// Evaluation is the network on the selected features of the rows of one part. Where the label is a quantity it has an RMSE in the place of
// the figures of classes.
type Evaluation struct {
	Session             string   `json:"session"`
	Part                string   `json:"part"` // train · validation · test
	Rows                int      `json:"rows"`
	Step                int      `json:"step"`
	Score               Score    `json:"score"`
	Guess               float64  `json:"guess"` // score of always saying the most frequent training class, or the mean: 0
	BalancedAccuracy    *float64 `json:"balanced_accuracy,omitempty"`
	Confusion           [][]int  `json:"confusion,omitempty"` // rows: true class, columns: predicted
	Classes             []string `json:"classes,omitempty"`
	RMSE                *float64 `json:"rmse,omitempty"`       // √mean (y − ŷ)², in the units of the label
	ReconstructionError float64  `json:"reconstruction_error"` // mean squared, per feature, scaled units
	MutualInformation   float64  `json:"mutual_information"`   // mean over pairs of selected features, bits, 10 bins
	TestLooks           int      `json:"test_looks"`           // how often the test rows were looked at, this time included
}

// Progress is a session and how far the verb that it is busy with has come.
type Progress struct {
	Session string `json:"session"`
	Verb    string `json:"verb,omitempty"` // step · run · rewind · fork, in progress; "" while there is none
	Reached int    `json:"reached"`        // the step that it has come to: of a rewind or fork the one made again, else the present one
	Target  int    `json:"target"`         // the step at which it ends, at the latest; without a verb the present one
	Status  Status `json:"status"`
}
