package session

import (
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// State is the state of a session.
type State string

// The states. A session is settled if every row of P has a probability of at
// least 0.9 and no leader has changed during the last 5% of the epochs. The
// contest that follows may leave fewer settled ([Status.SettledRows]). It has
// failed if a loss or gradient was not a number.
const (
	Idle    State = "idle"    // open, no step yet
	Running State = "running" // a step or run is in progress
	Paused  State = "paused"  // has made steps and is waiting
	Settled State = "settled"
	Done    State = "done" // the annealing is complete
	Broken  State = "failed"
	Closed  State = "closed"
)

// Layer is a layer of the compiled network.
type Layer struct {
	Name string `json:"name"` // e.g. encoder/0, the first of its stack
	// shape of its weights: in×out; for a weight predictor and for scores,
	// out×in
	Shape      []int `json:"shape"`
	Parameters int   `json:"parameters"` // number of weights and biases
	// shape of the weights that a weight predictor predicts, features last
	Gives    []int `json:"gives,omitempty"`
	Predicts bool  `json:"predicts"` // used for predictions; other layers are only trained
}

// Score is a measure of how well a network predicts.
type Score struct {
	Metric Metric  `json:"metric"` // accuracy, or r2 if the label is a quantity
	Value  float64 `json:"value"`  // in that metric
}

// Metric is the name of a score: accuracy or, for a quantity, the
// coefficient of determination R².
type Metric string

// The metrics, defined in package metric.
const (
	Accuracy Metric = "accuracy"
	RSquared Metric = "r2"
)

// MetricOf returns the metric for classes, or for a quantity.
func MetricOf(quantity bool) Metric {
	if quantity {
		return RSquared
	}
	return Accuracy
}

// Quantity reports whether the metric belongs to a quantity.
func (m Metric) Quantity() bool { return m == RSquared }

// Name returns the name of the metric for users.
func (m Metric) Name() string {
	if m.Quantity() {
		return "R²"
	}
	return string(Accuracy)
}

// Status describes a session at one moment. Steps count from 0, and Step is
// the number of steps so far. Losses and scores are those of the last
// complete epoch's metrics window. They are never NaN: Trained says whether
// there are any.
type Status struct {
	Session string          `json:"session"`
	State   State           `json:"state"`
	Reason  string          `json:"reason,omitempty"` // why it stopped, in words
	Config  config.Settings `json:"config"`           // settings now in force

	Dataset  string `json:"dataset"`
	DataHash string `json:"data_hash,omitempty"` // SHA-256 of the data set as read
	// hash of the values and labels, and of which rows are test rows
	TestHash string   `json:"test_hash,omitempty"`
	N        int      `json:"n"`               // number of rows
	D        int      `json:"d"`               // number of features
	Units    int      `json:"units,omitempty"` // number of groups or pairs; 0 if rows don't belong together
	Unit     string   `json:"unit,omitempty"`  // what one of them is called, such as donor
	Classes  []string `json:"classes"`         // names of the classes, or the ranges of a quantity
	// what is in the data and what was noticed while reading them, in lines
	// for people; nil in updates of a watch
	Table    []string `json:"table,omitempty"`
	Train    int      `json:"train_rows"`
	Validate int      `json:"validation_rows"`
	Test     int      `json:"test_rows"`
	// features left out because they are constant over the training rows
	Constant int `json:"constant_features"`
	// features left out because each separates the classes least on its own
	Screened int `json:"screened_features"`

	// set while it runs and waits for its first steps here: XLA compiles
	// them, which takes a second or two, or loads a program that was
	// compiled before
	Compiling     bool    `json:"compiling,omitempty"`
	Step          int     `json:"step"`
	Steps         int     `json:"steps"` // steps of the whole annealing
	StepsPerEpoch int     `json:"steps_per_epoch"`
	Epoch         float64 `json:"epoch"`
	Tau           float64 `json:"tau"`
	Sharpness     float64 `json:"sharpness"` // σ of P = softmax(σ log δ)

	Trained            bool    `json:"trained"`
	Loss               float64 `json:"loss"`
	LossClass          float64 `json:"loss_class"`          // or of a quantity: see Learned
	LossReconstruction float64 `json:"loss_reconstruction"` // without λ
	// score on the training batches, with noise and dropout
	TrainScore Score `json:"train_score"`
	// Score on the validation rows with the selection of the last look at P.
	// It is nil before the first look (after a hundredth of the annealing,
	// in whole epochs), and if there are no such rows.
	ValidationScore *Score `json:"validation_score"`
	// nil before the contest, and if the method has no contest
	Contest *Contest `json:"contest"`
	// nil before the training is over, and if the method has no final
	// networks
	Final *FinalNetworks `json:"final_networks"`
	// Mean over the rows of P of the largest probability, at that look. It
	// is nil before the first look.
	MaxProbability *float64 `json:"max_probability"`
	// 0 before the first look, since settling takes several looks
	SettledRows int `json:"settled_rows"`
	// Number of different leaders among the rows of P, at that look. It is
	// nil before the first look.
	UniqueRows *int `json:"unique_rows"`

	StepsPerSecond float64 `json:"steps_per_second"`
	SecondsLeft    float64 `json:"seconds_left"`
	Seconds        float64 `json:"seconds"` // time spent on training
	Backend        string  `json:"backend"`
	Device         string  `json:"device"`
	BackendReason  string  `json:"backend_reason"`
	// number of steps, runs and rewinds that have begun since it was opened
	Moves int `json:"moves"`
	// number of looks at the test rows, by this session and by others and
	// commands in the same directory
	TestLooks int `json:"test_looks"`
	// parameters of what predicts: encoder and classifier of the trained
	// network, or all final networks as long as their choice is the current
	// one
	Parameters int `json:"parameters"`
	// parameters that training learns: also the weight predictors, or the
	// scores of protocol=stepwise, and the decoder
	ParametersTrained int     `json:"parameters_trained"`
	ModelKB           float64 `json:"model_kb"` // size of what predicts, in 1000 bytes
	// Layers of the network, in order. It is nil in updates of a watch.
	Layers []Layer `json:"layers,omitempty"`

	Directory string `json:"directory,omitempty"` // where relative paths of its settings start
	// Directory of its checkpoints. It is "" if none are written.
	RunDirectory string `json:"run_directory,omitempty"`
	// Step of the last checkpoint. It is nil before the first one.
	SavedStep *int `json:"saved_step,omitempty"`
	// another process has it open; here you can only look at it and fork it
	ReadOnly bool `json:"read_only,omitempty"`
	// a problem that does not affect the training, e.g. a disk too full for
	// checkpoints
	Warning string `json:"warning,omitempty"`
}

// Contest reports what happened when every feature challenged the choice,
// once the training was over. From its step on, the selectors that took
// another feature are held on it: their rows of P and M are one-hot. It is
// part of the training's past, so a rewind before its step undoes it.
type Contest struct {
	// step at which it was held: the last of the training, unless it is
	// continued
	Step int `json:"step"`
	// Exchanges by selector. It is empty if no feature said clearly more.
	Exchanges []Exchange `json:"exchanges"`
}

// Exchange is the change of one selector in a contest, with the reason.
type Exchange struct {
	Selector int   `json:"selector"` // number of the selector, from 0
	From     Entry `json:"from"`     // the feature that it replaced, with its probability before the contest
	To       Entry `json:"to"`       // the feature that it took, with its probability before the contest
	// contest, if one feature took the place; pair, if two features say more
	// together
	By string `json:"by"`
	// share that To explains of what the features of the other selectors
	// leave unexplained, from 0 to 1
	Share float64 `json:"share"`
	// relative change of the leave-one-out error of a kernel ridge on all
	// chosen features; negative is better
	ErrorChange float64 `json:"error_change"`
}

// How a feature was chosen: see [Selected].
const (
	ByGradient = "gradient"
	ByArgmax   = "argmax"
	ByContest  = "contest"
	ByPair     = "pair"
	ByMust     = "must"
)

// FinalNetworks are several small networks that are trained on only the
// chosen features once the training is over. They predict by the mean of
// their scores. They belong to their step and its choice: later steps train
// only the trained network.
type FinalNetworks struct {
	Step     int      `json:"step"`     // step that they belong to
	Features []string `json:"features"` // features that they read, by selector
	Count    int      `json:"count"`    // number of networks
	// training has continued and chosen other features since
	OtherChoice bool `json:"other_choice,omitempty"`
	// score on the training rows, without noise and dropout; like all
	// scores, nil until it is known
	Train      *Score `json:"train"`
	Validation *Score `json:"validation"` // score on the validation rows
	// score on the test rows; known once these were evaluated, which counts
	// as a look
	Test *Score `json:"test"`
}

// Event is an entry of a session's timeline. At this step the session was
// opened, had a live key set, stopped, exchanged a feature in the contest,
// got its final networks, was rewound to this step, was forked from another
// session, or resumed on another device.
type Event struct {
	Step    int             `json:"step"`
	Epoch   float64         `json:"epoch"`
	Kind    string          `json:"kind"` // one of open, set, stop, contest, final, rewind, fork or resume
	Text    string          `json:"text"` // for users: "lambda 1 → 0.1"
	Changes []config.Change `json:"changes,omitempty"`
}

// Selected is a chosen feature.
type Selected struct {
	Rank        int     `json:"rank"`  // 1…K by falling probability
	Index       int     `json:"index"` // 0-based column of the file as read
	Name        string  `json:"name"`
	Probability float64 `json:"probability"` // P[selector, feature]
	// difference to the probability of the selector's second feature
	Margin   float64 `json:"margin"`
	Selector int     `json:"selector"` // 0…K−1: the input of the network that reads it
	// step of the look that first saw the current leader of its selector
	LeadsSince int  `json:"leads_since"`
	Must       bool `json:"must,omitempty"` // required by must, whatever P says

	Entropy float64 `json:"entropy"` // entropy of the selector's row of P, in bits
	// How often its leader changed from one look at P to the next. See
	// [Selectors] for when looks happen.
	Changes int   `json:"changes"`
	Leader  Entry `json:"leader"`            // the largest entry of its row, even if another selector got it
	Second  Entry `json:"second"`            // the second largest entry of its row
	LostTo  *int  `json:"lost_to,omitempty"` // the selector that got its leader instead, if any: a duplicate
	// how the feature came to be chosen: gradient, if its selector settled
	// on it or gives it a probability of .5 or more; argmax, if the unique
	// argmax of P took it with less; contest or pair, if it took its place
	// at the end of the training; must, if it was required. A held selector
	// keeps the reason from before it was held.
	ChosenBy string `json:"chosen_by"`
	// The feature that it replaced in the contest, with its probability
	// before. It is nil for most features.
	Replaced *Entry `json:"replaced,omitempty"`
	// Estimated step at which the selector settles, or settled. It is nil if
	// there is no trend. We fit a line to the logit of the leader's
	// probability over the looks since the leader changed (at least 4, at
	// most the last 20). If the line rises by more than twice its standard
	// error, the estimate is the step at which it reaches 0.9, but not
	// before the leader has led for 5% of the annealing.
	SettlesAt *int `json:"settles_at,omitempty"`
}

// Entry is a feature in a row of P.
type Entry struct {
	Index       int     `json:"index"`       // 0-based column of the file as read
	Name        string  `json:"name"`        // name of the feature
	Probability float64 `json:"probability"` // probability of the feature in the row
}

// MatrixRequest asks for the selection matrix.
type MatrixRequest struct {
	Session string `json:"session,omitempty"`
	// one of probability (P, the default), sample (M, at the current
	// temperature and noise) or soft (temperature, no noise)
	Of  string `json:"of,omitempty"`
	Top int    `json:"top,omitempty"` // The most columns, by mass. 0 means 40, or K if that is more.
	// a past step, from 0 to the current one. Its matrix is recomputed from
	// the nearest checkpoint while the session continues. Nil means the
	// current step.
	Step *int `json:"step,omitempty"`
}

// Check rejects invalid requests.
func (r MatrixRequest) Check() error {
	switch kinds := []string{"probability", "sample", "soft"}; {
	case r.Of != "" && !slices.Contains(kinds, r.Of):
		return errs.New(errs.Request, phrase.DidYouMean(r.Of, kinds), "of = %q is not a selection matrix", r.Of)
	case r.Top < 0 || r.Top > 10_000:
		return errs.New(errs.Request, "choose 1 to 10000 columns, or 0 for 40", "top = %d is out of range", r.Top)
	}
	return nil
}

// Matrix holds the columns of a selection matrix that carry mass: K rows and
// a column per feature, ordered so that a converged selection lies on the
// diagonal.
type Matrix struct {
	Session   string      `json:"session"`
	Of        string      `json:"of"`
	Step      int         `json:"step"`
	Epoch     float64     `json:"epoch"`
	Tau       float64     `json:"tau"`
	D         int         `json:"d"`
	Index     []int       `json:"index"`     // feature of each column
	Names     []string    `json:"names"`     // name of the feature of each column
	Selectors []int       `json:"selectors"` // selector of each row
	Values    [][]float64 `json:"values"`    // rows × columns
	LeftOut   []float64   `json:"left_out"`  // mass of each row in columns that are not shown
	// name of the feature with the largest value of each row, whether or not
	// its column is shown
	Leaders []string `json:"leaders,omitempty"`
	// largest value of each row
	LeaderValues []float64 `json:"leader_values,omitempty"`
	// column with the feature that the selector of each row gets, or −1 if
	// it is not shown: the leader of the selector or, if another selector
	// has that, its best remaining feature
	Selected []int `json:"selected,omitempty"`
	// Contest says how the choice changed before this step; nil before the
	// contest.
	Contest *Contest `json:"contest,omitempty"`
}

// HistoryRequest asks for curves.
type HistoryRequest struct {
	Session string   `json:"session,omitempty"`
	Metrics []string `json:"metrics,omitempty"` // Names of curves. If there are none, all curves are sent.
	From    int      `json:"from,omitempty"`    // first step
	Points  int      `json:"points,omitempty"`  // The most points per curve, 4 to [MaxPoints]. 0 means 400.
	// asks for the course of every selector, too
	Selectors bool `json:"selectors,omitempty"`
	// Number of epochs over which a chart of the answer averages the noisy
	// curves, see [Curve.Smooth]. 0 turns smoothing off. Nil means
	// [SmoothEpochs].
	Smooth *int `json:"smooth,omitempty"`
}

// Check rejects invalid requests.
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

// MaxPoints is the largest number of points per curve in a request. A
// training keeps no more than that.
const MaxPoints = 100_000

// History holds the events, and curves over the steps that are thinned
// without losing extremes.
type History struct {
	Session  string           `json:"session"`
	Step     int              `json:"step"`
	PerEpoch int              `json:"steps_per_epoch"`
	Curves   map[string]Curve `json:"curves"`
	Events   []Event          `json:"events"`
	// nil unless it was requested
	Selectors *Selectors `json:"selectors,omitempty"`
	Smooth    *int       `json:"smooth,omitempty"` // copied from the request
}

// Curve is one metric: Values[i] after step Steps[i].
type Curve struct {
	Steps  []int     `json:"steps"`
	Values []float64 `json:"values"`
	// For a thinned noisy curve, the mean of the stretch that each value
	// stands for. It is nil if every value stands for itself.
	Means []float64 `json:"means,omitempty"`
}

// Metrics returns the names of the curves.
func Metrics() []string {
	return []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "accuracy_validation", "r2_train", "r2_validation",
		"tau", "sharpness", "max_probability", "max_soft", "entropy", "unique_rows", "learning_rate", "lambda"}
}

