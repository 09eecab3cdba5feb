package study

import (
	"math"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// PlantedStudy is methods on planted data sets.
type PlantedStudy struct {
	Plan    *Plan // one split of each planted data set
	Kinds   []string
	Repeats int
	truths  map[string]Truth // by data set
	columns map[string]int   // by feature name
}

// NewPlanted plants every kind so often on a data set. What o says besides kind and repeat holds for all. Methods fit the training rows of the
// split that the options of a training ask for. The errors are those of Plant and of compare.New; keys that name columns of the rows are
// refused, since planted data have none.
func NewPlanted(d *dataset.Dataset, kinds []string, repeats int, o PlantOptions, options config.Config, methods []Method,
	ks []int) (*PlantedStudy, error) {
	if len(kinds) == 0 || repeats < 1 {
		return nil, fault.New(fault.Request, "give at least one kind and one repeat", "%s, %s", count.Of(len(kinds), "kind"), count.Of(repeats, "repeat"))
	}
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	if columns := settings.RowColumns(); len(columns) > 0 {
		return nil, fault.New(fault.Request, "leave "+columns[0].Key+" out: each row is planted by itself",
			"%s = %s, but planted data have no such column", columns[0].Key, columns[0].Column)
	}
	s := &PlantedStudy{Kinds: kinds, Repeats: repeats, truths: map[string]Truth{}, columns: map[string]int{}}
	for j, name := range d.Features {
		s.columns[name] = j
	}
	var sets []*dataset.Dataset
	for i, kind := range kinds {
		if slices.Contains(kinds[:i], kind) {
			return nil, fault.New(fault.Request, "name it once", "kind = %s is named twice", kind)
		}
		for r := range repeats {
			o.Kind, o.Repeat = kind, r
			set, truth, err := Plant(d, o)
			if err != nil {
				return nil, err
			}
			sets, s.truths[set.Name] = append(sets, set), truth
		}
	}
	s.Plan, err = New(sets, options, methods, ks, 1)
	return s, err
}

// PlantedTable is what the methods found of one kind, with one K.
type PlantedTable struct {
	Kind    string         `json:"kind"`    // what the classes come from
	K       int            `json:"k"`       // features to select
	Entries []PlantedEntry `json:"methods"` // those that select, in the order of the plan
}

// PlantedEntry is a method's mean figures over the repeats that have a row without an error.
type PlantedEntry struct {
	Method      string  `json:"method"`       // name of the method, with its settings
	Repeats     int     `json:"repeats"`      // those with figures
	Mean        Figures `json:"mean"`         // of the figures over the repeats
	SD          Figures `json:"sd"`           // standard deviation of the figures, divided by R − 1; 0 of one repeat
	AccuracySVM float64 `json:"accuracy_svm"` // mean accuracy of a support vector machine on the selected features, test rows
	Seconds     float64 `json:"seconds"`      // that a fit took, on average
}

// Summarize puts rows of the plan together.
func (s *PlantedStudy) Summarize(rows []Row) []PlantedTable {
	var tables []PlantedTable
	for _, kind := range s.Kinds {
		for _, k := range s.Plan.K {
			t := PlantedTable{Kind: kind, K: k}
			for _, m := range s.Plan.Methods {
				if !m.Selects {
					continue
				}
				e := PlantedEntry{Method: m.Name}
				var all []Figures
				for _, row := range rows {
					if kindOf(row.Dataset) != kind || row.K != k || row.Method != m.Name || row.Error != "" {
						continue
					}
					var list []int
					for _, name := range row.Selected {
						list = append(list, s.columns[name])
					}
					all = append(all, s.truths[row.Dataset].Judge(list))
					e.AccuracySVM += *row.AccuracySVM
					e.Seconds += row.Seconds
				}
				if e.Repeats = len(all); e.Repeats > 0 {
					e.AccuracySVM /= float64(e.Repeats)
					e.Seconds /= float64(e.Repeats)
				}
				e.Mean, e.SD = figuresSpread(all)
				t.Entries = append(t.Entries, e)
			}
			tables = append(tables, t)
		}
	}
	return tables
}

// figuresSpread is mean and standard deviation of each figure.
func figuresSpread(all []Figures) (mean, sd Figures) {
	for _, field := range []func(*Figures) *float64{
		func(f *Figures) *float64 { return &f.Power }, func(f *Figures) *float64 { return &f.FDR },
		func(f *Figures) *float64 { return &f.AUPRC }, func(f *Figures) *float64 { return &f.PowerAlike },
		func(f *Figures) *float64 { return &f.FDRAlike }, func(f *Figures) *float64 { return &f.AUPRCAlike },
	} {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = *field(&all[i])
		}
		if s := spreadOf(values, math.NaN()); s != nil {
			*field(&mean), *field(&sd) = s.Mean, s.SD
		}
	}
	return mean, sd
}
