package results

import (
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
)

// Table holds what the methods reach on one data set with one K. A method that uses every feature
// is in the table of each K.
type Table struct {
	Dataset string         `json:"dataset"` // name of the data set
	K       int            `json:"k"`       // features to select
	Metric  session.Metric `json:"metric"`  // of the scores: accuracy, or r2 where the label is a quantity
	Entries []Entry        `json:"methods"` // what each method reaches, in the order of the plan
	// Reference names the FsNet that the others are compared with, the first of the plan; ""
	// without one.
	Reference string   `json:"reference"`
	Judge     string   `json:"judge"`   // by whose score methods are ranked and tested: svm, or of a quantity kernel-ridge
	Ranking   *Ranking `json:"ranking"` // null with fewer than two methods or two splits, and of one split, however many trainings share it
}

// Entry holds what a method reaches over the splits. A figure it does not have is nil.
type Entry struct {
	Method            string         `json:"method"`             // name of the method, with its settings
	K                 int            `json:"k"`                  // features selected; d for a method that uses every feature
	Splits            int            `json:"splits"`             // those with figures
	Failed            int            `json:"failed"`             // splits without figures
	Score             *metric.Spread `json:"score"`              // of the judge on the selected features, test rows
	Own               *metric.Spread `json:"own"`                // score of the method's own predictor
	BalancedAccuracy  *metric.Spread `json:"balanced_accuracy"`  // mean recall of the classes, of the judge; null of a quantity
	MutualInformation *metric.Spread `json:"mutual_information"` // bits: mean over all pairs of the selected features, test rows
	ModelKB           *metric.Spread `json:"model_kb"`           // size of the predictor, in 1000 bytes
	Seconds           *metric.Spread `json:"seconds"`            // that a fit took
	Agreement         *Agreement     `json:"stability"`          // of the selected sets; null with fewer than two splits
	AgainstFsNet      *metric.Paired `json:"against_fsnet"`      // compared with the reference of the table
}

// Agreement measures how much feature sets from splits, replicas or half-samples agree. Package
// metric has functions of the same names.
type Agreement struct {
	Jaccard  float64  `json:"jaccard"`            // mean Jaccard index of two sets, 0…1
	Kuncheva *float64 `json:"kuncheva,omitempty"` // of replicas: Kuncheva's index, corrected for chance, at most 1
	Nogueira float64  `json:"nogueira"`           // Nogueira's measure, corrected for chance, at most 1
	// of half-samples: the lower end of its interval of 95 %, which is too narrow, since
	// half-samples share rows; left out where all agree
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"` // the upper end
}

// Ranking ranks the methods by the score of the table's judge, over the splits on which all of them
// have one: the content of a critical-difference diagram.
type Ranking struct {
	Splits int          `json:"splits"` // on which all methods have figures
	Ranks  []RankedMean `json:"ranks"`  // the best first
	// CriticalDifference is the smallest difference of mean ranks at which Nemenyi's test tells two
	// methods apart: metric.CriticalDifference.
	CriticalDifference float64    `json:"critical_difference"`
	Groups             [][]string `json:"groups"` // methods next to one another that it does not tell apart, largest groups only
	P                  float64    `json:"p"`      // p-value of Friedman's test; too small, since splits share rows
}

// RankedMean is a method's mean rank, 1 the best.
type RankedMean struct {
	Method string  `json:"method"` // name of the method
	Rank   float64 `json:"rank"`   // mean rank, 1 the best
}

// Replicas summarises the replicas of a configuration.
type Replicas struct {
	Metric              session.Metric   `json:"metric"`               // of the scores: accuracy, or r2 where the label is a quantity
	TestScore           *metric.Spread   `json:"test_score"`           // on the test rows
	TrainScore          *metric.Spread   `json:"train_score"`          // on the training rows
	ReconstructionError *metric.Spread   `json:"reconstruction_error"` // mean squared error over features and test rows, of scaled values
	MutualInformation   *metric.Spread   `json:"mutual_information"`   // bits: mean over all pairs of the chosen features, test rows
	Agreement           *Agreement       `json:"stability"`            // of the selected sets; null of fewer than two replicas
	Features            []ReplicaFeature `json:"features"`             // all that were selected at least once, the most frequent first
}

