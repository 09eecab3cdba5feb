package study

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// The look of a row has the hash of the test rows of its own split, in
// whatever order the rows of a plan come.
func TestPlan_LookOfEachSplit(t *testing.T) {
	methods, err := Methods(FsNet + ",anova")
	if err != nil {
		t.Fatal(err)
	}
	data := planted(t)
	for name, options := range map[string]config.Config{"seeds": {Seed: 4}, "split_seed": {Seed: 4, SplitSeed: new(int64(9))}} {
		p, err := New([]*dataset.Dataset{data}, options, methods, []int{2}, 3)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]string{}
		for range 2 {
			for _, cell := range p.Cells() {
				rows, _, err := p.LookOf(cell)
				if err != nil {
					t.Fatal(err)
				}
				shared := p.Settings
				p.setSeeds(&shared, cell)
				parts, err := dataset.Split(p.dataOf(cell), shared)
				if err != nil {
					t.Fatal(err)
				}
				if want := data.RowsHash(parts.Test); rows != want || seen[cell.Split] != "" && seen[cell.Split] != rows {
					t.Errorf("%s: the look of %s on split %d is %.8s, want %.8s", name, cell.Method, cell.Split, rows, want)
				}
				seen[cell.Split] = rows
			}
		}
		if len(seen) != 3 || seen[0] == seen[1] || seen[1] == seen[2] {
			t.Errorf("%s: %v", name, seen)
		}
	}
}
