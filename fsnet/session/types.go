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

// The states. A session is settled when every row of P has a probability of at least 0.9 and no
// leader has changed during the last 5% of the epochs; it has failed when a loss or gradient was
// not a number.
const (
	Idle    State = "idle"    // open, no step yet
	Running State = "running" // a step or run is in progress
	Paused  State = "paused"  // has made steps and is waiting
	Settled State = "settled"
	Done    State = "done" // the annealing is complete
	Broken  State = "failed"
	Closed  State = "closed"
)

// Layer is a layer of the network as compiled.
type Layer struct {
	Name       string `json:"name"`            // such as encoder/0, the first of its stack
	Shape      []int  `json:"shape"`           // of its weights: in×out; for a weight predictor and for scores, out×in
	Parameters int    `json:"parameters"`      // number of weights and biases
	Gives      []int  `json:"gives,omitempty"` // shape of the weights that a weight predictor predicts, features last
	Predicts   bool   `json:"predicts"`        // used for predictions; other layers only train
}

// Score is a measure of how well a network predicts.
type Score struct {
	Metric Metric  `json:"metric"` // accuracy, or r2 where the label is a quantity
	Value  float64 `json:"value"`  // in that metric
}

// Metric names a score: accuracy or, for a quantity, the coefficient of determination R².
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

// Name returns the metric's name for people.
func (m Metric) Name() string {
	if m.Quantity() {
		return "R²"
	}
	return string(Accuracy)
}

// Status describes a session at one moment. Steps count from 0; Step is the number made. Losses and
// scores belong to the last complete epoch's metrics window and are never NaN: Trained says whether
// there are any.
type Status struct {
	Session string          `json:"session"`
	State   State           `json:"state"`
	Reason  string          `json:"reason,omitempty"` // why it stopped, in words
	Config  config.Settings `json:"config"`           // as now in force

	Dataset  string   `json:"dataset"`
	DataHash string   `json:"data_hash,omitempty"` // SHA-256 of the data set as read
	TestHash string   `json:"test_hash,omitempty"` // hash of its values and labels and of which rows are test rows
	N        int      `json:"n"`                   // rows
	D        int      `json:"d"`                   // features
	Units    int      `json:"units,omitempty"`     // groups or pairs of the rows; 0 if rows do not belong together
	Unit     string   `json:"unit,omitempty"`      // what one of them is called, such as donor
	Classes  []string `json:"classes"`             // or the ranges of a quantity
	Train    int      `json:"train_rows"`
	Validate int      `json:"validation_rows"`
	Test     int      `json:"test_rows"`
	Constant int      `json:"constant_features"` // constant over the training rows and left out
	Screened int      `json:"screened_features"` // left out because each alone separates the classes least

	// Compiling is set while it runs and waits for its first steps here: XLA compiles them, which
	// takes a second or two, or loads a program compiled before.
	Compiling     bool    `json:"compiling,omitempty"`
	Step          int     `json:"step"`
	Steps         int     `json:"steps"` // in the whole annealing
	StepsPerEpoch int     `json:"steps_per_epoch"`
	Epoch         float64 `json:"epoch"`
	Tau           float64 `json:"tau"`
	Sharpness     float64 `json:"sharpness"` // σ of P = softmax(σ log δ)

	Trained            bool    `json:"trained"`
	Loss               float64 `json:"loss"`
	LossClass          float64 `json:"loss_class"`          // or of a quantity: see Learned
	LossReconstruction float64 `json:"loss_reconstruction"` // without λ
	TrainScore         Score   `json:"train_score"`         // on the training batches, with noise and dropout
	// ValidationScore is the score on the validation rows with the selection of the last look at P;
	// nil before the first look (after a hundredth of the annealing, in whole epochs), and without
	// such rows.
	ValidationScore *Score         `json:"validation_score"`
	Contest         *Contest       `json:"contest"`        // nil before it, and where the method has none
	Final           *FinalNetworks `json:"final_networks"` // nil before the training is over, and where the method has none
	// mean over the rows of P of the largest probability, at that look; nil before the first
	MaxProbability *float64 `json:"max_probability"`
	SettledRows    int      `json:"settled_rows"` // 0 before the first look, since settling takes several
	UniqueRows     *int     `json:"unique_rows"`  // number of different leaders among the rows of P, at that look; nil before the first

	StepsPerSecond float64 `json:"steps_per_second"`
	SecondsLeft    float64 `json:"seconds_left"`
	Seconds        float64 `json:"seconds"` // spent on training
	Backend        string  `json:"backend"`
	Device         string  `json:"device"`
	BackendReason  string  `json:"backend_reason"`
	// TestLooks is the number of looks at the test rows, by this session and by others and commands
	// in the same directory.
	TestLooks int `json:"test_looks"`
	// parameters of what predicts: encoder and classifier of the trained network, or all final
	// networks as long as they have the present choice
	Parameters int `json:"parameters"`
	// parameters that training learns: also the weight predictors, or the scores of
	// protocol=stepwise, and the decoder
	ParametersTrained int     `json:"parameters_trained"`
	ModelKB           float64 `json:"model_kb"`         // size of what predicts, in 1000 bytes
	Layers            []Layer `json:"layers,omitempty"` // layers of the network, in order; nil in updates of a watch

	Directory    string `json:"directory,omitempty"`     // where relative paths of its settings begin
	RunDirectory string `json:"run_directory,omitempty"` // directory of its checkpoints; "" while none are written
	SavedStep    *int   `json:"saved_step,omitempty"`    // step of the last checkpoint; nil before the first
	ReadOnly     bool   `json:"read_only,omitempty"`     // another process has it open; here it can be looked at and forked
	Warning      string `json:"warning,omitempty"`       // a problem beside the training, such as a disk too full for checkpoints
}

