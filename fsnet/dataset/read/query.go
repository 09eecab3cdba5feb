package read

import (
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/suggest"
)

// query is what is asked of a file.
type query struct {
	config.Settings

	// panel are the features that a trained model needs; nil for a training, which takes all. With a panel a file needs no label, nor what
	// else the settings of the training name, and whatever is not asked for may be words.
	panel []string
	dense int64 // see [Format.DenseUpTo]
}

// predicts says that the rows are for a trained model.
func (q query) predicts() bool { return q.panel != nil }

// wants says whether a feature is asked for.
func (q query) wants(feature string) bool { return !q.predicts() || slices.Contains(q.panel, feature) }

// isLabel says whether a name is that of the label: the one asked for, else one of the usual ones that is no feature of the panel.
func (q query) isLabel(name string) bool {
	switch {
	case q.predicts() && q.wants(name):
		return false
	case q.Label == "":
		return parse.NamesLabel(name)
	}
	return name == q.Label
}

// found is how many features of the panel are among names, of which repeated ones are called as in a training.
func (q query) found(names []string) (n int) {
	names, _ = parse.Unique(names)
	for _, name := range names {
		if q.wants(name) {
			n++
		}
	}
	return n
}

// Pick is where the features of a panel stand among those of the reading, once these are called as in a training. It refuses a file that
// lacks some, and names them all.
func (r *Frame) Pick(panel []string, path string) ([]int, error) {
	if r.Features == nil {
		r.Features = parse.Numbered(r.Width)
	}
	r.Features, _ = parse.Unique(r.Features)
	at := make([]int, len(panel))
	var missing []string
	known := slices.DeleteFunc(slices.Concat(r.Features, r.Others), func(name string) bool { return slices.Contains(panel, name) })
	remedy := "add these columns, under these names"
	for i, name := range panel {
		if at[i] = slices.Index(r.Features, name); at[i] >= 0 {
			continue
		}
		missing = append(missing, name)
		if near := suggest.Nearest(name, known); near != "" && len(missing) == 1 {
			remedy += fmt.Sprintf("; is %s the column %s?", parse.Shorten(name), parse.Shorten(near))
		}
	}
	if len(missing) == 0 {
		return at, nil
	}
	return nil, fault.New(fault.Request, remedy, "%s has %d of %s and lacks %s", path, len(panel)-len(missing), count.Of(len(panel), "feature"), parse.Quoted(missing))
}
