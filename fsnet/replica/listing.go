package replica

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/count"
	"fsnetlab/internal/listed"
)

// Identity is all that a replica's result is a function of: replicas of one identity come to the same bits, wherever they are trained.
type Identity struct {
	Dataset  string `json:"dataset"`
	Data     string `json:"data"` // first twelve digits of the data set's hash
	K        int    `json:"k"`
	Seed     int64  `json:"seed"`
	Settings string `json:"settings"` // keys, as key=value with semicolons between, that are not what the protocol has
	Version  int    `json:"version"`  // of FsNet: method.Version
	Results  int    `json:"results"`  // resultsVersion
	Device   string `json:"device"`   // kind of device: xla:cpu · xla:cuda · go
}

// resultsVersion goes up when what is read off a training changes: how rows are divided and scaled, and figures computed.
const resultsVersion = 1

// ID names a replica.
func (i Identity) ID() string { return listed.ID(i) }

// Cell is a replica that is to be trained.
type Cell struct {
	ID string `json:"id"`
	Identity
}

// Listing is a plan as a file: the settings, and every replica. Whoever has it and the data trains any of them, and whoever has it and
// their rows puts them together.
type Listing struct {
	Format   string            `json:"format"`  // listingFormat
	Folder   string            `json:"folder"`  // where the names of files in it begin, relative to its own
	Device   string            `json:"device"`  // kind of device
	Options  map[string]string `json:"options"` // keys that were given
	Replicas int               `json:"replicas"`
	Data     Source            `json:"data"`
	Memory   int64             `json:"memory"`            // bytes that training one takes at the most
	Seconds  float64           `json:"seconds,omitempty"` // foretold for training one, where somebody asked
	Cells    []Cell            `json:"cells"`             // by seed
}

// listingFormat goes up when a program of before could not read the listings of today, or would take them for others.
const listingFormat = "fsnet replicas 1"

// Source is the data set of a listing.
type Source struct {
	File string `json:"file"` // or the name of a built-in one
	Name string `json:"name"`
	N    int    `json:"n"`
	D    int    `json:"d"`
	Hash string `json:"hash"`

	Files dataset.ConstraintFiles `json:"files,omitempty"` // hashes of the files that settings name, which lie beside the data
}

// List writes down a plan of replicas of a data set, for a kind of device. The name of the data set's file belongs to the folder.
func List(data *dataset.Dataset, options config.Config, replicas int, kind, folder string) (*Listing, error) {
	l := &Listing{
		Format: listingFormat, Folder: folder, Device: kind, Replicas: replicas,
		Options: options.Texts("backend", "data"), // the listing says these two
		Data:    Source{File: options.Data, Name: data.Name, N: data.N, D: data.D, Hash: data.Hash},
	}
	plan, err := l.plan()
	if err != nil {
		return nil, err
	}
	if err := data.CheckK(plan.Settings.K); err != nil {
		return nil, err
	}
	if l.Data.Files, err = dataset.ConstraintFilesOf(plan.Settings, data.Dir()); err != nil {
		return nil, err
	}
	memory := engine.PlanMemory(data, plan.Settings, kind)
	l.Memory, l.Cells = memory.Host, l.cells(plan)
	return l, nil
}

// plan is what the head of a listing comes to.
func (l *Listing) plan() (Plan, error) {
	options, err := config.FromTexts(l.Options)
	if err != nil {
		return Plan{}, err
	}
	options.Data = l.Data.File
	if err := options.Set("backend", l.Device); err != nil {
		return Plan{}, err
	}
	settings, err := options.Resolve()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Settings: settings, Replicas: l.Replicas, DataHash: l.Data.Hash, Files: l.Data.Files}
	return p, p.Check()
}

// cells are the replicas of a plan, by seed.
func (l *Listing) cells(p Plan) []Cell {
	settings := strings.TrimPrefix(strings.Join(append([]string{unusual(p.Settings)}, l.Data.Files.Marks()...), ";"), ";")
	identity := Identity{
		Dataset: l.Data.Name, Data: l.Data.Hash[:min(12, len(l.Data.Hash))], K: p.Settings.K, Settings: settings,
		Version: method.Version, Results: resultsVersion, Device: l.Device,
	}
	list := make([]Cell, p.Replicas)
	for r := range list {
		identity.Seed = p.Seed(r)
		list[r] = Cell{identity.ID(), identity}
	}
	return list
}