// The subsets of rows that a session can be evaluated on.
const (
	Train      = "train"
	Validation = "validation" // exists if validation_fraction is above 0
	Test       = "test"       // looks at it are counted
)

// Parts lists the parts of the rows that can be evaluated.
func Parts() []string { return []string{Train, Validation, Test} }

// NoRows returns the error for evaluating a part (validation or test) that has
// no rows.
func NoRows(part string) error {
	return errs.New(errs.Request, fmt.Sprintf("open a session with %s_fraction=0.2, say", part),
		"there are no %s rows: %s_fraction = 0", part, part)
}

// Evaluation measures how well the chosen features predict one subset of the
// rows. For a quantity it has an RMSE instead of the figures about classes.
type Evaluation struct {
	Session string `json:"session"`
	Part    string `json:"part"` // one of train, validation or test
	Rows    int    `json:"rows"`
	Step    int    `json:"step"`
	// whose predictions the figures from Score to RMSE measure: those of the
	// [FinalNetwork] as long as its choice is the current one, otherwise
	// those of the [TrainedNetwork]
	Network string `json:"network"`
	Score   Score  `json:"score"`
	// Lower end of the 95 % interval of the accuracy, over units if there
	// are any. It is left out for a quantity.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"` // upper end of that interval
	// Number of groups or pairs that the rows belong to. It is 0 if there
	// are no groups or pairs.
	Units int    `json:"units,omitempty"`
	Unit  string `json:"unit,omitempty"` // what one unit is called, e.g. donor
	// score of the best constant guess on these rows: the share of their
	// most frequent class, or 0
	Guess            float64  `json:"guess"`
	BalancedAccuracy *float64 `json:"balanced_accuracy,omitempty"`
	Confusion        [][]int  `json:"confusion,omitempty"` // rows: true class, columns: predicted class
	Classes          []string `json:"classes,omitempty"`
	RMSE             *float64 `json:"rmse,omitempty"`  // √mean (y − ŷ)², in the units of the label
	Trained          Score    `json:"trained_network"` // score of the network as it is at Step
	// nil before the training is over, and if the method has no final
	// networks
	Final *FinalScore `json:"final_networks"`
	// mean squared error of the trained network, per feature, in scaled
	// units
	ReconstructionError float64 `json:"reconstruction_error"`
	// mean over pairs of selected features, bits, 10 bins
	MutualInformation float64 `json:"mutual_information"`
	// number of looks at the test rows, including this one, by this session
	// and by others and commands in the same directory
	TestLooks int `json:"test_looks"`
	// Number of different settings that were looked at. It is 0 if it is not
	// known.
	TestSettings int `json:"test_settings,omitempty"`
	// How far a training has come that is not over. See [Status.Unfinished].
	Unfinished string `json:"unfinished,omitempty"`
}

// The names of what predicts, for users and in an [Evaluation].
const (
	TrainedNetwork = "trained network"
	FinalNetwork   = "final networks"
)

// FinalScore is the score of the final networks on a set of rows.
type FinalScore struct {
	Step  int   `json:"step"` // step whose selection they were trained on
	Score Score `json:"score"`
	// training has continued and chosen other features since
	OtherChoice bool `json:"other_choice,omitempty"`
}

// Progress says how far a verb of a session has come.
type Progress struct {
	Session string `json:"session"`
	// one of step, run, rewind or fork while it is in progress; otherwise ""
	Verb string `json:"verb,omitempty"`
	// step that was reached: the recomputed one for a rewind or fork,
	// otherwise the current one
	Reached int `json:"reached"`
	// last step at which the verb may end; the current step if there is no
	// verb
	Target int    `json:"target"`
	Status Status `json:"status"`
}
