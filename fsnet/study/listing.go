package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Listing is a plan in the form of a file, with all its cells. With the listing
// and the data you can make any cell. To combine rows you need only the
// listing.
type Listing struct {
	Format string `json:"format"` // listingFormat
	Study  string `json:"study"`  // Comparison or Replication
	// Folder is where its file names start, relative to the folder of the
	// listing.
	Folder  string            `json:"folder"`
	Device  string            `json:"device"`  // kind of device
	Options map[string]string `json:"options"` // keys that were given
	Methods []string          `json:"methods"`
	K       []int             `json:"k"`
	Splits  int               `json:"splits"`
	Folds   int               `json:"folds,omitempty"` // folds of cross-validation
	Divided string            `json:"divided"`         // how the rows are divided, for people
	Data    []Source          `json:"data"`

	Programs map[string]string `json:"programs,omitempty"`  // hashes of the user's programs by method
	OneSplit bool              `json:"one_split,omitempty"` // all trainings share one split

	Cells []Cell `json:"cells"`
}

// listingFormat rises when other versions of the program could not read, or
// would misread, the listings of this one.
const listingFormat = "fsnet plan 1"

// The studies that have plans, named like their commands.
const (
	Comparison  = "compare"
	Replication = "replicas"
)

// Study returns the study that the plan belongs to.
func (p *Plan) Study() string {
	if p.Fits {
		return Replication
	}
	return Comparison
}

// Source is a data set of a listing.
type Source struct {
	File    string   `json:"file"` // path, or the name of a built-in data set
	Name    string   `json:"name"`
	N       int      `json:"n"`
	D       int      `json:"d"`
	Classes []string `json:"classes"`
	Hash    string   `json:"hash"`
	Test    float64  `json:"test_fraction"`     // share of the rows that a split tests on
	Ratio   float64  `json:"test_per_training"` // test rows per row that methods are fitted to
	Units   int      `json:"units,omitempty"`   // groups or pairs of its rows, if they belong together
	// Memory is the largest number of bytes that making a row takes, see
	// Plan.Memory.
	Memory int64 `json:"memory"`

	// Files holds, by method, the hashes of the files that its settings name.
	Files map[string]dataset.ConstraintFiles `json:"files,omitempty"`
}

// Cell identifies a row that the plan makes.
type Cell struct {
	ID string `json:"id"`
	Identity
}

// List returns the plan as a listing for a kind of device. If the plan is
// narrowed, the listing still has all its cells. files holds the paths of
// its data sets, in the order of the plan, relative to folder.
func (p *Plan) List(kind string, files []string, folder string) *Listing {
	l := &Listing{
		// Data and k are listed in other fields, and the backend is the kind.
		Format: listingFormat, Study: p.Study(), Folder: folder, Device: kind, Options: p.options.Texts("backend", "data", "k"), K: p.K,
		Splits: p.Splits, Folds: p.Folds, Divided: p.Divided(), OneSplit: p.OneSplit(), Cells: p.cellList(kind),
	}

	for _, m := range p.Methods {
		l.Methods = append(l.Methods, m.text())
		if own := m.program(); own != nil {
			if l.Programs == nil {
				l.Programs = map[string]string{}
			}
			l.Programs[m.Name] = own.Hash()
		}
	}

	for i, d := range p.Data {
		l.Data = append(l.Data, Source{
			File: files[i], Name: d.Name, N: d.N, D: d.D, Classes: d.Classes, Hash: d.Hash, Test: p.TestFraction(d),
			Ratio: p.testPerTraining(d), Units: p.units(d), Memory: p.Memory(d, kind), Files: p.files[d.Name],
		})
	}
	return l
}

// cellList returns all cells of the plan with their IDs on a kind of device,
// in the order of Cells.
func (p *Plan) cellList(kind string) []Cell {
	var cells []Cell
	for _, c := range p.Cells() {
		c.Device = kind
		cells = append(cells, Cell{c.ID(), c.Identity})
	}
	return cells
}

// JSON returns the listing with one cell per line.
func (l *Listing) JSON() ([]byte, error) {
	head, lines := *l, make([]string, len(l.Cells))
	head.Cells = []Cell{}
	text, err := json.MarshalIndent(head, "", "  ")
	for i, cell := range l.Cells {
		line, lineErr := json.Marshal(cell)
		lines[i], err = "\n    "+string(line), cmp.Or(err, lineErr)
	}
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "", "the plan is not JSON")
	}
	return []byte(strings.TrimSuffix(string(text), "]\n}") + strings.Join(lines, ",") + "\n  ]\n}\n"), nil
}

