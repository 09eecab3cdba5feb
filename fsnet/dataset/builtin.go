package dataset

import "fsnetlab/fsnet/dataset/builtin"

// Builtin describes a data set that is part of the program and needs no file and no network.
type Builtin = builtin.Set

// Builtins lists the built-in data sets.
func Builtins() []Builtin { return builtin.List() }

func openBuiltin(name string) (*Dataset, error) {
	c, err := builtin.Open(name)
	if err != nil {
		return nil, err
	}
	d := &Dataset{N: c.N, D: c.D, X: c.X, Y: c.Y, Features: c.Features, Classes: c.Classes}
	for _, b := range builtin.List() {
		if b.Name == name {
			d.Name, d.Source = name, "built in; "+b.About+"; "+b.Citation
		}
	}
	d.seal()
	return d, nil
}
