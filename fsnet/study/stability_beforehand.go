package study

import (
	"fmt"
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/namelist"
)

// tell gives settings what is known of the features beforehand under the names that places have in the table. A decoy is never chosen where
// its column is not, and costs the same, so that it has the chances of a column that says nothing; it must not be chosen, and is in no
// group.
func (s *halfSample) tell(settings *config.Settings) {
	if s.known == nil {
		return
	}
	var must, never, cost, groups []string
	places := map[int]string{} // of columns of the file
	for place, name := range s.table.Features {
		own := place
		if place >= s.real() {
			own -= s.real()
		}
		column, _ := s.name(own)
		if s.known.Never[column] {
			never = append(never, name)
		}
		if c, ok := s.known.Cost[column]; ok {
			cost = append(cost, name+":"+strconv.FormatFloat(c, 'g', -1, 64))
		}
		if place != own {
			continue
		}
		places[column] = name
		if g := s.known.Group[column]; g > 0 {
			groups = append(groups, fmt.Sprintf("%s:%d", name, g))
		}
	}
	for _, column := range s.known.Must {
		if name, there := places[column]; there {
			must = append(must, name)
		}
	}
	settings.Must, settings.Never, settings.Cost, settings.FeatureGroups = must, never, namelist.Join(cost), namelist.Join(groups)
}
