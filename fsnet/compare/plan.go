package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// MaxSplits is the most splits of a plan.
const MaxSplits = 100_000

// Plan is what is compared. New makes one.
type Plan struct {
	Data     []*dataset.Dataset
	Settings config.Settings // of FsNet without settings of its own, and of the splits and the scaling for all; its K is not used
	Methods  []Method
	K        []int
	Splits   int
	Folds    int  // the splits are those of cross-validation with so many folds; 0 where they are not, or the folds are the data's own
	ByMethod bool // one K and method after the other, each on all data: those of one shape share a compiled program. Else one split after the other

	options config.Config
	only    map[key]bool                                  // cells that Run makes; nil is all
	folds   map[string][]*dataset.Dataset                 // by data set: of each split
	listing *Listing                                      // that it was read from without data
	files   map[string]map[string]dataset.ConstraintFiles // by data set and method
}

// New checks what is to be compared. What options do not say is what the protocol has, for each FsNet its own. New returns an error of kind
// Request where K is above the features of a data set, where two data sets have one name, where two names of FsNet come to the same
// settings, and where there is nothing to compare.
func New(data []*dataset.Dataset, options config.Config, methods []Method, ks []int, splits int) (*Plan, error) {
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	p := &Plan{Data: data, Settings: settings, Methods: slices.Clone(methods), K: ks, Splits: splits, options: options}
	switch {
	case len(data) == 0 || len(methods) == 0 || len(ks) == 0:
		return nil, fault.New(fault.Request, "name at least one of each", "%s, %s and %s of features to compare", count.Of(len(data), "data set"), count.Of(len(methods), "method"), count.Of(len(ks), "number"))
	case splits < 1 || splits > MaxSplits:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", MaxSplits), "splits = %d", splits)
	}
	if err := p.checkSeeds(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, d := range data {
		if err := d.Fits(settings); err != nil && d.Y != nil { // a listing's data have no rows
			return nil, err
		}
		if seen[d.Name] {
			return nil, fault.New(fault.Request, "give them different file names, or name each once", "two data sets are called %s", d.Name)
		}
		seen[d.Name] = true
		for _, k := range ks {
			if k < 1 {
				return nil, fault.New(fault.Request, "use k=1 or more", "k = %d", k)
			}
			if err := d.CheckK(k); err != nil {
				return nil, err
			}
		}
	}
	if err := p.ownFolds(); err != nil {
		return nil, err
	}
	if err := p.checkMethods(); err != nil {
		return nil, err
	}
	if err := p.resolve(options); err != nil {
		return nil, err
	}
	for i, m := range p.Methods {
		if own := m.program(); own != nil && own.Hash() == "" {
			if p.Methods[i].fitter, err = own.In(""); err != nil {
				return nil, err
			}
		}
	}
	return p, p.readFiles()
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

// checkMethods refuses methods of classes where the label is a quantity.
func (p *Plan) checkMethods() error {
	if !p.Settings.Regression() {
		return nil
	}
	for _, m := range p.Methods {
		if m.fitter != nil && !m.fitter.Entry().Regression {
			return fault.New(fault.Request, "leave it out; these take a quantity: "+strings.Join(takesQuantities(), ", "),
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

// checkSeeds refuses splits whose seeds are no numbers of 64 bits.
func (p *Plan) checkSeeds() error {
	if first := max(p.Settings.Seed, p.Settings.RowsSeed()); first > math.MaxInt64-int64(p.Splits) {
		return fault.New(fault.Request, "choose a smaller seed", "seed = %d and %s leave the range of seeds", first, count.Of(p.Splits, "split"))
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
			return fault.New(fault.Request, "name one of them", "%s and %s are the same, with these options", other, m.Name)
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