// Contest reports what every feature's challenge of the choice led to, once the training was over. From
// its step on the selectors that took another feature are held on it: their rows of P and M are
// one-hot. It belongs to the path of the training: a rewind before its step undoes it.
type Contest struct {
	Step      int        `json:"step"`      // at which it was held: the last of the training, unless it goes on
	Exchanges []Exchange `json:"exchanges"` // by selector; empty if no feature said clearly more
}

// Exchange is the change of one selector in a contest, with its reason.
type Exchange struct {
	Selector int   `json:"selector"` // from 0
	From     Entry `json:"from"`     // with its probability before the contest
	To       Entry `json:"to"`       // the same
	// contest, where one feature took the place; pair, where two features tell more together
	By string `json:"by"`
	// share of what the features of the other selectors leave unexplained that To explains, from 0
	// to 1
	Share float64 `json:"share"`
	// relative change of the leave-one-out error of a kernel ridge on all chosen features; negative
	// is better
	ErrorChange float64 `json:"error_change"`
}

// By what a feature was chosen: see [Selected].
const (
	ByGradient = "gradient"
	ByArgmax   = "argmax"
	ByContest  = "contest"
	ByPair     = "pair"
	ByMust     = "must"
)

// FinalNetworks are several small networks, trained on the chosen features alone once the training
// is over. They predict by the mean of their scores. They belong to their step and its choice: the
// steps after it train only the trained network.
type FinalNetworks struct {
	Step     int      `json:"step"`     // they belong to
	Features []string `json:"features"` // that they read, by selector
	Count    int      `json:"count"`    // number of networks
	// OtherChoice says that training went on and chose other features since.
	OtherChoice bool   `json:"other_choice,omitempty"`
	Train       *Score `json:"train"`      // on the training rows, without noise and dropout; nil before it is known, as all scores
	Validation  *Score `json:"validation"` // on the validation rows
	Test        *Score `json:"test"`       // on the test rows: known once these were evaluated, which counts as a look
}

// Event is an entry of a session's timeline: at this step it was opened, had a live key set,
// stopped, exchanged a feature in the contest, got its final networks, was rewound to this step, was
// forked from another session, or resumed on another device.
type Event struct {
	Step    int             `json:"step"`
	Epoch   float64         `json:"epoch"`
	Kind    string          `json:"kind"` // open · set · stop · contest · final · rewind · fork · resume
	Text    string          `json:"text"` // for people: "lambda 1 → 0.1"
	Changes []config.Change `json:"changes,omitempty"`
}

