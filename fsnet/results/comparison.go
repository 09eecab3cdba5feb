package results

import (
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
)

// Table holds what the methods reach on one data set with one K. A method
// that uses every feature is in the table of every K.
type Table struct {
	Dataset string `json:"dataset"` // name of the data set
	K       int    `json:"k"`       // number of features to select
	// metric of the scores: accuracy, or r2 if the label is a quantity
	Metric  session.Metric `json:"metric"`
	Entries []Entry        `json:"methods"` // what each method reaches, in the order of the plan
	// Name of the FsNet that the others are compared with, the first one of
	// the plan. It is "" if there is no FsNet.
	Reference string `json:"reference"`
	// judge whose score ranks and tests the methods: svm, or kernel-ridge
	// for a quantity
	Judge string `json:"judge"`
	// null if there are fewer than two methods or two splits, however many
	// trainings share a split
	Ranking *Ranking `json:"ranking"`
}

// Entry holds what a method reaches over the splits. A figure is nil if the
// method does not have it.
type Entry struct {
	Method string `json:"method"` // name of the method, with its settings
	// number of selected features; d for a method that uses every feature
	K      int `json:"k"`
	Splits int `json:"splits"` // splits that have figures
	Failed int `json:"failed"` // splits without figures
	// score of the judge on the selected features, test rows
	Score *metric.Spread `json:"score"`
	Own   *metric.Spread `json:"own"` // score of the predictor of the method
	// Mean recall of the classes, of the judge. It is null for a quantity.
	BalancedAccuracy  *metric.Spread `json:"balanced_accuracy"`
	MutualInformation *metric.Spread `json:"mutual_information"` // bits: mean over all pairs of the selected features, test rows
	ModelKB           *metric.Spread `json:"model_kb"`           // size of the predictor, in 1000 bytes
	Seconds           *metric.Spread `json:"seconds"`            // seconds per fit
	// Agreement of the selected sets. It is null if there are fewer than two
	// splits.
	Agreement    *Agreement     `json:"stability"`
	AgainstFsNet *metric.Paired `json:"against_fsnet"` // comparison with the reference of the table
}

// Agreement measures how much feature sets from splits, replicas or
// half-samples agree. Package metric has functions with the same names.
type Agreement struct {
	Jaccard float64 `json:"jaccard"` // mean Jaccard index of two sets, 0…1
	// Nogueira's measure, corrected for chance, at most 1. For sets of one
	// size it equals Kuncheva's index.
	Nogueira float64 `json:"nogueira"`
}

// Ranking ranks the methods by the score of the table's judge, over the
// splits on which all of them have one. It is what a critical-difference
// diagram shows.
type Ranking struct {
	Splits int          `json:"splits"` // splits on which all methods have figures
	Ranks  []RankedMean `json:"ranks"`  // mean ranks, the best first
	// smallest difference of mean ranks at which Nemenyi's test
	// distinguishes two methods: metric.CriticalDifference
	CriticalDifference float64 `json:"critical_difference"`
	// adjacent methods that it does not distinguish, only the largest groups
	Groups [][]string `json:"groups"`
	// p-value of Friedman's test; too small, because splits share rows
	P float64 `json:"p"`
}

// RankedMean is the mean rank of a method. 1 is the best rank.
type RankedMean struct {
	Method string  `json:"method"` // name of the method
	Rank   float64 `json:"rank"`   // mean rank; 1 is the best
}

// Replicas summarises the replicas of a configuration.
type Replicas struct {
	// metric of the scores: accuracy, or r2 if the label is a quantity
	Metric     session.Metric `json:"metric"`
	TestScore  *metric.Spread `json:"test_score"`  // score on the test rows
	TrainScore *metric.Spread `json:"train_score"` // score on the training rows
	// mean squared error over features and test rows, of scaled values
	ReconstructionError *metric.Spread `json:"reconstruction_error"`
	// bits: mean over all pairs of the chosen features, test rows
	MutualInformation *metric.Spread `json:"mutual_information"`
	// Agreement of the selected sets. It is null if there are fewer than two
	// replicas.
	Agreement *Agreement `json:"stability"`
	// features that were selected at least once, the most frequent first
	Features []ReplicaFeature `json:"features"`
}

