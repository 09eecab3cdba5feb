package results

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// Stability says how well a choice holds up if the fit is repeated on
// half-samples of the training rows. Counts are numbers of half-samples out
// of Done.
type Stability struct {
	Dataset  string `json:"dataset"`        // name of the data set
	DataHash string `json:"data_hash"`      // SHA-256 of the data set as read
	Settings string `json:"settings"`       // hash of the settings of the fits
	Task     string `json:"task,omitempty"` // regression if the label is a quantity
	N        int    `json:"n"`              // number of training rows
	Half     int    `json:"half"`           // number of rows in a half-sample
	// Groups or pairs that the training rows and the half-samples were drawn
	// from. It is left out if rows were drawn.
	Units    *Units   `json:"units,omitempty"`
	D        int      `json:"d"`                 // number of columns that vary over the training rows
	Classes  []string `json:"classes"`           // names of the classes, or the ranges of a quantity over the training rows
	K        int      `json:"k"`                 // number of features to choose
	Seed     int64    `json:"seed"`              // seed of everything random
	Protocol string   `json:"protocol"`          // fsnet, paper, authors or stepwise
	Backend  string   `json:"backend"`           // where it ran: xla:cpu, xla:cuda or go
	Planned  int      `json:"planned"`           // planned half-samples
	Done     int      `json:"done"`              // half-samples that have an outcome
	Failed   int      `json:"failed"`            // half-samples that failed
	Failure  string   `json:"failure,omitempty"` // error of the first half-sample that failed

	// one line for each feature of the choice, and for the most frequent
	// member of every group that at least half of the half-samples chose,
	// most frequent groups first
	Genes []Gene `json:"genes"`
	// all features that any half-sample chose, the most frequent first
	Seen      []Seen    `json:"seen"`
	Consensus []Seen    `json:"consensus"` // the K most frequent features; ties go to the larger F
	Agreement Agreement `json:"stability"` // how much the half-samples agree, with decoys left out
	// How often permuted copies of the columns were chosen. It is null if
	// there were no decoys.
	Decoys *Decoys  `json:"decoys"`
	About  []string `json:"about"` // explains all this to users, one paragraph each
	// Scores on the test rows. It is null unless --evaluate asked for them.
	Test    *TestScore `json:"test"`
	Seconds float64    `json:"seconds"` // seconds for all of it
}

// FewestForWords is the smallest number of half-samples for which we give
// verdicts. With one or two, everything would be certain.
const FewestForWords = 20

// FewestWithin is how many more rows than classes, or groups or pairs than
// classes, a half-sample must have before we give verdicts. With one row of
// each class nothing varies within a class, so every column separates the
// classes equally well. The first columns by name would be chosen each time
// and called certain.
const FewestWithin = 2

// Units counts the groups or pairs that rows belong to, if these were drawn
// at random.
type Units struct {
	// what one is called: pair, or the column of the groups if that is a
	// word like donor, or group
	Name string `json:"name"`
	N    int    `json:"n"`    // number among the training rows
	Half int    `json:"half"` // number in the smaller half of a division
}

// FewRows reports whether the half-samples have too few rows for verdicts,
// or too few groups or pairs. There are no classes for a quantity, so
// nothing has to vary within them and no number of rows is too small. Its
// groups may still be too few.
func (s *Stability) FewRows() bool {
	if s.Units != nil {
		return s.Units.Half < max(len(s.Classes), 2)+FewestWithin
	}
	return s.Task != config.Regression && s.Half < len(s.Classes)+FewestWithin
}

// Gene is a line of the table.
type Gene struct {
	Index int    `json:"index"` // 0-based column of the file as read
	Name  string `json:"name"`  // name of the feature
	// Rank in the choice, from 1. It is 0 if it is not part of the choice.
	Rank       int    `json:"rank"`
	Seen       int    `json:"seen"`        // half-samples that chose it
	Group      int    `json:"group"`       // half-samples that chose it or one of its look-alikes
	LookAlikes []Seen `json:"look_alikes"` // the other features of its group, the most frequent first
	// Verdict by group: certain, likely, a lead, replaceable or not
	// repeated. It is "" if there are fewer than 20 half-samples, or too few
	// rows.
	Word Word `json:"word"`
	// seen is less than three quarters of group, so the word is about the
	// group
	AnyOfGroup bool `json:"any_of_group"`
}