// Selected is a chosen feature.
type Selected struct {
	Rank        int     `json:"rank"`  // 1…K by falling probability
	Index       int     `json:"index"` // 0-based column of the file as read
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`    // P[selector, feature]
	Margin      float64 `json:"margin"`         // to the probability of the selector's second feature
	Selector    int     `json:"selector"`       // 0…K−1: the input of the network that reads it
	LeadsSince  int     `json:"leads_since"`    // the step of the look that first saw its selector's present leader
	Must        bool    `json:"must,omitempty"` // required by must, whatever P says

	Entropy float64 `json:"entropy"` // of the selector's row of P, in bits
	// number of changes of its leader from one look at P to the next; see [Selectors] for when P is
	// looked at
	Changes int   `json:"changes"`
	Leader  Entry `json:"leader"`            // the largest entry of its row, even if another selector got it
	Second  Entry `json:"second"`            // the second largest
	LostTo  *int  `json:"lost_to,omitempty"` // the selector that got its leader instead, if any: a duplicate
	// ChosenBy says how the feature came to be chosen: gradient, if its selector settled on it or
	// gives it a probability of .5 or more; argmax, if the unique argmax of P took it with less;
	// contest or pair, if it took its place at the end of the training; must, if it was required. A
	// held selector keeps the reason from before it was held.
	ChosenBy string `json:"chosen_by"`
	// Replaced is the feature whose place it took in the contest, with its probability before; nil
	// for most.
	Replaced *Entry `json:"replaced,omitempty"`
	// SettlesAt estimates the step at which the selector settles, or settled; nil without a trend.
	// It fits a line to the logit of the leader's probability over the looks since the leader
	// changed (at least 4, at most the last 20). If the line rises by more than twice its standard
	// error, the estimate is the step at which it reaches 0.9, but not before the leader has led
	// for 5% of the annealing.
	SettlesAt *int `json:"settles_at,omitempty"`
}

// Entry is a feature in a row of P.
type Entry struct {
	Index       int     `json:"index"`       // 0-based column of the file as read
	Name        string  `json:"name"`        // of the feature
	Probability float64 `json:"probability"` // of the feature in the row
}

// MatrixRequest asks for the selection matrix.
type MatrixRequest struct {
	Session string `json:"session,omitempty"`
	// probability (P, the default) · sample (M, at the present temperature and noise) · soft
	// (temperature, no noise)
	Of  string `json:"of,omitempty"`
	Top int    `json:"top,omitempty"` // the most columns, by mass; 0 is 40, or K if that is more
	// Step asks for the matrix after a past step, from 0 to the present one. It is recomputed from
	// the nearest checkpoint, beside the session. Nil is the present step.
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

// Matrix holds the columns of a selection matrix that carry mass: K rows, a column per feature,
// ordered so that a converged selection lies on the diagonal.
type Matrix struct {
	Session   string      `json:"session"`
	Of        string      `json:"of"`
	Step      int         `json:"step"`
	Epoch     float64     `json:"epoch"`
	Tau       float64     `json:"tau"`
	D         int         `json:"d"`
	Index     []int       `json:"index"`     // each column's feature
	Names     []string    `json:"names"`     // each column's feature name
	Selectors []int       `json:"selectors"` // each row's selector
	Values    [][]float64 `json:"values"`    // rows × columns
	LeftOut   []float64   `json:"left_out"`  // each row's mass in columns not shown
	// Leaders names the feature of each row's largest value, whether its column is shown or not.
	Leaders []string `json:"leaders,omitempty"`
	// LeaderValues holds these largest values.
	LeaderValues []float64 `json:"leader_values,omitempty"`
	// Selected is the column with the feature that each row's selector gets, or −1 if it is not
	// shown: the selector's leader or, if another selector has that, its best remaining feature.
	Selected []int `json:"selected,omitempty"`
}

// HistoryRequest asks for curves.
type HistoryRequest struct {
	Session string   `json:"session,omitempty"`
	Metrics []string `json:"metrics,omitempty"` // names; empty for all
	From    int      `json:"from,omitempty"`    // first step
	Points  int      `json:"points,omitempty"`  // the most points per curve, 4 to [MaxPoints]; 0 is 400
	// Selectors asks for the course of every selector as well.
	Selectors bool `json:"selectors,omitempty"`
	// Smooth is the number of epochs over which a chart of the answer averages the noisy curves,
	// see [Curve.Smooth]: 0 for none, nil for [SmoothEpochs].
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

// MaxPoints is the largest number of points per curve in a request, as many as a training keeps.
const MaxPoints = 100_000

// History holds the events, and curves over the steps, thinned without losing extremes.
type History struct {
	Session  string           `json:"session"`
	Step     int              `json:"step"`
	PerEpoch int              `json:"steps_per_epoch"`
	Curves   map[string]Curve `json:"curves"`
	Events   []Event          `json:"events"`
	// Selectors is nil unless requested.
	Selectors *Selectors `json:"selectors,omitempty"`
	Smooth    *int       `json:"smooth,omitempty"` // as requested
}

// Curve is one metric: Values[i] after step Steps[i].
type Curve struct {
	Steps  []int     `json:"steps"`
	Values []float64 `json:"values"`
	// Means holds, for a thinned noisy curve, the mean of the stretch each value stands for; nil if
	// every value stands for itself.
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

// Parts lists the subsets.
func Parts() []string { return []string{Train, Validation, Test} }

// NoRows returns the error for evaluating a subset, validation or test, without rows.
func NoRows(part string) error {
	return errs.New(errs.Request, fmt.Sprintf("open a session with %s_fraction=0.2, say", part),
		"there are no %s rows: %s_fraction = 0", part, part)
}

// Evaluation measures how well the chosen features predict one subset of the rows. For a quantity it
// has an RMSE instead of the figures of classes.
type Evaluation struct {
	Session string `json:"session"`
	Part    string `json:"part"` // train · validation · test
	Rows    int    `json:"rows"`
	Step    int    `json:"step"`
	// Network says whose predictions the figures from Score to RMSE measure: those of the
	// [FinalNetwork] as long as it has the present choice, else of the [TrainedNetwork].
	Network             string      `json:"network"`
	Score               Score       `json:"score"`
	Low                 *float64    `json:"low,omitempty"`   // the 95 % interval of the accuracy, over units if there are any; left out for a quantity
	High                *float64    `json:"high,omitempty"`  // the upper end of that interval
	Units               int         `json:"units,omitempty"` // number of groups or pairs that the rows belong to; 0 if each is on its own
	Unit                string      `json:"unit,omitempty"`  // the name of one, such as donor
	Guess               float64     `json:"guess"`           // score of the best constant guess on these rows: the share of their most frequent class, or 0
	BalancedAccuracy    *float64    `json:"balanced_accuracy,omitempty"`
	Confusion           [][]int     `json:"confusion,omitempty"` // rows: true class, columns: predicted
	Classes             []string    `json:"classes,omitempty"`
	RMSE                *float64    `json:"rmse,omitempty"`       // √mean (y − ŷ)², in the units of the label
	Trained             Score       `json:"trained_network"`      // of the network as it is at Step
	Final               *FinalScore `json:"final_networks"`       // nil before the training is over, and where the method has none
	ReconstructionError float64     `json:"reconstruction_error"` // of the trained network: mean squared, per feature, in scaled units
	MutualInformation   float64     `json:"mutual_information"`   // mean over pairs of selected features, bits, 10 bins
	// TestLooks is the number of looks at the test rows, including this one, by this session and by
	// others and commands in the same directory.
	TestLooks    int    `json:"test_looks"`
	TestSettings int    `json:"test_settings,omitempty"` // number of different settings that were looked at; 0 if it is not known
	Unfinished   string `json:"unfinished,omitempty"`    // says how far a training has come that is not over; see [Status.Unfinished]
}

// The names of what predicts, for people and in an [Evaluation].
const (
	TrainedNetwork = "trained network"
	FinalNetwork   = "final networks"
)

// FinalScore is the score of final networks on some rows.
type FinalScore struct {
	Step        int   `json:"step"` // that they belong to
	Score       Score `json:"score"`
	OtherChoice bool  `json:"other_choice,omitempty"` // training went on and chose other features since
}

// Progress tells how far a session's verb has come.
type Progress struct {
	Session string `json:"session"`
	Verb    string `json:"verb,omitempty"` // step · run · rewind · fork, in progress; "" otherwise
	Reached int    `json:"reached"`        // the step reached: for a rewind or fork the recomputed one, else the present one
	Target  int    `json:"target"`         // the last step at which it ends; without a verb the present one
	Status  Status `json:"status"`
}
