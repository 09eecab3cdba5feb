package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// MaxSplits is the largest number of splits of a plan.
const MaxSplits = 100_000

// Plan lists what a study makes: the rows of a comparison, or replicas, i.e.
// fits of one FsNet to one data set. [New] and [Replicas] return plans.
type Plan struct {
	Data []*dataset.Dataset
	// Settings hold for FsNet unless its name says otherwise, and for the
	// splits and scaling of all methods. K is not used.
	Settings config.Settings
	Methods  []Method
	K        []int
	Splits   int
	// Folds is the number of folds if the splits are cross-validation. It is 0
	// otherwise, and also for folds that come with the data.
	Folds int
	Fits  bool // The rows are replicas: results of whole fits, without a judge.
	// ByMethod orders the cells by K and method, each on all data, because
	// trainings of the same shape share a compiled program. Otherwise they are
	// ordered by split.
	ByMethod bool

	options config.Config
	lanes   int                           // see sharing; 0 unless a test wants some
	only    map[cellKey]bool              // The cells that Run makes. Nil means all.
	folds   map[string][]*dataset.Dataset // By data set: one entry for each split.
	// listing is what the plan was read from, if it has no data.
	listing *Listing
	files   map[string]map[string]dataset.ConstraintFiles // By data set and method.
	looks   splitLooks
}

// New plans a comparison. Options that are not given follow the protocol of
// each FsNet. The error is of kind Request if K exceeds the features of a
// data set, if two data sets share a name, if two names of FsNet mean the
// same settings, or if there is nothing to compare.
func New(data []*dataset.Dataset, options config.Config, methods []Method, ks []int, splits int) (*Plan, error) {
	p := &Plan{Data: data, Methods: slices.Clone(methods), K: ks, Splits: splits, options: options}
	return p, p.check()
}

// Replicas plans n fits of one configuration. Replica r has the seed of the
// configuration + r, so each has different initial parameters, batches and
// noise. Its split differs, too, unless split_seed is given.
func Replicas(data *dataset.Dataset, options config.Config, n int) (*Plan, error) {
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	p := &Plan{Data: []*dataset.Dataset{data}, Methods: []Method{newFsNet(config.Config{})}, K: []int{settings.K}, Splits: n, Fits: true, options: options}
	return p, p.check()
}

// check rejects impossible plans and fills in the fields that New leaves empty:
// the settings of the plan and of each FsNet, the folds that come with the
// data, and the hashes of programs and of files that name features.
func (p *Plan) check() (err error) {
	if p.Settings, err = p.options.Resolve(); err != nil {
		return err
	}
	what, most := "splits", fmt.Sprintf("choose 1 to %d", MaxSplits)
	if p.Fits {
		what = "replicas"
	}
	switch {
	case len(p.Data) == 0 || len(p.Methods) == 0 || len(p.K) == 0:
		return errs.New(errs.Request, "name at least one of each", "%s, %s and %s of features to compare",
			phrase.Count(len(p.Data), "data set"), phrase.Count(len(p.Methods), "method"), phrase.Count(len(p.K), "number"))
	case p.Splits < 1 || p.Splits > MaxSplits:
		return errs.New(errs.Request, most, "%s = %d", what, p.Splits)
	}

	if err := p.checkSeeds(); err != nil {
		return err
	}

	seen := map[string]bool{}
	for _, d := range p.Data {
		if err := d.Fits(p.Settings); err != nil && d.Y != nil { // The data of a listing have no rows.
			return err
		}
		if seen[d.Name] {
			return errs.New(errs.Request, "give them different file names, or name each once", "two data sets are called %s", d.Name)
		}
		seen[d.Name] = true
		for _, k := range p.K {
			if k < 1 {
				return errs.New(errs.Request, "use k=1 or more", "k = %d", k)
			}
			if err := d.CheckK(k); err != nil {
				return err
			}
		}
	}

	if !p.Fits {
		if err := p.ownFolds(); err != nil {
			return err
		}
	}

	for _, d := range p.Data {
		if err := testable(d, p.Settings); err != nil && p.folds == nil {
			return err
		}
	}

	if err := p.checkMethods(); err != nil {
		return err
	}

	if err := p.resolve(); err != nil {
		return err
	}

	for i, m := range p.Methods {
		if own := m.program(); own != nil && own.Hash() == "" {
			if p.Methods[i].fitter, err = own.In(""); err != nil {
				return err
			}
		}
	}
	return p.readFiles()
}

