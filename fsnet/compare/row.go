package compare

// Row is one method, with one K, on one split of one data set. What a method does not have is nil.
type Row struct {
	Dataset           string   `json:"dataset"`
	Method            string   `json:"method"`
	K                 int      `json:"k"`     // d for a method that uses every feature
	Split             int      `json:"split"` // from 0
	Seed              int64    `json:"seed"`  // of the split and of the method
	AccuracySVM       *float64 `json:"accuracy_svm"`
	AccuracyOwn       *float64 `json:"accuracy_own"`       // of the method's own predictor
	BalancedAccuracy  *float64 `json:"balanced_accuracy"`  // of the SVM
	MutualInformation *float64 `json:"mutual_information"` // bits, of the selected features over the test rows
	ModelKB           *float64 `json:"model_kb"`           // of the method's own predictor; where it has none, of the SVM
	Seconds           float64  `json:"seconds"`            // of the fit
	Selected          []string `json:"selected"`           // features by rank; none for a method that uses every feature
	Error             string   `json:"error"`              // why there are no figures; "" where there are
	Settings          string   `json:"settings"`           // what the row was made with, twelve digits that stand for data and settings
}

// key names a row among those of a plan.
type key struct {
	dataset, method string
	k, split        int
}

func (r Row) key() key { return key{r.Dataset, r.Method, r.K, r.Split} }
