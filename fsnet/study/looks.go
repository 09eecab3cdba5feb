package study

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/dataset"
)

// LookOf returns what a row of a plan looked at: a hash of the test rows of
// its split ([dataset.Dataset.RowsHash]), and a text that tells its settings
// from others. Another seed is no other setting. A training of FsNet has the
// text of a session with its settings.
func (p *Plan) LookOf(row Row) (rows, settings string, err error) {
	shared := p.Settings
	p.setSeeds(&shared, row)
	data := p.data(row)
	parts, err := dataset.Split(data, shared)
	if err != nil {
		return "", "", err
	}
	rows = data.RowsHash(parts.Test)
	if m := p.method(row.Method); m.fitter == nil && !m.nested {
		own := p.cellSettings(m, row).ForData(len(parts.Train)).Paced(len(parts.Train), len(parts.Test))
		return rows, own.LookID(), nil
	}
	settings = fmt.Sprintf("%s, K = %d, %s", row.Method, row.K, row.Settings)
	return rows, strings.TrimSuffix(settings, ", "), nil
}