// Verdict returns the word, followed by ", any of its group" if it is about
// the group.
func (g Gene) Verdict() string {
	if g.AnyOfGroup {
		return string(g.Word) + ", any of its group"
	}
	return string(g.Word)
}

// WordOf returns the verdict on a feature of the choice. It is "" for other
// features, and if s is nil.
func (s *Stability) WordOf(feature string) string {
	if s != nil {
		for _, g := range s.Genes {
			if g.Name == feature && g.Rank > 0 {
				return g.Verdict()
			}
		}
	}
	return ""
}

// Word is the verdict on a feature. It depends on how many half-samples
// chose the feature or one of its look-alikes.
type Word string

// The verdicts, given from three quarters, a half and a quarter of the
// half-samples on, and from two half-samples on.
const (
	Certain     Word = "certain"
	Likely      Word = "likely"
	Lead        Word = "a lead"       // chance sometimes reaches this far
	Replaceable Word = "replaceable"  // linked to the label, but other features would do as well
	NotRepeated Word = "not repeated" // at most one half-sample: only the choice itself supports it
)

// Words returns all verdicts, the strongest first.
func Words() []Word { return []Word{Certain, Likely, Lead, Replaceable, NotRepeated} }

// Seen counts the half-samples that chose a feature.
type Seen struct {
	Index int    `json:"index"` // 0-based column of the file as read
	Name  string `json:"name"`  // name of the feature
	Seen  int    `json:"seen"`  // half-samples that chose it
}

// TestScore holds the test scores of a support vector machine, or of a
// kernel ridge regression for a quantity, fitted to features of the training
// rows.
type TestScore struct {
	Metric session.Metric `json:"metric"` // accuracy, or r2 if the label is a quantity
	Rows   int            `json:"rows"`   // number of test rows
	Chosen float64        `json:"chosen"` // score on the features of the choice
	// Score on the features of the consensus. It is null if decoys took all
	// picks.
	Consensus *float64 `json:"consensus"`
	// How often these rows were looked at, in words. It is left out the first
	// time.
	Looks string `json:"looks,omitempty"`
}

// Decoys reports how often permuted copies of the columns were chosen. It is
// an alarm for the choice as a whole: no word is above a lead if chance is
// not excluded, or if chance reached as far. It is calibrated for "not
// related to the label", and a column that merely accompanies a causal one
// is related.
type Decoys struct {
	// share of all picks that decoys took; half or more if no column says
	// anything about the label
	Share float64 `json:"share"`
	// number of half-samples that chose the most frequent group of decoys; a
	// feature that no more of them chose gets no verdict above [Lead]
	Top int `json:"top"`
	// estimated share of chance among the groups of features above the best
	// threshold t on how often a group was chosen:
	//
	//	q = min_t (1 + decoys' groups from t on) / (features' groups from t on)      at most 1
	Q float64 `json:"q"`
	// chance cannot be excluded: q is above 0.2, as it always is if fewer
	// than five groups stand out, and no group stands out by itself. Such a
	// group is chosen in half of the half-samples (no group was when labels
	// were permuted) and twice as often as any group of decoys.
	Alarm  bool        `json:"alarm"`
	Groups []FromCount `json:"groups"` // counts behind q, or null
}

// FromCount counts the groups that were chosen in at least a share of the
// half-samples.
type FromCount struct {
	Frequency float64 `json:"frequency"` // share of the half-samples
	Features  int     `json:"features"`  // groups of features chosen that often or more
	Decoys    int     `json:"decoys"`    // groups of decoys chosen that often or more
}