// closePrograms stops the user's programs. It waits up to two seconds for each.
// They start again if another fit needs them.
func (p *Plan) closePrograms() {
	for _, m := range p.Methods {
		if own := m.program(); own != nil {
			own.Close()
		}
	}
}

// readFiles records, for every FsNet, the contents of the files that name
// features.
func (p *Plan) readFiles() error {
	p.files = map[string]map[string]dataset.ConstraintFiles{}
	for _, d := range p.Data {
		p.files[d.Name] = map[string]dataset.ConstraintFiles{}
		for _, m := range p.Methods {
			if m.fitter != nil || d.Y == nil { // The data of a listing have no files.
				continue
			}
			files, err := dataset.ConstraintFilesOf(m.settings, d.Dir())
			if err != nil {
				return err
			}
			if files != nil {
				p.files[d.Name][m.Name] = files
			}
		}
	}
	return nil
}

// testable returns an error of kind Request if the settings leave no row of
// d to test on.
func testable(d *dataset.Dataset, s config.Settings) error {
	if s.TestFraction > 0 || d.TestRows(0) > 0 {
		return nil
	}
	return errs.New(errs.Request, "leave it out, or use test_fraction=0.5", "test_fraction = 0 leaves no row to test on")
}

// checkMethods rejects methods for classes if the label is a quantity.
func (p *Plan) checkMethods() error {
	if !p.Settings.Regression() {
		return nil
	}
	for _, m := range p.Methods {
		if m.fitter != nil && !m.fitter.Entry().Regression {
			others := []string{FsNet, FsNetPath}
			for _, other := range comparators.All() {
				if e := other.Entry(); e.Regression {
					others = append(others, e.Name)
				}
			}
			return errs.New(errs.Request, "leave it out; these take a quantity: "+strings.Join(others, ", "),
				"%s works with classes, but with task=regression the label is a quantity", m.Name)
		}
	}
	return nil
}

// cellSettings returns the settings of FsNet for a cell: the K of the cell,
// or the largest K for a path, and its seeds.
func (p *Plan) cellSettings(m Method, cell Row) config.Settings {
	settings := m.settings
	settings.K = max(cell.K, m.most)
	p.setSeeds(&settings, cell)
	return settings
}

// setSeeds sets the seeds of a row. Split s has the s-th seed after the
// first, or after split_seed if it is given. Replicas with a split_seed
// share one split.
func (p *Plan) setSeeds(settings *config.Settings, cell Row) {
	settings.Seed = cell.Seed
	if s := settings.SplitSeed; s != nil && !p.Fits {
		settings.SplitSeed = new(*s + int64(cell.Split))
	}
}

// checkSeeds rejects splits with seeds that would exceed 64 bits.
func (p *Plan) checkSeeds() error {
	if first := max(p.Settings.Seed, p.Settings.RowsSeed()); first > math.MaxInt64-int64(p.Splits) {
		return errs.New(errs.Request, "choose a smaller seed", "seed = %d leaves no room for %s", first, phrase.Count(p.Splits, "split"))
	}
	return nil
}

