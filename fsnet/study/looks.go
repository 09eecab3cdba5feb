package study

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/dataset"
)

// LookOf returns what making a row looks at: a hash of the test rows of its
// split ([dataset.Dataset.RowsHash]), and a text that distinguishes its
// settings from others. The text of a training of FsNet equals that of a
// session with the same settings.
func (p *Plan) LookOf(row Row) (rows, settings string, err error) {
	shared := p.Settings
	p.setSeeds(&shared, row)
	data := p.dataOf(row)
	parts, err := dataset.Split(data, shared)
	if err != nil {
		return "", "", err
	}
	rows = data.RowsHash(parts.Test)
	if m := p.method(row.Method); m.fitter == nil && !m.nested {
		own := p.cellSettings(m, row).ForData(len(parts.Train)).Paced(len(parts.Train), len(parts.Test))
		return rows, own.ID(), nil
	}
	settings = fmt.Sprintf("%s, K = %d, seed %d, %s", row.Method, row.K, row.Seed, row.Settings)
	return rows, strings.TrimSuffix(settings, ", "), nil
}
