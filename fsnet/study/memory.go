package study

import (
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
)

// Memory is how many bytes of a machine's memory making the rows of a data set takes at the most: the program and the data, a split of them
// prepared for all methods, and the method that needs most, or the judge that does. It is a sum of what
// [engine.PlanMemory] and [baseline.Method] say.
func (p *Plan) Memory(d *dataset.Dataset, kind string) int64 {
	if p.Fits {
		return engine.PlanMemory(d, p.at(p.Methods[0], Row{Identity: Identity{K: p.K[0], Seed: p.Settings.Seed}}), kind).Host
	}
	settings := p.Settings
	settings.K = slices.Max(p.K)
	split := p.First(d)
	training := engine.PlanMemory(split, settings, kind)
	held := training.Host - training.ToCome() // the program and the data as read
	rows := d.N - split.TestRows(settings.TestFraction)
	sizes := baseline.Sizes{Rows: rows, Features: d.D, Classes: len(d.Classes), K: settings.K}
	most := uses(p.judge(), baseline.Sizes{Rows: rows, Features: settings.K, Classes: len(d.Classes)})
	for _, m := range p.Methods {
		if m.fitter != nil {
			most = max(most, uses(m.fitter, sizes))
			continue
		}
		own := m.settings
		own.K = max(settings.K, m.most)
		most = max(most, engine.PlanMemory(split, own, kind).ToCome())
	}
	const scaled, divided = 4, 8 // bytes of a value: of all rows, and of those of the training and the test rows
	return held + baseline.Bytes(d.N, d.D, scaled+divided) + most
}

func uses(m baseline.Method, s baseline.Sizes) (bytes int64) {
	for _, u := range m.Memory(s) {
		bytes += u.Bytes
	}
	return bytes
}
