package dataset

import (
	"fmt"
	"maps"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// describe takes what the columns that were asked for say of the rows: which belong together, and a split of the user's own. Rows of which
// it is not known are refused, or left out where missing rows are.
func (d *Dataset) describe(s config.Settings) (*Dataset, error) {
	own, err := config.ParseSplit(s.Split)
	if err != nil || len(s.RowColumns()) == 0 && own == (config.OwnSplit{}) {
		return d, err
	}
	out := *d
	if own.File != "" {
		texts, err := readSplitFile(Locate(own.File, d.dir), splitSamples{Names: d.Samples, Gone: d.gone, Data: d.where()},
			func(text string) bool { return partOf(text) >= 0 })
		if err != nil {
			return nil, err
		}
		if note := parse.Joined(texts); note != "" {
			out.Source += fmt.Sprintf("; %s: %s", own.File, note)
		}
		out.told = map[string][]string{}
		maps.Copy(out.told, d.told)
		out.told[s.Split] = texts // file:PATH, which is no column's name where groups may name one PATH
	}
	var keep []int
	for i := range out.N {
		missing := ""
		for _, c := range s.RowColumns() {
			if out.told[c.Column][i] == "" {
				missing = c.Column
			}
		}
		switch {
		case missing == "":
			keep = append(keep, i)
		case s.Missing != "drop":
			return nil, fault.New(fault.Request, "give it a value, or use missing=drop to leave such rows out",
				"%s, column %q: the value is missing", d.row(i), parse.Shorten(missing))
		}
	}
	if len(keep) == 0 {
		return nil, fault.New(fault.Request, "name another column",
			"%s: no row has a value in every column that was asked for", d.where())
	}
	if len(keep) < out.N {
		out = *out.only(keep)
	}
	if s.Groups != "" {
		out.Groups = newGroups(s.Groups, out.told[s.Groups])
	}
	if s.Nuisance != "" {
		if s.Pairs != "" {
			return nil, fault.New(fault.Request, "leave one of them out", "both paired = %s and nuisance = %s", s.Pairs, s.Nuisance)
		}
		out.Nuisance = newGroups(s.Nuisance, out.told[s.Nuisance])
	}
	if s.RowWeights != "" {
		if err := out.weigh(s.RowWeights, out.told[s.RowWeights]); err != nil {
			return nil, err
		}
	}
	if s.Pairs != "" {
		if err := out.pair(s); err != nil {
			return nil, err
		}
	}
	if own != (config.OwnSplit{}) {
		if err := out.divideBy(own, s); err != nil {
			return nil, err
		}
	}
	out.told = nil
	out.reseal()
	return &out, nil
}
