package results

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// Stability holds what repeating the fit on half-samples of the training rows says about a choice.
// Counts are of half-samples, out of the Done that have an outcome.
type Stability struct {
	Dataset  string   `json:"dataset"`           // name of the data set
	DataHash string   `json:"data_hash"`         // SHA-256 of the data set as read
	Settings string   `json:"settings"`          // hash of the settings of the fits
	Task     string   `json:"task,omitempty"`    // regression where the label is a quantity
	N        int      `json:"n"`                 // training rows
	Half     int      `json:"half"`              // rows of a half-sample
	Units    *Units   `json:"units,omitempty"`   // what the training rows and a half-sample were drawn from, if not from rows
	D        int      `json:"d"`                 // columns that vary over the training rows
	Classes  []string `json:"classes"`           // names of the classes, or the ranges of a quantity over the training rows
	K        int      `json:"k"`                 // features to choose
	Seed     int64    `json:"seed"`              // of everything random
	Protocol string   `json:"protocol"`          // fsnet, paper, authors or stepwise
	Backend  string   `json:"backend"`           // where it ran: xla:cpu, xla:cuda or go
	Planned  int      `json:"planned"`           // half-samples
	Done     int      `json:"done"`              // half-samples that have an outcome
	Failed   int      `json:"failed"`            // half-samples without one
	Failure  string   `json:"failure,omitempty"` // the error of the first that failed

	// Genes has a line for each feature of the choice and for the most frequent member of every
	// group that half of the half-samples chose, most frequent groups first.
	Genes     []Gene     `json:"genes"`
	Seen      []Seen     `json:"seen"`      // all features that were chosen in any half-sample, the most frequent first
	Consensus []Seen     `json:"consensus"` // the K most frequent; of equally frequent ones those with the larger F
	Agreement Agreement  `json:"stability"` // how much the half-samples agree, decoys left out
	Decoys    *Decoys    `json:"decoys"`    // what permuted copies of the columns were chosen for; null without decoys
	About     []string   `json:"about"`     // explains all this to people, a paragraph each
	Test      *TestScore `json:"test"`      // on the test rows; null where --evaluate did not ask for it
	Seconds   float64    `json:"seconds"`   // that all of it took
}

// FewestForWords is the smallest number of half-samples for verdicts: with one or two, everything
// would be certain.
const FewestForWords = 20

// FewestWithin is the smallest excess of a half-sample's rows, or of its groups or pairs, over the
// classes for verdicts. With one row of each class nothing varies within a class, so every column
// separates the classes equally well: the first ones by name would be chosen each time, and called
// certain.
const FewestWithin = 2

// Units counts the groups or pairs that rows belong to. These were drawn at random.
type Units struct {
	Name string `json:"name"` // of one: the column of the groups, such as donor, else group, or pair
	N    int    `json:"n"`    // among the training rows
	Half int    `json:"half"` // in the smaller half of a division
}

// FewRows reports whether the half-samples have too few rows for verdicts, or too few groups or
// pairs. Rows of a quantity have no classes within which something could vary, so they are never
// too few; but two groups of them are.
func (s *Stability) FewRows() bool {
	if s.Units != nil {
		return s.Units.Half < max(len(s.Classes), 2)+FewestWithin
	}
	return s.Task != config.Regression && s.Half < len(s.Classes)+FewestWithin
}

// Gene is a line of the table.
type Gene struct {
	Index      int    `json:"index"`       // 0-based column of the file as read
	Name       string `json:"name"`        // of the feature
	Rank       int    `json:"rank"`        // in the choice, from 1; 0: it is not in it
	Seen       int    `json:"seen"`        // half-samples that chose it
	Group      int    `json:"group"`       // half-samples that chose it or one of its look-alikes
	LookAlikes []Seen `json:"look_alikes"` // the others of its group, the most frequent first
	// certain, likely, a lead, replaceable or not repeated, by group; "" of fewer than 20
	// half-samples, or of too few rows
	Word       Word `json:"word"`
	AnyOfGroup bool `json:"any_of_group"` // seen is less than three quarters of group: the word is about the group
}

// Verdict returns the word, followed by ", any of its group" if it is about the group.
func (g Gene) Verdict() string {
	if g.AnyOfGroup {
		return string(g.Word) + ", any of its group"
	}
	return string(g.Word)
}

// WordOf returns the verdict on a feature of the choice. It is "" for other features and on a nil
// Stability.
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

// Word is the verdict on a feature: how many of the half-samples chose it or one of its
// look-alikes.
type Word string

// The verdicts, from three quarters, a half and a quarter of the half-samples on, and from two
// half-samples.
const (
	Certain     Word = "certain"
	Likely      Word = "likely"
	Lead        Word = "a lead"       // chance sometimes reaches this far
	Replaceable Word = "replaceable"  // linked to the label, but other features would do
	NotRepeated Word = "not repeated" // at most one: only the choice itself supports it
)

// Words returns all verdicts, strongest first.
func Words() []Word { return []Word{Certain, Likely, Lead, Replaceable, NotRepeated} }

// Seen counts the half-samples that chose a feature.
type Seen struct {
	Index int    `json:"index"` // 0-based column of the file as read
	Name  string `json:"name"`  // of the feature
	Seen  int    `json:"seen"`  // half-samples that chose it
}

// TestScore holds the test scores of a support vector machine (for a quantity, of a kernel ridge
// regression) fitted to features of the training rows.
type TestScore struct {
	Metric    session.Metric `json:"metric"`          // accuracy, or r2 where the label is a quantity
	Rows      int            `json:"rows"`            // test rows that were looked at
	Chosen    float64        `json:"chosen"`          // on the features of the choice
	Consensus *float64       `json:"consensus"`       // on the features of the consensus; null where decoys took all picks
	Looks     string         `json:"looks,omitempty"` // how often these rows were looked at, in words; left out the first time
}

// Decoys reports what the permuted copies of the columns were chosen for. It is an alarm for the
// choice as a whole, and no word is above a lead where chance is not excluded, or came as often. It is calibrated for "not related to the
// label": a column that merely accompanies a causal one is related.
type Decoys struct {
	Share float64 `json:"share"` // of all picks that decoys took; half or more where nothing says anything of the label
	Top   int     `json:"top"`   // half-samples that chose the most frequent group of decoys; no word above a lead for as many or fewer
	// Q is the estimated share of chance among the groups of features above the best threshold t on
	// how often a group was chosen:
	//
	//	q = min_t (1 + decoys' groups from t on) / (features' groups from t on)      at most 1
	Q float64 `json:"q"`
	// Alarm says that chance cannot be excluded: Q is above 0.2, as always if fewer than five
	// groups stand out, and no group stands out by itself, seen in half of the half-samples (none
	// was where labels were permuted) and twice as often as any group of decoys.
	Alarm  bool        `json:"alarm"`
	Groups []FromCount `json:"groups"` // counts behind q, or null
}

// FromCount counts the groups chosen in at least a share of the half-samples.
type FromCount struct {
	Frequency float64 `json:"frequency"` // share of the half-samples
	Features  int     `json:"features"`  // groups of features chosen so often or more
	Decoys    int     `json:"decoys"`    // groups of decoys chosen so often or more
}
