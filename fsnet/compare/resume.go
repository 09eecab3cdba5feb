package compare

import (
	"fmt"
	"slices"

	"fsnetlab/fsnet/fault"
)

// Check refuses rows that are not of this plan, so that a comparison is not gone on with as another one: of other data, methods, K, splits
// or seeds, or made with other settings. The error is of kind Request and says what differs.
func (p *Plan) Check(rows []Row) error {
	cells := map[key]Row{}
	for _, c := range p.Cells() {
		cells[c.key()] = c
	}
	seen := map[key]bool{}
	features := map[string]map[string]bool{}
	for _, d := range p.Data {
		features[d.Name] = map[string]bool{}
		for _, name := range d.Features {
			features[d.Name][name] = true
		}
	}
	for _, row := range rows {
		what := fmt.Sprintf("%s, %s, k = %d, split %d", row.Dataset, row.Method, row.K, row.Split)
		cell, ok := cells[row.key()]
		repeated := map[string]bool{}
		switch {
		case !ok:
			return fault.New(fault.Request, "name another file, or ask for these rows too", "a row that is not asked for: %s", what)
		case seen[row.key()]:
			return fault.New(fault.Request, "take one of them out", "two rows of %s", what)
		case row.Seed != cell.Seed:
			return fault.New(fault.Request, fmt.Sprintf("name another file, or use --seed %d", row.Seed-int64(row.Split)), "a row of another seed, %d and not %d: %s", row.Seed, cell.Seed, what)
		case row.Settings != cell.Settings:
			return fault.New(fault.Request, "name another file, or the settings and data of then", "a row made with other settings or data: %s", what)
		case slices.ContainsFunc(row.Selected, func(name string) bool {
			again := repeated[name]
			repeated[name] = true
			return again || !features[row.Dataset][name]
		}):
			return fault.New(fault.Request, "name another file, or take the row out", "a row with features that are not there, or twice: %s", what)
		}
		seen[row.key()] = true
	}
	return nil
}
