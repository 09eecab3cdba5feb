package config

// Config holds the settings that the user chose. A field with the zero value
// takes the default of the protocol. If 0 is a possible choice, the field is
// a pointer: Config{K: 10, Lambda: new(0.0)}.
type Config struct {
	Data        string   `json:"data,omitempty"`        // path of a data set or the name of a built-in one
	Label       string   `json:"label,omitempty"`       // tables: the column that holds y
	X           string   `json:"x,omitempty"`           // .mat and .npz: the variable with the measurements
	Samples     string   `json:"samples,omitempty"`     // tables: the column that names the rows
	Covariates  []string `json:"covariates,omitempty"`  // tables: columns of words that become 0/1 features
	Ignore      []string `json:"ignore,omitempty"`      // columns to leave out
	Sheet       string   `json:"sheet,omitempty"`       // .xlsx: the sheet with the table
	Layer       string   `json:"layer,omitempty"`       // .h5ad: the layer to read instead of X
	Annotations string   `json:"annotations,omitempty"` // path of a table that describes the samples, by name
	Groups      string   `json:"groups,omitempty"`      // the column that says which rows belong together
	Pairs       string   `json:"paired,omitempty"`      // the column that says which rows form a pair; only differences within pairs count
	RowWeights  string   `json:"row_weights,omitempty"` // the column with each training row's weight
	Nuisance    string   `json:"nuisance,omitempty"`    // the column whose values must not matter, e.g. a site
	Protocol    string   `json:"protocol,omitempty"`    // fsnet · paper · authors · stepwise
	Task        string   `json:"task,omitempty"`        // auto · classification · regression
	K           int      `json:"k,omitempty"`           // features to select, 1…d
	Epochs      int      `json:"epochs,omitempty"`      // length of the annealing, in passes over the training rows, or Auto
	Batch       *int     `json:"batch,omitempty"`       // rows per step, 0 for all, or Auto
	// Features that remain after screening. 0 keeps all of them.
	Screen               *int     `json:"screen,omitempty"`
	Must                 []string `json:"must,omitempty"`                   // features that must be chosen: names, or a file of names
	Never                []string `json:"never,omitempty"`                  // features that must not be chosen: names, or a file of names
	Cost                 string   `json:"cost,omitempty"`                   // file with a feature and its cost per line, or NAME:COST,…
	FeatureGroups        string   `json:"feature_groups,omitempty"`         // file with a feature and its group per line, or NAME:GROUP,…
	GroupLimit           int      `json:"group_limit,omitempty"`            // the most features to choose from a group
	LearningRate         *float64 `json:"learning_rate,omitempty"`          // η of RMSprop, > 0
	SelectorLearningRate *float64 `json:"selector_learning_rate,omitempty"` // η of the selector's predictor, > 0
	Lambda               *float64 `json:"lambda,omitempty"`                 // λ, weight of the reconstruction term, ≥ 0
	Dropout              *float64 `json:"dropout,omitempty"`                // after each hidden layer, 0 ≤ p < 1
	Tau0                 *float64 `json:"tau0,omitempty"`                   // τ0, first temperature, > 0
	TauEnd               *float64 `json:"tau_end,omitempty"`                // τE, last temperature, > 0
	Schedule             string   `json:"schedule,omitempty"`               // exponential · linear · cosine · hold:τ · points:e1=τ1,…
	Sharpness            *float64 `json:"sharpness,omitempty"`              // σ at the end, ≥ 1
	SharpnessSchedule    string   `json:"sharpness_schedule,omitempty"`     // late, or a schedule
	Repulsion            *float64 `json:"repulsion,omitempty"`              // weight of the selectors' overlap in the loss, ≥ 0
	Hidden               []int    `json:"hidden,omitempty"`                 // widths of the encoder's layers; the decoder mirrors them
	Scaling              string   `json:"scaling,omitempty"`                // training-rows · all-rows · none
	TestFraction         *float64 `json:"test_fraction,omitempty"`          // share of the rows kept for testing, 0 ≤ f < 1
	Split                string   `json:"split,omitempty"`                  // stratified · random · column:NAME · column:NAME=VALUE · file:PATH
	ValidationFraction   *float64 `json:"validation_fraction,omitempty"`    // share of the training part set aside for the live curves, 0 ≤ f < 1
	// The most training rows of a class. 0 keeps all of them.
	RowsPerClass int    `json:"rows_per_class,omitempty"`
	ClassWeight  string `json:"class_weight,omitempty"` // none · balanced
	Missing      string `json:"missing,omitempty"`      // error · mean · drop
	Stop         string `json:"stop,omitempty"`         // settled · never · patience:N
	Seed         int64  `json:"seed,omitempty"`         // seed of everything random
	// Seed of the division into training, validation and test rows. Nil
	// means Seed.
	SplitSeed *int64 `json:"split_seed,omitempty"`
	Backend   string `json:"backend,omitempty"` // auto · xla:cpu · xla:cuda · go
	Log       string `json:"log,omitempty"`     // sessions: a file to append metrics to
	// Rules that make the protocol exact. Nil means RulesOf the protocol.
	Rules *Rules `json:"rules,omitempty"`
}

