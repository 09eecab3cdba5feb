package compare

import (
	"fsnetlab/internal/listed"
)

// Identity says which row a row is, and all that its figures are a function of: rows of one identity are the same row, wherever and
// whenever they were made. Of two rows that differ in anything but Dataset, Method, K and Split at most one belongs in a table.
type Identity struct {
	Dataset string `json:"dataset"` // name of the data set
	Method  string `json:"method"`  // name of the method, with its settings
	K       int    `json:"k"`       // features to select; d for a method that uses every feature
	Split   int    `json:"split"`   // from 0
	Seed    int64  `json:"seed"`    // of the method, and of the split unless split_seed is given

	// keys, as key=value with semicolons between, that are not what the protocol has: of split and scaling, and for FsNet of its
	// training. Those of other methods are part of their names.
	Settings string `json:"settings"`
	Version  int    `json:"version"` // of the method's program; rows of different versions do not belong together
	Judge    string `json:"judge"`   // version of what all rows share and of the judges
	Device   string `json:"device"`  // kind of device: xla:cpu · xla:cuda · go; "" of a row that is to be made
	Data     string `json:"data"`    // first twelve digits of the data set's hash
}

// ID names a cell.
func (i Identity) ID() string { return listed.ID(i) }

// Row is one method, with one K, on one split of one data set. What a method does not have is nil.
type Row struct {
	Identity
	// share of the test rows that a support vector machine on the selected features classifies rightly
	AccuracySVM       *float64 `json:"accuracy_svm"`
	AccuracyOwn       *float64 `json:"accuracy_own"`       // the same of the method's own predictor
	BalancedAccuracy  *float64 `json:"balanced_accuracy"`  // mean recall of the classes, of the support vector machine
	MutualInformation *float64 `json:"mutual_information"` // bits: mean over all pairs of the selected features, test rows
	// size in 1000 bytes of the method's own predictor, without what only trained it; where it has none, of the support vector machine
	ModelKB  *float64 `json:"model_kb"`
	Seconds  float64  `json:"seconds"`  // that the fit took
	Selected []string `json:"selected"` // features by rank; null for a method that uses every feature
	Error    string   `json:"error"`    // why there are no figures; "" where there are

	// of a quantity, where no accuracy is: R² of a kernel ridge regression on the selected features, on the test rows
	R2    *float64 `json:"r2"`
	R2Own *float64 `json:"r2_own"` // of a quantity: R² of the method's own predictor
}

// key names a row among those of a plan.
type key struct {
	dataset, method string
	k, split        int
}

func (i Identity) key() key { return key{i.Dataset, i.Method, i.K, i.Split} }

// noNumber names a figure that is NaN or infinite, which neither a file of rows nor JSON can hold; "" where all are numbers.
func (r *Row) noNumber() string {
	for i, x := range []*float64{r.AccuracyOwn, r.MutualInformation, r.ModelKB, r.R2, r.R2Own} {
		if x != nil && *x-*x != 0 {
			return []string{"accuracy", "mutual information", "size", "R²", "R² of its own"}[i]
		}
	}
	return ""
}