// replan returns the remedy for a plan that cannot be used.
func replan(study string) string { return "recreate the plan: fsnet " + study + " plan" }

// ReadListing parses a listing of a study. Its errors are of kind Request
// and say what is wrong with the text.
func ReadListing(text []byte, study string) (*Listing, error) {
	l := new(Listing)
	if err := json.Unmarshal(text, l); err != nil {
		return nil, errs.Wrap(err, errs.Request, replan(study), "not a plan of fsnet %s", study)
	}
	switch {
	case l.Format != listingFormat && strings.HasPrefix(l.Format, "fsnet plan "):
		return nil, errs.New(errs.Request, replan(study), "a plan of another fsnet: its format is %.40q, but this program's is %q", l.Format, listingFormat)
	case l.Format != listingFormat || l.Study != Comparison && l.Study != Replication:
		return nil, errs.New(errs.Request, replan(study), "not a plan of fsnet %s", study)
	case l.Study != study:
		return nil, errs.New(errs.Request, fmt.Sprintf("use fsnet %s run, or fsnet %[1]s merge", l.Study), "a plan of fsnet %s, not of fsnet %s",
			l.Study, study)
	case len(l.Data) == 0 || len(l.K) == 0 || l.Study == Replication && (len(l.Data) > 1 || len(l.K) > 1):
		return nil, errs.New(errs.Request, replan(study), "its data or its k are not those of fsnet %s", study)
	}
	for i, c := range l.Cells {
		if c.ID != c.Identity.ID() {
			return nil, errs.New(errs.Request, replan(study), "its cell %d, %s, does not match its id %.20q: one of them has been changed", i+1,
				c.place(), c.ID)
		}
	}
	return l, nil
}

// Config returns the options that the plan was made with. Its backend is the
// kind of device of the listing.
func (l *Listing) Config() (config.Config, error) {
	c, err := config.FromTexts(l.Options)
	if err != nil {
		return c, err
	}
	return c, c.Set("backend", l.Device)
}

// Plan rebuilds the plan with the data sets that it names. The paths of
// programs start in directory. If data is nil, you can merge with the plan,
// but it makes no rows. If these data, programs, files or this version of
// FsNet lead to other cells than those listed, the error is of kind Request
// and says which.
func (l *Listing) Plan(data []*dataset.Dataset, directory string) (*Plan, error) {
	options, err := l.Config()
	if err != nil {
		return nil, err
	}
	if l.Study == Replication {
		options.K = l.K[0]
	}

	var methods []Method
	for _, name := range l.Methods {
		m, err := Methods(name)
		if err != nil {
			return nil, err
		}
		methods = append(methods, m...)
	}

	empty := data == nil

	for i, m := range methods {
		switch own := m.program(); {
		case own == nil:
		case empty:
			methods[i].fitter = own.As(l.Programs[m.Name])
		default:
			if methods[i].fitter, err = own.In(directory); err != nil {
				return nil, err
			}
		}
	}

	if empty {
		for _, s := range l.Data {
			data = append(data, &dataset.Dataset{Name: s.Name, N: s.N, D: s.D, Classes: s.Classes, Hash: s.Hash})
		}
	}

	p := &Plan{Data: data, Methods: methods, K: l.K, Splits: l.Splits, Fits: l.Study == Replication, options: options}
	err = p.check()
	switch {
	case err != nil:
	case empty:
		p.Folds, p.listing = l.Folds, l
		for _, source := range l.Data {
			p.files[source.Name] = source.Files
		}
	case l.Folds > 0:
		err = p.Fold(l.Folds, l.Splits/l.Folds)
	}
	if err != nil {
		return nil, err
	}

	now := p.cellList(l.Device)
	cells := make(map[cellKey]Identity, len(now))
	for _, c := range now {
		cells[c.key()] = c.Identity
	}

	for i, c := range l.Cells {
		if is, ok := cells[c.key()]; ok && is != c.Identity {
			what, _ := c.differs(is)
			return nil, errs.New(errs.Request, replan(l.Study), "its cells are %s; the first: %s", what, c.place())
		}
		if i >= len(now) || now[i].key() != c.key() {
			return nil, errs.New(errs.Request, replan(l.Study), "its cell %d, %s, does not follow from its data, methods, k and splits", i+1, c.place())
		}
	}

	if len(l.Cells) != len(now) {
		return nil, errs.New(errs.Request, replan(l.Study),
			"it lists %s, but its data, methods, k and splits come to %d", phrase.Count(len(l.Cells), "cell"), len(now))
	}
	return p, nil
}