// ReplicaFeature is a feature that at least one replica selected.
type ReplicaFeature struct {
	Index           int     `json:"index"`            // 0-based column of the file as read
	Name            string  `json:"name"`             // of the feature
	Selected        int     `json:"selected"`         // in how many replicas
	Frequency       float64 `json:"frequency"`        // in which share of them
	MeanProbability float64 `json:"mean_probability"` // of its selector in P, over the replicas that selected it
	MeanRank        float64 `json:"mean_rank"`        // over the same
}

// Judged says how good a panel is.
type Judged struct {
	Dataset  string         `json:"dataset"`  // name of the data set
	Metric   session.Metric `json:"metric"`   // of the scores: accuracy, or r2 where the label is a quantity
	N        int            `json:"n"`        // rows (samples)
	D        int            `json:"d"`        // features
	Classes  []string       `json:"classes"`  // names of the classes, or the ranges of a quantity
	Features []string       `json:"features"` // the panel, by name
	Splits   int            `json:"splits"`   // that are done
	Planned  int            `json:"planned"`  // splits that were asked for
	Seed     int64          `json:"seed"`     // of the first split
	// accuracy of the best constant answer on the test rows, their most frequent class; left out for a quantity,
	// whose mean has r2 0
	Guess    *metric.Spread `json:"guess,omitempty"`
	Looks    string         `json:"looks,omitempty"` // how often the test rows were looked at, in words; left out the first time
	Constant float64        `json:"constant"`        // features of the panel that did not vary over the training rows, per split
	Entries  []JudgedEntry  `json:"entries"`         // the panel; as many random features; as many that ANOVA chooses
}

// JudgedEntry holds the figures of a panel over the splits, on test rows.
type JudgedEntry struct {
	Name  string         `json:"name"`  // panel, random or anova
	Score *metric.Spread `json:"score"` // of the support vector machine, or of a quantity of the kernel ridge regression
	Own   *metric.Spread `json:"own"`   // score of FsNet's encoder and classifier, trained on these columns
	// of the support vector machine: the mean recall of the classes; left out for a quantity
	BalancedAccuracy  *metric.Spread   `json:"balanced_accuracy,omitempty"`
	Recall            []*metric.Spread `json:"recall,omitempty"`   // of the SVM, by class; null where no split had test rows of it
	MutualInformation *metric.Spread   `json:"mutual_information"` // bits: mean over all pairs of the features, test rows
	Against           *metric.Paired   `json:"against"`            // the panel against this entry; null for the panel itself
}

// PlantedTable holds what the methods found of one kind of cause, with one K.
type PlantedTable struct {
	Kind    string         `json:"kind"`    // what the classes come from
	K       int            `json:"k"`       // features to select
	Entries []PlantedEntry `json:"methods"` // those that select, in the order of the plan
}

// PlantedEntry holds a method's mean figures over the repeats that have a row without an error.
type PlantedEntry struct {
	Method  string  `json:"method"`  // name of the method, with its settings
	Repeats int     `json:"repeats"` // those with figures
	Mean    Figures `json:"mean"`    // of the figures over the repeats
	SD      Figures `json:"sd"`      // standard deviation of the figures, divided by R − 1; 0 of one repeat
	Score   float64 `json:"score"`   // mean accuracy of a support vector machine on the selected features, test rows
	Seconds float64 `json:"seconds"` // that a fit took, on average
}

// Figures compare a list of K features, best first, with the truth.
type Figures struct {
	Power float64 `json:"power"` // share of the causal columns that are on the list
	FDR   float64 `json:"fdr"`   // share of the list that is not causal; 0 of an empty list
	// AUPRC is the area under the precision-recall curve: the mean, over the causal columns, of the
	// precision at each one's rank. A column not on the list adds 0, so this is a lower bound of
	// the value for a full ranking, and comparable between lists of K.
	AUPRC float64 `json:"auprc"`
	// The same with look-alikes counted: a causal column is found at the first list entry that is
	// the column or a look-alike of it, and neither counts as false; it counts once at that rank,
	// however many of its look-alikes follow.
	PowerAlike float64 `json:"power_alike"`
	FDRAlike   float64 `json:"fdr_alike"`   // share of the list that is neither causal nor a look-alike of what is
	AUPRCAlike float64 `json:"auprc_alike"` // the same area where look-alikes count
}