// resolve sets the settings of every FsNet. If two of them have the same
// settings, it returns an error.
func (p *Plan) resolve() error {
	names := map[string]string{}
	for i := range p.Methods {
		m := &p.Methods[i]
		if m.fitter != nil {
			continue
		}
		var err error
		if m.settings, err = m.resolve(p.options, p.Settings); err != nil {
			return err
		}

		if m.nested {
			m.most = slices.Max(p.K)
		}

		text := m.identitySettings()
		if other, ok := names[text]; ok {
			return errs.New(errs.Request, "name one of them", "%s and %s are the same, with these options", other, m.Name)
		}
		names[text] = m.Name
	}
	return nil
}

// identity returns the fields that all rows of a method on a data set share. It
// sets K to d, as is right for a method that uses every feature. The caller
// must set Split, Seed and Device, and K for other methods.
func (p *Plan) identity(d *dataset.Dataset, m Method) Identity {
	var settings []string
	if m.fitter == nil {
		settings = append([]string{m.identitySettings()}, p.files[d.Name][m.Name].Marks()...)
	} else {
		settings = []string{identitySettings(p.Settings, false)}
	}

	if own := m.program(); own != nil {
		settings = append(settings, "program="+own.Hash())
	}
	if p.Folds > 0 { // Folds of the data are already included, as split.
		settings = append(settings, fmt.Sprintf("folds=%d", p.Folds))
	}

	return Identity{
		Dataset: d.Name, Method: m.Name, K: d.D, Settings: strings.TrimPrefix(strings.Join(settings, ";"), ";"), Version: m.version(),
		Judge: p.judgeVersion(), Data: d.Hash[:min(12, len(d.Hash))],
	}
}

// Cells returns the rows that the plan makes, without figures and device.
// They are ordered by data set, split, method and K or, with ByMethod, by K,
// method, data set and split. A method that uses every feature has one row
// per split.
func (p *Plan) Cells() []Row {
	var cells []Row
	for _, d := range p.Data {
		identities := make([]Identity, len(p.Methods))
		for i, m := range p.Methods {
			identities[i] = p.identity(d, m)
		}

		for split := range p.Splits {
			for i, m := range p.Methods {
				cell := Row{Identity: identities[i]}
				cell.Split, cell.Seed = split, p.Settings.Seed+int64(split)
				if !m.Selects {
					cells = append(cells, cell)
					continue
				}
				for _, k := range p.K {
					cell.K = k
					cells = append(cells, cell)
				}
			}
		}
	}

	if p.ByMethod {
		place := func(c Row) int { return slices.IndexFunc(p.Methods, func(m Method) bool { return m.Name == c.Method }) }
		slices.SortStableFunc(cells, func(a, b Row) int {
			return cmp.Or(cmp.Compare(slices.Index(p.K, a.K), slices.Index(p.K, b.K)), cmp.Compare(place(a), place(b)))
		})
	}
	return cells
}

// Part narrows a plan to part i of n, counted from 1. The cells of a part
// are consecutive, so that it prepares few splits. Each cell is in exactly
// one part. If there are more parts than cells, some parts are empty. The
// error is of kind Request if i is not in 1 to n, or n is above a million.
func (p *Plan) Part(i, n int) error {
	const most = 1_000_000 // More than there are machines, and i·cells cannot overflow.
	if i < 1 || i > n || n > most {
		return errs.New(errs.Request, "write --part i/N with i from 1 to N, as in --part 3/20, and N up to 1000000", "part %d/%d", i, n)
	}
	cells := p.Cells()
	p.choose(cells[(i-1)*len(cells)/n : i*len(cells)/n])
	return nil
}

// Choose narrows a plan to the cells with these IDs ([Identity.ID]) on a
// kind of device. The error is of kind NotFound if the plan does not have an
// ID.
func (p *Plan) Choose(kind string, ids []string) error {
	cells := map[string]Row{}
	for _, c := range p.Cells() {
		c.Device = kind
		cells[c.ID()] = c
	}

	var chosen []Row
	for _, id := range ids {
		cell, ok := cells[strings.ToLower(strings.TrimSpace(id))]
		if !ok {
			return errs.New(errs.NotFound, "the plan lists its cells with their ids", "the plan has no cell %.40q", id)
		}
		chosen = append(chosen, cell)
	}
	p.choose(chosen)
	return nil
}

