package dataset

import (
	"context"
	"path/filepath"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/builtin"
	"fsnetlab/fsnet/dataset/reading"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/internal/places"
)

// Columns are some columns of a data set, by name, as a model reads them that was trained on another one.
type Columns = reading.Columns

// OpenColumns reads these columns of the data that s.Data names, and neither needs nor looks at any others but the label's and the
// samples'. Label and samples are found as [Open] finds them, and may be missing; a label is compared as a class is, so that 1 and 1.0 are
// one. A name such as sex=f is also found in a covariate: the column sex of words. Where the settings have pairs or nuisance, their column
// must be there; the mean of each pair is taken out. Files that are no text tables are read by [Open], label and all.
//
// The error is of kind Request and names all columns that are missing, with what may have been meant.
func OpenColumns(ctx context.Context, names []string, s config.Settings, dir string) (*Columns, error) {
	s = s.WithoutDivision() // a donor that is not known here does not matter
	s.Missing = "mean"      // nor does what is missing elsewhere
	path := Locate(s.Data, dir)
	if _, isBuiltin := builtin.Named(s.Data); !isBuiltin {
		file, err := reading.OpenFile(path, s.Data, builtin.Names()...)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		f, err := reading.FormatOf(path, filepath.Ext(path), file)
		if err != nil {
			return nil, err
		}
		if f.IsTable() {
			c, err := reading.TableColumns(ctx, path, file, names, s)
			if err == nil && s.Pairs != "" {
				err = Differences(c.Rows, s.Pairs, c.Described[s.Pairs], func(i int) string { return path + ": " + reading.Place(c.Lines, i) })
			}
			return c, err
		}
	} else {
		s.Label = ""
	}
	s.Samples, s.Covariates = "", nil // they name columns of a table
	d, err := Open(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	c, err := d.take(ctx, names)
	if err == nil && d.Nuisance != nil {
		c.Described = map[string][]string{s.Nuisance: make([]string, d.N)}
		for i, g := range d.Nuisance.Of {
			c.Described[s.Nuisance][i] = d.Nuisance.Names[g]
		}
	}
	return c, err
}

// take is some columns by name.
func (d *Dataset) take(ctx context.Context, names []string) (*Columns, error) {
	c := &Columns{Name: d.Name, Rows: make([][]float64, d.N), Samples: d.Samples, Labels: make([]string, d.N)}
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = slices.Index(d.Features, name)
	}
	if err := reading.AllThere(d.where(), names, at, d.Features); err != nil {
		return nil, err
	}
	values, err := d.gather(ctx, places.All(d.N), at)
	if err != nil {
		return nil, err
	}
	for i := range d.N {
		if c.Labels[i] = d.Classes[d.Y[i]]; d.Target != nil {
			c.Labels[i] = word.Spell(d.Target[i])
		}
		for _, x := range values[i*len(at) : (i+1)*len(at)] {
			c.Rows[i] = append(c.Rows[i], float64(x))
		}
	}
	return c, nil
}
