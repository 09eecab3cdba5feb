package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

// MaxSplits is the most splits of a plan.
const MaxSplits = 100_000

// Plan is what is compared. New makes one.
type Plan struct {
	Data     []*dataset.Dataset
	Settings config.Settings // of FsNet, and of the splits and the scaling for all; its K is not used
	Methods  []Method
	K        []int
	Splits   int

	fingerprints []string // of Data
}

// New checks what is to be compared. It returns an error of kind Request where K is above the features of a data set, where two data sets
// have one name, and where there is nothing to compare.
func New(data []*dataset.Dataset, settings config.Settings, methods []Method, ks []int, splits int) (*Plan, error) {
	p := &Plan{Data: data, Settings: settings, Methods: methods, K: ks, Splits: splits}
	switch {
	case len(data) == 0 || len(methods) == 0 || len(ks) == 0:
		return nil, fault.New(fault.Request, "name one of each at least", "%d data sets, %d methods and %d numbers of features to compare", len(data), len(methods), len(ks))
	case splits < 1 || splits > MaxSplits:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", MaxSplits), "splits = %d", splits)
	case settings.Seed > math.MaxInt64-int64(splits):
		return nil, fault.New(fault.Request, "choose a smaller seed", "seed = %d and %d splits leave the range of seeds", settings.Seed, splits)
	}
	seen := map[string]bool{}
	for _, d := range data {
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
		p.fingerprints = append(p.fingerprints, fingerprint(settings, d))
	}
	return p, nil
}

// fingerprint is that of a data set and of all settings but K and the seed, which rows name themselves: rows with the same one can stand
// in one table.
func fingerprint(s config.Settings, d *dataset.Dataset) string {
	s.Data, s.K, s.Seed = "", 0, 0
	text, err := json.Marshal(s)
	if err != nil {
		panic("compare: settings that are not JSON: " + err.Error()) // they were checked when they were resolved
	}
	sum := sha256.Sum256(append(text, d.Hash...))
	return hex.EncodeToString(sum[:6])
}

// Cells lists the rows that the plan makes, without their figures and in their order: by data set, split, method and K. A method that uses
// every feature has one row a split.
func (p *Plan) Cells() []Row {
	var cells []Row
	for i, d := range p.Data {
		for split := range p.Splits {
			for _, m := range p.Methods {
				cell := Row{Dataset: d.Name, Method: m.Name, K: d.D, Split: split, Seed: p.Settings.Seed + int64(split), Settings: p.fingerprints[i]}
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
	return cells
}