// Keep narrows a plan to the cells for which wanted returns true.
func (p *Plan) Keep(wanted func(Row) bool) {
	p.choose(slices.DeleteFunc(p.Cells(), func(c Row) bool { return !wanted(c) }))
}

// choose narrows a plan to these cells. It replaces an earlier choice.
func (p *Plan) choose(cells []Row) {
	p.only = make(map[cellKey]bool, len(cells))
	for _, c := range cells {
		p.only[c.key()] = true
	}
}

// includes reports whether a run makes a cell.
func (p *Plan) includes(cell Row) bool { return p.only == nil || p.only[cell.key()] }

// Fold makes the splits of the plan cross-validation: each of n folds of all
// rows ([dataset.Folds]) is held out in turn, and this is repeated with
// different folds, repeats times in all. Split s is fold s mod n. The folds
// are a function of the seed that divides the rows. As without folds, split
// s trains with the seed s after the first.
//
// Fold(0, 1) uses the folds that the data sets bring with them, as named by
// the key split ([dataset.OwnFolds]). [New] calls it if there are any.
func (p *Plan) Fold(n, repeats int) error {
	if n > 0 && repeats > 0 && n > MaxSplits/repeats {
		return errs.New(errs.Request, fmt.Sprintf("choose up to %d in all", MaxSplits), "%s, %d times", phrase.Count(n, "fold"), repeats)
	}
	if f := p.Settings.ValidationFraction; f > 0 {
		return errs.New(errs.Request, "leave it out: nothing in a comparison looks at validation rows",
			"validation_fraction = %g, but folds have no rows for validation", f)
	}

	p.folds = map[string][]*dataset.Dataset{}
	p.Folds = n
	for i, d := range p.Data {
		own, err := dataset.OwnFolds(d)
		if err == nil && own == nil {
			own, err = dataset.Folds(d, n, repeats, p.Settings.RowsSeed())
		} else if err == nil && n > 0 {
			return errs.New(errs.Request, "leave folds out", "folds = %d, but split = %s says what they are", n, p.Settings.Split)
		}
		if err != nil {
			return err
		}
		if i > 0 && len(own) != p.Splits {
			return errs.New(errs.Request, "compare them one by one",
				"%s has %s, but %s has %d", p.Data[0].Name, phrase.Count(p.Splits, "fold"), d.Name, len(own))
		}
		p.folds[d.Name], p.Splits = own, len(own)
	}
	return p.checkSeeds()
}

// ownFolds uses the folds that come with the data, if there are any.
func (p *Plan) ownFolds() error {
	for _, d := range p.Data {
		if own, err := dataset.OwnFolds(d); own != nil || err != nil {
			return p.Fold(0, 1)
		}
	}
	return nil
}

// dataOf returns the data set of a row. If the plan has folds, the data set is
// divided by the row's fold. It returns nil if the plan does not have the
// data set.
func (p *Plan) dataOf(cell Row) *dataset.Dataset {
	if folds := p.folds[cell.Dataset]; folds != nil {
		return folds[cell.Split]
	}
	for _, d := range p.Data {
		if d.Name == cell.Dataset {
			return d
		}
	}
	return nil
}

// TestFraction returns the share of the rows of d that a split tests on.
func (p *Plan) TestFraction(d *dataset.Dataset) float64 {
	if p.listing != nil {
		return p.listing.Data[slices.Index(p.Data, d)].Test
	}
	if p.folds == nil && !p.ownSplit() {
		return p.Settings.TestFraction
	}
	return float64(p.First(d).TestRows(p.Settings.TestFraction)) / float64(d.N)
}

