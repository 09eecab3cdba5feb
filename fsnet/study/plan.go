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

// MaxSplits is the most splits of a plan.
const MaxSplits = 100_000

// Plan is what a study makes: the rows of a comparison, or replicas, which are the fits of one FsNet to one data set. [New] and [Replicas]
// make one.
type Plan struct {
	Data     []*dataset.Dataset
	Settings config.Settings // of FsNet without settings of its own, and of the splits and the scaling for all; its K is not used
	Methods  []Method
	K        []int
	Splits   int
	Folds    int  // the splits are those of cross-validation with so many folds; 0 where they are not, or the folds are the data's own
	Fits     bool // its rows are replicas: results of whole fits, which nobody judges
	ByMethod bool // one K and method after the other, each on all data: those of one shape share a compiled program. Else one split after the other

	options config.Config
	only    map[cellKey]bool                              // cells that Run makes; nil is all
	folds   map[string][]*dataset.Dataset                 // by data set: of each split
	listing *Listing                                      // that it was read from without data
	files   map[string]map[string]dataset.ConstraintFiles // by data set and method
}

// New plans a comparison. What options do not say is what the protocol has, for each FsNet its own. New returns an error of kind Request
// where K is above the features of a data set, where two data sets have one name, where two names of FsNet come to the same settings, and
// where there is nothing to compare.
func New(data []*dataset.Dataset, options config.Config, methods []Method, ks []int, splits int) (*Plan, error) {
	p := &Plan{Data: data, Methods: slices.Clone(methods), K: ks, Splits: splits, options: options}
	return p, p.check()
}

// Replicas plans n fits of one configuration: replica r has the seed of the configuration + r, and with it also its own initial parameters,
// batches, noise and, unless split_seed is given, split.
func Replicas(data *dataset.Dataset, options config.Config, n int) (*Plan, error) {
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	p := &Plan{Data: []*dataset.Dataset{data}, Methods: []Method{withSettings(config.Config{})}, K: []int{settings.K}, Splits: n, Fits: true, options: options}
	return p, p.check()
}

