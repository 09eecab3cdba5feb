package compare

import (
	"fsnetlab/internal/listed"
)

// Identity says which row a row is, and all that its figures are a function of: rows of one identity are the same row, wherever and
// whenever they were made. Of two rows that differ in anything but Dataset, Method, K and Split at most one belongs in a table.
type Identity struct {
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	K       int    `json:"k"`     // d for a method that uses every feature
	Split   int    `json:"split"` // from 0
	Seed    int64  `json:"seed"`  // of the method, and of the split unless split_seed is given

	// Settings are those keys, as key=value with semicolons between, that are not what the protocol has: of split and scaling, and for
	// FsNet of its training. Those of other methods are part of their names.
	Settings string `json:"settings"`
	Version  int    `json:"version"` // of the method: baseline.Entry.Version, method.Version
	Judge    string `json:"judge"`   // version of what all rows share, and of the judges: see judgeVersion
	Device   string `json:"device"`  // kind of device: xla:cpu · xla:cuda · go; "" of a row that is to be made
	Data     string `json:"data"`    // first twelve digits of the data set's hash
}

// ID names a cell.
func (i Identity) ID() string { return listed.ID(i) }

// Row is one method, with one K, on one split of one data set. What a method does not have is nil.
type Row struct {
	Identity
	AccuracySVM       *float64 `json:"accuracy_svm"`
	AccuracyOwn       *float64 `json:"accuracy_own"`       // of the method's own predictor
	BalancedAccuracy  *float64 `json:"balanced_accuracy"`  // of the SVM
	MutualInformation *float64 `json:"mutual_information"` // bits, of the selected features over the test rows
	ModelKB           *float64 `json:"model_kb"`           // of the method's own predictor; where it has none, of the SVM
	Seconds           float64  `json:"seconds"`            // of the fit
	Selected          []string `json:"selected"`           // features by rank; none for a method that uses every feature
	Error             string   `json:"error"`              // why there are no figures; "" where there are

	// Of the judges beside the SVM, where they were asked for: see [Plan.JudgeBy].
	AccuracyKNN              *float64 `json:"accuracy_knn"`
	AccuracyLogistic         *float64 `json:"accuracy_logistic"`
	BalancedAccuracyKNN      *float64 `json:"balanced_accuracy_knn"`
	BalancedAccuracyLogistic *float64 `json:"balanced_accuracy_logistic"`

	// Of a quantity, where no accuracy is: R² on the test rows, of the kernel ridge on the selected features, and of the method's own.
	R2    *float64 `json:"r2"`
	R2Own *float64 `json:"r2_own"`
}

// key names a row among those of a plan.
type key struct {
	dataset, method string
	k, split        int
}

func (i Identity) key() key { return key{i.Dataset, i.Method, i.K, i.Split} }
