package config

// Config is what the user asked for. The zero value of every field means "the protocol's default"; a pointer field distinguishes
// a value of zero from a value not given: Config{K: 10, Lambda: new(0.0)}.
type Config struct {
	Data                 string   `json:"data,omitempty"`                   // path of a data set or the name of a built-in one
	Label                string   `json:"label,omitempty"`                  // tables: the column that holds y
	X                    string   `json:"x,omitempty"`                      // .mat and .npz: the variable with the measurements
	Samples              string   `json:"samples,omitempty"`                // tables: the column that names the rows
	Covariates           []string `json:"covariates,omitempty"`             // tables: non-expression columns kept as features
	Ignore               []string `json:"ignore,omitempty"`                 // columns that are left out
	Sheet                string   `json:"sheet,omitempty"`                  // .xlsx: the sheet with the table
	Layer                string   `json:"layer,omitempty"`                  // .h5ad: the layer to take instead of X
	Annotations          string   `json:"annotations,omitempty"`            // path of a table that describes the rows, by their names
	Groups               string   `json:"groups,omitempty"`                 // the column that says which rows belong together
	Pairs                string   `json:"paired,omitempty"`                 // the column that says which rows are a pair: only differences within it count
	RowWeights           string   `json:"row_weights,omitempty"`            // the column that says what each row weighs
	Nuisance             string   `json:"nuisance,omitempty"`               // the column whose values shall not matter, such as a site
	Protocol             string   `json:"protocol,omitempty"`               // fsnet · paper · authors · stepwise
	Task                 string   `json:"task,omitempty"`                   // auto · classification · regression
	K                    int      `json:"k,omitempty"`                      // features to select, 1…d
	Epochs               int      `json:"epochs,omitempty"`                 // length of the annealing, in passes over the training rows; Auto
	Batch                *int     `json:"batch,omitempty"`                  // rows a step; 0 is all of them; Auto
	Embedding            string   `json:"embedding,omitempty"`              // class-t · class-deviation · histogram · histogram-counts
	Screen               *int     `json:"screen,omitempty"`                 // features that remain after screening; 0 is all of them
	Must                 []string `json:"must,omitempty"`                   // features that are chosen in any case: names, or a file of them
	Never                []string `json:"never,omitempty"`                  // features that are never chosen: names, or a file of them
	Cost                 string   `json:"cost,omitempty"`                   // file of a feature and its cost a line, or NAME:COST,…
	FeatureGroups        string   `json:"feature_groups,omitempty"`         // file of a feature and its group a line, or NAME:GROUP,…
	GroupLimit           int      `json:"group_limit,omitempty"`            // how many of a group are chosen at the most
	LearningRate         *float64 `json:"learning_rate,omitempty"`          // η of RMSprop, > 0
	SelectorLearningRate *float64 `json:"selector_learning_rate,omitempty"` // η of the selector's predictor, > 0
	Lambda               *float64 `json:"lambda,omitempty"`                 // λ, weight of the reconstruction term, ≥ 0
	Dropout              *float64 `json:"dropout,omitempty"`                // after each hidden layer, 0 ≤ p < 1
	Tau0                 *float64 `json:"tau0,omitempty"`                   // τ0, first temperature, > 0
	TauEnd               *float64 `json:"tau_end,omitempty"`                // τE, last temperature, > 0
	Schedule             string   `json:"schedule,omitempty"`               // exponential · linear · cosine · hold:τ · points:e1=τ1,…
	Sharpness            *float64 `json:"sharpness,omitempty"`              // σ at the end, ≥ 1
	SharpnessSchedule    string   `json:"sharpness_schedule,omitempty"`     // late, or as Schedule
	SelectorGrowth       *float64 `json:"selector_growth,omitempty"`        // how many times selector_learning_rate grows, > 0
	Repulsion            *float64 `json:"repulsion,omitempty"`              // weight of what selectors have in common, ≥ 0
	Hidden               []int    `json:"hidden,omitempty"`                 // widths of the encoder's layers; the decoder mirrors them
	Scaling              string   `json:"scaling,omitempty"`                // training-rows · all-rows · none
	TestFraction         *float64 `json:"test_fraction,omitempty"`          // share of the rows kept for testing, 0 ≤ f < 1
	Split                string   `json:"split,omitempty"`                  // stratified · random · column:NAME · column:NAME=VALUE · file:PATH
	ValidationFraction   *float64 `json:"validation_fraction,omitempty"`    // share of the training part set aside for the live curves, 0 ≤ f < 1
	RowsPerClass         int      `json:"rows_per_class,omitempty"`         // training rows of a class that are used at the most; 0 is all
	ClassWeight          string   `json:"class_weight,omitempty"`           // none · balanced
	Missing              string   `json:"missing,omitempty"`                // error · mean · drop
	Stop                 string   `json:"stop,omitempty"`                   // settled · never · patience:N
	Seed                 int64    `json:"seed,omitempty"`                   // everything random is a function of it
	SplitSeed            *int64   `json:"split_seed,omitempty"`             // which rows are test and validation rows is a function of it; not given it is Seed
	Backend              string   `json:"backend,omitempty"`                // auto · xla:cpu · xla:cuda · go
	Log                  string   `json:"log,omitempty"`                    // sessions: a file that gets the metrics as they are made
	Rules                *Rules   `json:"rules,omitempty"`                  // what makes the protocol exact; nil: RulesOf the protocol
}

// Settings is a Config without holes: every value given, checked, and in the type the engine uses.
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
	Embedding          string   `json:"embedding"`
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
	RowsPerClass       int      `json:"rows_per_class,omitempty"` // 0: all
	Missing            string   `json:"missing"`
	Seed               int64    `json:"seed"`
	SplitSeed          *int64   `json:"split_seed,omitempty"` // nil: the split follows Seed, also where that is changed; see RowsSeed
	Backend            string   `json:"backend"`
	Log                string   `json:"log,omitempty"`
	Live
}

// Live holds the settings that may change at any step of a training, and the protocol's rules, which
// are fixed and of which the schedules read some.
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
	SelectorGrowth       float64 `json:"selector_growth"`
	Repulsion            float64 `json:"repulsion"`
	ClassWeight          string  `json:"class_weight"`
	Stop                 string  `json:"stop"`
}