// check refuses what cannot be, and fills in what follows from the rest.
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
		if err := d.Fits(p.Settings); err != nil && d.Y != nil { // a listing's data have no rows
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
	if err := p.resolve(p.options); err != nil {
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

// closePrograms ends those of the user's.
func (p *Plan) closePrograms() {
	for _, m := range p.Methods {
		if own := m.program(); own != nil {
			own.Close()
		}
	}
}

// readFiles takes down what the files say that name features, for every FsNet.
func (p *Plan) readFiles() error {
	p.files = map[string]map[string]dataset.ConstraintFiles{}
	for _, d := range p.Data {
		p.files[d.Name] = map[string]dataset.ConstraintFiles{}
		for _, m := range p.Methods {
			if m.fitter != nil || d.Y == nil { // a listing's data have no files beside them
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

// testable refuses settings that keep no row of a data set for testing.
func testable(d *dataset.Dataset, s config.Settings) error {
	if s.TestFraction > 0 || d.TestRows(0) > 0 {
		return nil
	}
	return errs.New(errs.Request, "leave it out, or use test_fraction=0.5", "test_fraction = 0 leaves no row to test on")
}

// checkMethods refuses methods of classes where the label is a quantity.
func (p *Plan) checkMethods() error {
	if !p.Settings.Regression() {
		return nil
	}
	for _, m := range p.Methods {
		if m.fitter != nil && !m.fitter.Entry().Regression {
			return errs.New(errs.Request, "leave it out; these take a quantity: "+strings.Join(takesQuantities(), ", "),
				"%s works with classes, but with task=regression the label is a quantity", m.Name)
		}
	}
	return nil
}

// takesQuantities are the names of the methods that do.
func takesQuantities() []string {
	names := []string{FsNet, FsNetPath}
	for _, m := range comparators.All() {
		if e := m.Entry(); e.Regression {
			names = append(names, e.Name)
		}
	}
	return names
}

// at are FsNet's settings of a cell.
func (p *Plan) at(m Method, cell Row) config.Settings {
	settings := m.settings
	settings.K = max(cell.K, m.most)
	p.seeded(&settings, cell)
	return settings
}

// seeded gives settings the seeds of a row: split s is that of the s-th seed after the first, of split_seed where that is given. Replicas
// with a split_seed share one split.
func (p *Plan) seeded(settings *config.Settings, cell Row) {
	settings.Seed = cell.Seed
	if s := settings.SplitSeed; s != nil && !p.Fits {
		settings.SplitSeed = new(*s + int64(cell.Split))
	}
}

// checkSeeds refuses splits whose seeds are no numbers of 64 bits.
func (p *Plan) checkSeeds() error {
	if first := max(p.Settings.Seed, p.Settings.RowsSeed()); first > math.MaxInt64-int64(p.Splits) {
		return errs.New(errs.Request, "choose a smaller seed", "seed = %d and %s leave the range of seeds", first, phrase.Count(p.Splits, "split"))
	}
	return nil
}

// resolve gives every FsNet its settings.
func (p *Plan) resolve(options config.Config) error {
	names := map[string]string{}
	for i := range p.Methods {
		m := &p.Methods[i]
		if m.fitter != nil {
			continue
		}
		var err error
		if m.settings, err = m.trained(options, p.Settings); err != nil {
			return err
		}
		if m.nested {
			m.most = slices.Max(p.K)
		}
		text := m.identified()
		if other, ok := names[text]; ok {
			return errs.New(errs.Request, "name one of them", "%s and %s are the same, with these options", other, m.Name)
		}
		names[text] = m.Name
	}
	return nil
}

// identity is what all rows of a method on a data set have in common, but for their K.
func (p *Plan) identity(d *dataset.Dataset, m Method) Identity {
	settings := identified(p.Settings, false)
	switch own := m.program(); {
	case m.fitter == nil:
		settings = strings.TrimPrefix(strings.Join(append([]string{m.identified()}, p.files[d.Name][m.Name].Marks()...), ";"), ";")
	case own != nil:
		settings = strings.TrimPrefix(settings+";program="+own.Hash(), ";")
	}
	return Identity{
		Dataset: d.Name, Method: m.Name, K: d.D, Settings: p.withFolds(settings), Version: m.version(), Judge: p.judgeVersion(),
		Data: d.Hash[:min(12, len(d.Hash))],
	}
}

// Cells lists the rows that the plan makes, without their figures and device, and in their order: by data set, split, method and K, or with
// ByMethod by K, method, data set and split. A method that uses every feature has one row a split.
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

// Part narrows a plan to part i of n, from 1: cells that follow one another, so that a part prepares few splits. Each cell is in one part.
func (p *Plan) Part(i, n int) error {
	cells := p.Cells()
	from, to, ok := partOf(i, n, len(cells))
	if !ok {
		return errs.New(errs.Request, "write --part i/N with i from 1 to N, as in --part 3/20, and N up to 1000000", "part %d/%d", i, n)
	}
	p.choose(cells[from:to])
	return nil
}

// Choose narrows a plan to the cells of these identities ([Identity.ID]) on a kind of device.
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

// Keep narrows a plan to the cells that are wanted.
func (p *Plan) Keep(wanted func(Row) bool) {
	p.choose(slices.DeleteFunc(p.Cells(), func(c Row) bool { return !wanted(c) }))
}

func (p *Plan) choose(cells []Row) {
	p.only = make(map[cellKey]bool, len(cells))
	for _, c := range cells {
		p.only[c.key()] = true
	}
}

// asked is whether a run makes a cell.
func (p *Plan) asked(cell Row) bool { return p.only == nil || p.only[cell.key()] }

// Fold makes the splits of the plan those of cross-validation: each of n folds of all rows ([dataset.Folds]) is held out in turn, as often
// as repeats says, each time with other folds. Split s is fold s mod n. The folds are a function of the seed that divides the rows, and the
// training of split s has the seed s after the first, as without folds.
//
// Folds 0 are those of the data sets' own, which the key split may have brought ([dataset.OwnFolds]); [New] asks for them by itself.
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

// ownFolds takes the folds that the data sets bring.
func (p *Plan) ownFolds() error {
	for _, d := range p.Data {
		if own, err := dataset.OwnFolds(d); own != nil || err != nil {
			return p.Fold(0, 1)
		}
	}
	return nil
}

// data is the data set of a row, with the split of its own where the plan has folds.
func (p *Plan) data(cell Row) *dataset.Dataset {
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

// withFolds adds the number of folds to the settings of a row. Those of the user's own are there, as split.
func (p *Plan) withFolds(settings string) string {
	if p.Folds == 0 {
		return settings
	}
	return strings.TrimPrefix(fmt.Sprintf("%s;folds=%d", settings, p.Folds), ";")
}

// TestFraction is the share of the rows of a data set that a split has for testing.
func (p *Plan) TestFraction(d *dataset.Dataset) float64 {
	if p.listing != nil {
		return p.listing.Data[slices.Index(p.Data, d)].Test
	}
	if p.folds == nil && !p.ownSplit() {
		return p.Settings.TestFraction
	}
	return float64(p.First(d).TestRows(p.Settings.TestFraction)) / float64(d.N)
}

// testPerTraining is n_test/n_train of the first split of a data set, or of its folds together: training rows are those that methods are
// fitted to, without rows for validation and those that rows_per_class or a weight of 0 leaves out.
func (p *Plan) testPerTraining(d *dataset.Dataset) float64 {
	if p.listing != nil {
		return p.listing.Data[slices.Index(p.Data, d)].Ratio
	}
	splits := 1
	if p.folds != nil { // all of one repeat: they need not be of one size
		splits = cmp.Or(p.Folds, p.Splits)
	}
	sum, tested := 0, 0
	for split := range splits {
		cell := Row{Identity: Identity{Dataset: d.Name, Split: split, Seed: p.Settings.Seed + int64(split)}}
		settings := p.Settings
		p.seeded(&settings, cell)
		parts, err := dataset.Split(p.data(cell), settings)
		if err != nil { // which the rows say
			return p.TestFraction(d) / (1 - p.TestFraction(d))
		}
		sum, tested = sum+len(parts.Train), tested+len(parts.Test)
	}
	return float64(tested) / float64(sum)
}

// ownSplit is whether the rows are divided by a column or a file: where that gives no folds all trainings share one split.
func (p *Plan) ownSplit() bool {
	own, err := config.ParseSplit(p.Settings.Split)
	return err == nil && own != (config.OwnSplit{})
}

// First is a data set as the first split divides it: a fold where the plan has folds.
func (p *Plan) First(d *dataset.Dataset) *dataset.Dataset {
	return p.data(Row{Identity: Identity{Dataset: d.Name}})
}

// OneSplit is whether all trainings share one split, by the plan or since there is but one: then nothing tells how figures vary from
// split to split.
func (p *Plan) OneSplit() bool {
	if p.listing != nil {
		return p.listing.OneSplit
	}
	return p.Splits == 1 || p.folds == nil && p.ownSplit()
}

// Divided is how the rows are divided, for people.
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

// Memory is how many bytes of a machine's memory making the rows of a data set takes at the most: the program and the data, a split of them
// prepared for all methods, and the method that needs most, or the judge that does. It is a sum of what
// [engine.PlanMemory] and [baseline.Method] say.
func (p *Plan) Memory(d *dataset.Dataset, kind string) int64 {
	if p.Fits {
		return engine.PlanMemory(d, p.at(p.Methods[0], Row{Identity: Identity{K: p.K[0], Seed: p.Settings.Seed}}), kind).Host
	}
	settings := p.Settings
	settings.K = slices.Max(p.K)
	split := p.First(d)
	training := engine.PlanMemory(split, settings, kind)
	held := training.Host - training.ToCome() // the program and the data as read
	rows := d.N - split.TestRows(settings.TestFraction)
	sizes := baseline.Sizes{Rows: rows, Features: d.D, Classes: len(d.Classes), K: settings.K}
	most := p.judge().Memory(baseline.Sizes{Rows: rows, Features: settings.K, Classes: len(d.Classes)})
	for _, m := range p.Methods {
		if m.fitter != nil {
			most = max(most, m.fitter.Memory(sizes))
			continue
		}
		own := m.settings
		own.K = max(settings.K, m.most)
		most = max(most, engine.PlanMemory(split, own, kind).ToCome())
	}
	const scaled, divided = 4, 8 // bytes of a value: of all rows, and of those of the training and the test rows
	return held + baseline.Bytes(d.N, d.D, scaled+divided) + most
}