// Settings holds a checked value for every key. [Config.Resolve] returns it.
type Settings struct {
	Data               string   `json:"data"`
	Label              string   `json:"label"`
	Samples            string   `json:"samples"`
	Covariates         []string `json:"covariates"`
	Ignore             []string `json:"ignore,omitempty"`
	Sheet              string   `json:"sheet,omitempty"`
	X                  string   `json:"x,omitempty"`
	Layer              string   `json:"layer,omitempty"`
	Annotations        string   `json:"annotations,omitempty"`
	Groups             string   `json:"groups,omitempty"`
	Pairs              string   `json:"paired,omitempty"`
	RowWeights         string   `json:"row_weights,omitempty"`
	Nuisance           string   `json:"nuisance,omitempty"`
	Protocol           string   `json:"protocol"`
	Task               string   `json:"task"`
	K                  int      `json:"k"`
	Batch              int      `json:"batch"`
	Screen             int      `json:"screen"`
	Must               []string `json:"must,omitempty"`
	Never              []string `json:"never,omitempty"`
	Cost               string   `json:"cost,omitempty"`
	FeatureGroups      string   `json:"feature_groups,omitempty"`
	GroupLimit         int      `json:"group_limit,omitempty"`
	Hidden             []int    `json:"hidden"`
	Scaling            string   `json:"scaling"`
	TestFraction       float64  `json:"test_fraction"`
	Split              string   `json:"split"`
	ValidationFraction float64  `json:"validation_fraction"`
	RowsPerClass       int      `json:"rows_per_class,omitempty"` // 0 for all
	Missing            string   `json:"missing"`
	Seed               int64    `json:"seed"`
	SplitSeed          *int64   `json:"split_seed,omitempty"` // Nil means Seed. See RowsSeed.
	Backend            string   `json:"backend"`
	Log                string   `json:"log,omitempty"`
	Live
}

// Live holds the settings that may change at any step of a training. It also
// holds the rules of the protocol, because schedules read some of them. These
// never change.
type Live struct {
	Rules
	Epochs               int     `json:"epochs"`
	LearningRate         float64 `json:"learning_rate"`
	SelectorLearningRate float64 `json:"selector_learning_rate"`
	Lambda               float64 `json:"lambda"`
	Dropout              float64 `json:"dropout"`
	Tau0                 float64 `json:"tau0"`
	TauEnd               float64 `json:"tau_end"`
	Schedule             string  `json:"schedule"`
	Sharpness            float64 `json:"sharpness"`
	SharpnessSchedule    string  `json:"sharpness_schedule"`
	Repulsion            float64 `json:"repulsion"`
	ClassWeight          string  `json:"class_weight"`
	Stop                 string  `json:"stop"`
}
