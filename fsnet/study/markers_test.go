package study

import (
	"os"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/tests/kit/devicetest"
	"fsnetlab/tests/kit/markers"
)

// behindOthers limits how far the default may be behind the better of ANOVA and
// forward-ridge, as a share of the markers over all seeds. One missed marker is
// always allowed.
const behindOthers = .1

// knownBehind returns what is allowed instead where version 12 of the method is
// known to fall short: weak markers that add up, of which the network needs
// fewer than there are. docs/lab/markers.md has the figures.
func knownBehind(table string) float64 {
	return map[string]float64{"ten": .3, "sum3": .2}[table]
}

// The default finds the markers of made tables: a lone marker of either sign,
// two that tell only as a pair, and complementary ones hardly less often than
// others find them. It draws every third table once. FSNET_TEST_ALL draws all
// of them with ten seeds and compares shares alone.
func TestFsNet_FindsMarkers(t *testing.T) {
	devices := devicetest.All(t)
	seeds, all := 1, os.Getenv("FSNET_TEST_ALL") != ""
	if all {
		seeds = 10
	}
	methods := must(Methods("fsnet,anova,forward-ridge"))
	sum, others, tables := 0.0, 0.0, 0.0
	for i, name := range markers.All() {
		table, _ := markers.New(name, 0)
		if !all && (i%3 != 0 || table.Group == markers.Hard || len(table.X) > 300_000) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			found := map[string]float64{}
			for seed := range int64(seeds) {
				table, _ := markers.New(name, seed+1)
				options := config.Config{Seed: seed + 1, Missing: "mean"}
				if table.Target != nil {
					options.Task = config.Regression
				}
				plan := must(New([]*dataset.Dataset{must(table.Dataset())}, options, methods, []int{table.K}, 1))
				for _, row := range must(plan.Run(t.Context(), devices[0], nil, nil)) {
					share := table.Found(row.Selected)
					if found[row.Method] += share / float64(seeds); row.Method == FsNet && share < 1 && !all &&
						(table.Group == markers.Lone || table.Group == markers.Pairs) {
						t.Errorf("seed %d: %s is not among %v", seed+1, table.What, row.Selected)
					}
				}
			}
			best := max(found["anova"], found["forward-ridge"])
			sum, others, tables = sum+found[FsNet], others+best, tables+1
			if may := max(behindOthers, knownBehind(name), 1/float64(seeds*min(table.K, len(table.Markers)))); found[FsNet] < best-may-1e-9 {
				t.Errorf("the default finds %.2f of the markers, others %.2f: %s", found[FsNet], best, table.What)
			}
		})
	}
	t.Logf("of %g tables' markers the default finds %.2f, the better of the others %.2f", tables, sum/tables, others/tables)
}
