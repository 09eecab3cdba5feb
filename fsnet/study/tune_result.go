package study

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
)

// Tuned is what the combinations of a plan reach.
type Tuned struct {
	Dataset   string   `json:"dataset"`        // name of the data set
	Task      string   `json:"task,omitempty"` // regression where the label is a quantity
	Rows      int      `json:"rows"`           // training rows, which are all that was looked at
	D         int      `json:"d"`              // features
	Classes   []string `json:"classes"`        // names of the classes, or the ranges of a quantity
	Folds     int      `json:"folds"`          // of the training rows
	Repeats   int      `json:"repeats"`        // of the folds, other ones each time
	Judge     string   `json:"judge"`          // whose figure decides: own, svm or kernel-ridge
	Seed      int64    `json:"seed"`           // of everything random
	SplitSeed int64    `json:"split_seed"`     // that divided the rows
	Grid      Grid     `json:"grid"`           // keys and the values that were tried
	Seeds     int      `json:"seeds"`          // of a sweep, one a repeat; 0 of a tuning or a path
	Planned   int      `json:"planned"`        // trainings; fewer are done after an interruption
	Done      int      `json:"done"`           // trainings that are done
	Points    []Point  `json:"points"`         // what each combination reaches, by k, then in the order of the grid
	// place in points of the highest mean; null while something is missing, or where every combination failed on a fold
	Best      *int     `json:"best"`
	Chosen    *int     `json:"chosen"`    // place in points of the choice; null as best is
	Threshold *float64 `json:"threshold"` // the best mean less its standard error
	Command   string   `json:"command"`   // trains with the choice; "" without one
	Magic     string   `json:"magic"`     // the same in a notebook
}

// Point is a combination.
type Point struct {
	Settings      []Setting `json:"settings"`                  // those of the grid, in its order
	K             int       `json:"k"`                         // features to choose
	Folds         int       `json:"folds"`                     // with figures, of all repeats
	Failed        int       `json:"failed"`                    // folds; a combination that failed on one is not chosen
	Accuracy      *Estimate `json:"accuracy"`                  // by the judge; nil without figures, and of a quantity
	Own           *Estimate `json:"own"`                       // of its own network; nil in a path
	SVM           *Estimate `json:"svm"`                       // of the support vector machine
	Difference    *Estimate `json:"difference"`                // to the best, fold by fold; nil where that is not known
	Error         string    `json:"error"`                     // of the first fold that failed
	R2            *Estimate `json:"r2,omitempty"`              // of a quantity: R² by the judge
	R2Own         *Estimate `json:"r2_own,omitempty"`          // of a quantity: R² of its own network
	R2KernelRidge *Estimate `json:"r2_kernel_ridge,omitempty"` // of a quantity: R² of a kernel ridge regression on the selected features
	BySeed        []BySeed  `json:"by_seed,omitempty"`         // of a sweep: what the judge says of each seed whose folds are all done
	Interval      *Spread   `json:"interval,omitempty"`        // of a sweep: how that varies over seeds, with the interval of its mean
}

// Setting is a key and its value.
type Setting struct {
	Key   string `json:"key"`   // name of the key
	Value string `json:"value"` // as text
}

// Figure is what the judge says of the combination: the mean accuracy, or of a quantity R².
func (p Point) Figure() *Estimate { return cmp.Or(p.Accuracy, p.R2) }

// Name is the combination in words, such as "k=10 lambda=0".
func (p Point) Name() string {
	words := make([]string, len(p.Settings))
	for i, s := range p.Settings {
		words[i] = s.Key + "=" + s.Value
	}
	return strings.Join(words, " ")
}

