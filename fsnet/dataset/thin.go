package dataset

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/rng"
)

// thinned leaves s.RowsPerClass training rows of a class at the most, drawn by s.RowsSeed(): like the split, whatever the classes are
// called.
func (p Parts) thinned(y []int, s config.Settings) Parts {
	if s.RowsPerClass == 0 {
		return p
	}
	class, sizes := byAppearance(y)
	members := make([][]int, len(sizes))
	for _, row := range p.Train {
		members[class[row]] = append(members[class[row]], row)
	}
	var train []int
	left := slices.Clone(p.Left)
	for c, list := range members {
		if len(list) > s.RowsPerClass {
			order := rng.New(s.RowsSeed(), "rows per class", uint64(c)).Perm(len(list))
			drawn := make([]int, len(list))
			for i, at := range order {
				drawn[i] = list[at]
			}
			list, left = drawn[:s.RowsPerClass], append(left, drawn[s.RowsPerClass:]...)
		}
		train = append(train, list...)
	}
	slices.Sort(train)
	slices.Sort(left)
	p.Train, p.Left = train, left
	return p
}