// ReplicaFeature is a feature that at least one replica selected.
type ReplicaFeature struct {
	Index     int     `json:"index"`     // 0-based column of the file as read
	Name      string  `json:"name"`      // name of the feature
	Selected  int     `json:"selected"`  // number of replicas that selected it
	Frequency float64 `json:"frequency"` // share of the replicas that selected it
	// probability in its selector's row of P, mean over the replicas that
	// selected it
	MeanProbability float64 `json:"mean_probability"`
	MeanRank        float64 `json:"mean_rank"` // rank, mean over the replicas that selected it
}

// Judged says how good a panel is.
type Judged struct {
	Dataset string `json:"dataset"` // name of the data set
	// metric of the scores: accuracy, or r2 if the label is a quantity
	Metric   session.Metric `json:"metric"`
	N        int            `json:"n"`        // number of rows (samples)
	D        int            `json:"d"`        // number of features
	Classes  []string       `json:"classes"`  // names of the classes, or the ranges of a quantity
	Features []string       `json:"features"` // names of the features of the panel
	Splits   int            `json:"splits"`   // completed splits
	Planned  int            `json:"planned"`  // splits that were asked for
	Seed     int64          `json:"seed"`     // seed of the first split
	// Accuracy of the best constant answer on the test rows, their most
	// frequent class. It is left out for a quantity, because its mean has r2
	// 0.
	Guess *metric.Spread `json:"guess,omitempty"`
	// How often the test rows were looked at, in words. It is left out the
	// first time.
	Looks string `json:"looks,omitempty"`
	// features of the panel that did not vary over the training rows, per
	// split
	Constant float64 `json:"constant"`
	// the panel, then as many random features, then as many features chosen
	// by ANOVA
	Entries []JudgedEntry `json:"entries"`
}

// JudgedEntry holds the figures of a panel over the splits, on test rows.
type JudgedEntry struct {
	Name string `json:"name"` // panel, random or anova
	// score of the support vector machine, or of the kernel ridge regression
	// for a quantity
	Score *metric.Spread `json:"score"`
	Own   *metric.Spread `json:"own"` // score of FsNet's encoder and classifier, trained on these columns
	// Mean recall of the classes, of the support vector machine. It is left
	// out for a quantity.
	BalancedAccuracy *metric.Spread `json:"balanced_accuracy,omitempty"`
	// Recall of the support vector machine, by class. It is null if no split
	// had test rows of the class.
	Recall            []*metric.Spread `json:"recall,omitempty"`
	MutualInformation *metric.Spread   `json:"mutual_information"` // bits: mean over all pairs of the features, test rows
	// Comparison of the panel with this entry. It is null for the panel
	// itself.
	Against *metric.Paired `json:"against"`
}

// PlantedTable holds what the methods find if the classes have one kind of
// cause, with one K.
type PlantedTable struct {
	Kind    string         `json:"kind"`    // where the classes come from
	K       int            `json:"k"`       // number of features to select
	Entries []PlantedEntry `json:"methods"` // methods that select features, in the order of the plan
}

// PlantedEntry holds the mean figures of a method over the repeats that have
// a row without an error.
type PlantedEntry struct {
	Method  string  `json:"method"`  // name of the method, with its settings
	Repeats int     `json:"repeats"` // repeats that have figures
	Mean    Figures `json:"mean"`    // mean of the figures over the repeats
	// Standard deviation of the figures, divided by R − 1. It is 0 for one
	// repeat.
	SD Figures `json:"sd"`
	// mean accuracy of a support vector machine on the selected features,
	// test rows
	Score   float64 `json:"score"`
	Seconds float64 `json:"seconds"` // mean seconds per fit
}

// Figures compare a list of K features, best first, with the truth.
type Figures struct {
	Power float64 `json:"power"` // share of the causal columns that are on the list
	FDR   float64 `json:"fdr"`   // Share of the list that is not causal. It is 0 for an empty list.
	// area under the precision-recall curve: the mean, over the causal
	// columns, of the precision at the rank of each. A column that is not on
	// the list adds 0, so this is a lower bound of the value for a full
	// ranking. It is comparable between lists of K.
	AUPRC float64 `json:"auprc"`
	// power with look-alikes counted: a causal column is found at the first
	// entry of the list that is the column or one of its look-alikes, and
	// neither counts as false. It counts once, at that rank, however many of
	// its look-alikes follow.
	PowerAlike float64 `json:"power_alike"`
	// share of the list that is neither causal nor a look-alike of a causal
	// column
	FDRAlike   float64 `json:"fdr_alike"`
	AUPRCAlike float64 `json:"auprc_alike"` // the same area with look-alikes counted
}