// Summarize puts the rows of a plan together, and chooses where all are there.
func (p *Tuning) Summarize(rows []Row) Tuned {
	r := Tuned{
		Dataset: p.Training.Name, Rows: p.Training.N, D: p.Training.D, Classes: p.Training.Classes,
		Folds: p.Options.Folds, Repeats: p.Options.Repeats, Judge: p.Options.Judge, Seed: p.Settings.Seed, SplitSeed: p.Settings.RowsSeed(),
		Grid: p.Grid, Planned: len(p.Rows.K) * len(p.Rows.Methods) * len(p.Rows.Data), Done: len(rows),
	}
	if p.Options.Seeds {
		r.Seeds = p.Options.Repeats
	}
	if p.quantity() {
		r.Task = config.Regression
	}
	type place struct {
		dataset, method string
		k               int
	}
	made := make(map[place]Row, len(rows))
	for _, row := range rows {
		made[place{row.Dataset, row.Method, row.K}] = row
	}
	var judged [][][]float64 // of each point, by repeat and fold
	for _, k := range p.Rows.K {
		for _, m := range p.Rows.Methods {
			point := Point{K: k}
			for _, axis := range p.Grid {
				value := strconv.Itoa(k)
				if axis.Key != "k" {
					value = m.Setting(axis.Key)
				}
				point.Settings = append(point.Settings, Setting{axis.Key, value})
			}
			own, beside := make([][]float64, p.Options.Repeats), make([][]float64, p.Options.Repeats)
			for i, fold := range p.Rows.Data {
				row, there := made[place{fold.Name, m.Name, k}]
				switch repeat := i / p.Options.Folds; {
				case !there:
				case row.Error != "":
					if point.Failed++; point.Error == "" {
						point.Error = row.Error
					}
				default:
					point.Folds++
					beside[repeat] = append(beside[repeat], *cmp.Or(row.AccuracySVM, row.R2))
					if figure := cmp.Or(row.AccuracyOwn, row.R2Own); figure != nil {
						own[repeat] = append(own[repeat], *figure)
					}
				}
			}
			values := own
			if p.Options.Judge != Own {
				values = beside
			}
			if p.quantity() {
				point.R2, point.R2Own, point.R2KernelRidge = estimate(values), estimate(own), estimate(beside)
			} else {
				point.Accuracy, point.Own, point.SVM = estimate(values), estimate(own), estimate(beside)
			}
			if p.Options.Seeds {
				point.BySeed, point.Interval = p.overSeeds(values)
			}
			r.Points, judged = append(r.Points, point), append(judged, values)
		}
	}
	if r.Done == r.Planned {
		p.choose(&r, judged)
	}
	return r
}

// quantity is whether the label is one.
func (p *Tuning) quantity() bool { return p.Settings.Regression() }

// choose fills in what is known once all rows are there.
func (p *Tuning) choose(r *Tuned, judged [][][]float64) {
	var candidates []Candidate
	var at []int
	for i, point := range r.Points {
		if figure := point.Figure(); point.Failed == 0 && figure != nil {
			candidates, at = append(candidates, Candidate{point.K, *figure}), append(at, i)
		}
	}
	best, chosen, threshold := OneStandardError(candidates)
	if best < 0 {
		return
	}
	r.Best, r.Chosen, r.Threshold = &at[best], &at[chosen], &threshold
	for _, i := range at {
		r.Points[i].Difference = pairedEstimate(judged[i], judged[*r.Best])
	}
	c := p.Config
	for _, s := range r.Points[*r.Chosen].Settings {
		if err := c.Set(s.Key, s.Value); err != nil {
			panic(fmt.Sprintf("tune: a setting that was tried is refused: %v", err))
		}
	}
	r.Command, r.Magic = fitCommand(c), openMagic(c)
}

// fitCommand is fsnet fit with these settings, for a shell.
func fitCommand(c config.Config) string {
	words := []string{"fsnet", "fit"}
	if c.Data != "" {
		words = append(words, shellQuoted(c.Data, `'\''`))
	}
	for _, key := range c.Given() {
		if key.Name != "data" {
			words = append(words, "--"+strings.ReplaceAll(key.Name, "_", "-"), shellQuoted(c.Text(key.Name), `'\''`))
		}
	}
	return strings.Join(words, " ")
}

// openMagic is the line that opens a session with these settings.
func openMagic(c config.Config) string {
	words := []string{"%fsnet", "open", "tuned"}
	for _, key := range c.Given() {
		words = append(words, key.Name+"="+shellQuoted(c.Text(key.Name), `'"'"'`))
	}
	return strings.Join(words, " ")
}

// shellQuoted puts a word in quotes where it needs them. quote is how a quote is written inside.
func shellQuoted(word, quote string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+-"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", quote) + "'"
}