// testPerTraining returns n_test/n_train of the first split of d, or of its
// folds together. Training rows are those that methods are fitted to.
// Validation rows don't count, nor do rows left out by rows_per_class or a
// weight of 0.
func (p *Plan) testPerTraining(d *dataset.Dataset) float64 {
	if p.listing != nil {
		return p.listing.Data[slices.Index(p.Data, d)].Ratio
	}

	splits := 1
	if p.folds != nil { // All folds of one repeat, because their sizes may differ.
		splits = cmp.Or(p.Folds, p.Splits)
	}

	sum, tested := 0, 0
	for split := range splits {
		cell := Row{Identity: Identity{Dataset: d.Name, Split: split, Seed: p.Settings.Seed + int64(split)}}
		settings := p.Settings
		p.setSeeds(&settings, cell)
		parts, err := dataset.Split(p.dataOf(cell), settings)
		if err != nil { // The rows report the error.
			return p.TestFraction(d) / (1 - p.TestFraction(d))
		}
		sum, tested = sum+len(parts.Train), tested+len(parts.Test)
	}

	return float64(tested) / float64(sum)
}

// ownSplit reports whether a column or a file divides the rows. In that case
// all trainings share one split, unless the plan has folds.
func (p *Plan) ownSplit() bool {
	own, err := config.ParseSplit(p.Settings.Split)
	return err == nil && own != (config.OwnSplit{})
}

// First returns a data set as the first split divides it. If the plan has
// folds, that is its first fold.
func (p *Plan) First(d *dataset.Dataset) *dataset.Dataset {
	return p.dataOf(Row{Identity: Identity{Dataset: d.Name}})
}

// OneSplit reports whether all trainings share one split, because of the
// plan or because there is only one. If they do, nothing tells how figures
// vary from split to split.
func (p *Plan) OneSplit() bool {
	if p.listing != nil {
		return p.listing.OneSplit
	}
	return p.Splits == 1 || p.folds == nil && p.ownSplit()
}

// Divided describes, for people, how the rows are divided.
func (p *Plan) Divided() string {
	switch {
	case p.Fits:
		return phrase.Count(p.Splits, "replica")
	case p.listing != nil:
		return p.listing.Divided
	case p.OneSplit() && p.Splits > 1:
		return fmt.Sprintf("one split (%s), %d times", p.Settings.Split, p.Splits)
	case p.folds == nil:
		return phrase.Count(p.Splits, "split")
	case p.Folds > 0 && p.Splits > p.Folds:
		return fmt.Sprintf("%s, %d times", phrase.Count(p.Folds, "fold"), p.Splits/p.Folds)
	}
	return phrase.Count(p.Splits, "fold")
}

// Memory returns the largest number of bytes of main memory that making the
// rows of d takes: the program and the data, a split prepared for all
// methods, and the most demanding method or judge. FsNet counts as
// [engine.PlanMemory] plans it, other methods count three times
// [baseline.Need].
func (p *Plan) Memory(d *dataset.Dataset, kind string) int64 {
	if p.Fits {
		return engine.PlanMemory(d, p.cellSettings(p.Methods[0], Row{Identity: Identity{K: p.K[0], Seed: p.Settings.Seed}}), kind).Host
	}

	settings := p.Settings
	settings.K = slices.Max(p.K)
	split := p.First(d)
	training := engine.PlanMemory(split, settings, kind)
	held := training.Host - training.ToCome() // The program and the data as read.

	rows := d.N - split.TestRows(settings.TestFraction)
	judged, trained := baseline.Need(p.judge().Entry(), rows, settings.K), int64(0)

	for _, m := range p.Methods {
		if m.fitter != nil {
			judged = max(judged, baseline.Need(m.fitter.Entry(), rows, d.D))
			continue
		}
		own := m.settings
		own.K = max(settings.K, m.most)
		trained = max(trained, engine.PlanMemory(split, own, kind).ToCome())
	}

	const scaled, divided = 4, 8 // Bytes of a value: of all rows, and of the training and test rows.
	return held + int64(d.N)*int64(d.D)*(scaled+divided) + max(trained, 3*judged)
}