// unusual are the keys of settings that are not what the protocol has, but for those that an identity has beside them.
func unusual(s config.Settings) string {
	var list []string
	for _, key := range config.Keys() {
		if slices.Contains([]string{"data", "k", "seed", "backend"}, key.Name) || key.Session {
			continue
		}
		value, standard := s.Text(key.Name), key.Default(s.Protocol)
		switch {
		case key.Name == "protocol":
			standard = config.FsNet
		case key.Name == "split_seed" && s.SplitSeed == nil: // it is that of each replica
			continue
		}
		if value != standard {
			list = append(list, key.Name+"="+strings.NewReplacer(`\`, `\\`, ";", `\;`).Replace(value))
		}
	}
	return strings.Join(list, ";")
}

// values are settings as unusual writes them, by key; of a value in which a semicolon stands only what is before it.
func values(settings string) map[string]string {
	by := map[string]string{}
	for pair := range strings.SplitSeq(settings, ";") {
		key, value, _ := strings.Cut(pair, "=")
		by[key] = value
	}
	return by
}

// JSON is the listing with a cell a line.
func (l *Listing) JSON() ([]byte, error) {
	head := *l
	head.Cells = []Cell{}
	text, err := listed.JSON(head, l.Cells)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "", "the plan is not JSON")
	}
	return text, nil
}

const planAgain = "make the plan again: fsnet replicas plan"

// ReadListing reads what JSON wrote, and is its plan, whose directory the caller sets. Where this program comes to other replicas than
// those that are listed the error, of kind Request, says which.
func ReadListing(text []byte) (*Listing, Plan, error) {
	l := new(Listing)
	if err := json.Unmarshal(text, l); err != nil {
		return nil, Plan{}, fault.Wrap(err, fault.Request, planAgain, "not a plan of fsnet replicas")
	}
	switch {
	case l.Format == listingFormat:
	case strings.HasPrefix(l.Format, "fsnet replicas "):
		return nil, Plan{}, fault.New(fault.Request, planAgain, "a plan of another fsnet: its format is %.40q, but this program's is %q",
			l.Format, listingFormat)
	case strings.HasPrefix(l.Format, "fsnet plan "):
		return nil, Plan{}, fault.New(fault.Request, "use fsnet compare run, or fsnet compare merge", "a plan of fsnet compare, not of replicas")
	default:
		return nil, Plan{}, fault.New(fault.Request, planAgain, "not a plan of fsnet replicas")
	}
	plan, err := l.plan()
	if err != nil {
		return nil, Plan{}, err
	}
	now := l.cells(plan)
	for i, c := range l.Cells {
		switch {
		case c.ID != c.Identity.ID():
			return nil, Plan{}, fault.New(fault.Request, planAgain, "its replica %d, seed %d, does not match its id %.20q: one of them was changed",
				i+1, c.Seed, c.ID)
		case i >= len(now):
		case c != now[i]:
			return nil, Plan{}, fault.New(fault.Request, planAgain, "its replicas are %s; the first: seed %d", c.differs(now[i].Identity), c.Seed)
		}
	}
	if len(l.Cells) != len(now) {
		return nil, Plan{}, fault.New(fault.Request, planAgain, "it lists %s but says that there are %d", count.Of(len(l.Cells), "replica"), len(now))
	}
	return l, plan, nil
}

// differs says what the first difference is between what was trained, or listed, and what would be now.
func (i Identity) differs(now Identity) string {
	switch {
	case i.Data != now.Data || i.Dataset != now.Dataset:
		return fmt.Sprintf("of other data, %s of hash %s and not %s of hash %s", i.Dataset, i.Data, now.Dataset, now.Data)
	case i.K != now.K:
		return fmt.Sprintf("of another K, %d and not %d", i.K, now.K)
	case i.Settings != now.Settings && dataset.MarksDiffer(values(i.Settings), values(now.Settings)) != "":
		return dataset.MarksDiffer(values(i.Settings), values(now.Settings))
	case i.Settings != now.Settings:
		return fmt.Sprintf("of other settings, %q and not %q", i.Settings, now.Settings)
	case i.Version != now.Version:
		return fmt.Sprintf("of version %d of FsNet, which is now at version %d and may give other figures", i.Version, now.Version)
	case i.Results != now.Results:
		return fmt.Sprintf("of version %d of splits, scaling and figures, which are at version %d", i.Results, now.Results)
	case i.Device != now.Device:
		return fmt.Sprintf("trained on %s, and the plan is for %s", i.Device, now.Device)
	}
	return fmt.Sprintf("of seed %d, and not %d", i.Seed, now.Seed)
}

// Part is part i of n, from 1, of the replicas, as [Plan.Only] has them: replicas that follow one another. Each is in one part.
func (l *Listing) Part(i, n int) ([]int, error) {
	from, to, ok := listed.Part(i, n, l.Replicas)
	if !ok {
		return nil, fault.New(fault.Request, "write --part i/N with i from 1 to N, as in --part 3/20, and N up to 1000000", "part %d/%d", i, n)
	}
	list := []int{}
	for r := from; r < to; r++ {
		list = append(list, r)
	}
	return list, nil
}

// Choose are the replicas of these ids, as [Plan.Only] has them.
func (l *Listing) Choose(ids []string) ([]int, error) {
	list := []int{}
	for _, id := range ids {
		at := slices.IndexFunc(l.Cells, func(c Cell) bool { return c.ID == strings.ToLower(strings.TrimSpace(id)) })
		if at < 0 {
			return nil, fault.New(fault.NotFound, "the plan lists its replicas with their ids", "the plan has no replica %.40q", id)
		}
		if !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list, nil
}
