package study

import (
	"fmt"
	"strings"
	"sync"

	"fsnetlab/fsnet/dataset"
)

// splitLooks holds what the splits of a plan look at, so that the rows of a
// split share it.
type splitLooks struct {
	mu   sync.Mutex
	seen map[splitKey]splitLook
}

// splitKey identifies a split of a plan.
type splitKey struct {
	data  string
	split int
	seed  int64 // divides the rows
}

// splitLook is the hash of the test rows of a split, and its numbers of rows.
type splitLook struct {
	rows        string
	train, test int
}

// get returns the look of a split. It calls divide if the split is new.
func (l *splitLooks) get(key splitKey, divide func() (splitLook, error)) (splitLook, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if look, ok := l.seen[key]; ok {
		return look, nil
	}

	look, err := divide()
	if err != nil {
		return look, err
	}
	if l.seen == nil {
		l.seen = map[splitKey]splitLook{}
	}
	l.seen[key] = look
	return look, nil
}

// LookOf returns what making a row looks at: a hash of the test rows of its
// split ([dataset.Dataset.RowsHash]), and a text that distinguishes its
// settings from others. Another seed is no other setting. The text of a
// training of FsNet equals that of a session with the same settings.
func (p *Plan) LookOf(row Row) (rows, settings string, err error) {
	shared := p.Settings
	p.setSeeds(&shared, row)
	look, err := p.looks.get(splitKey{row.Dataset, row.Split, shared.RowsSeed()}, func() (l splitLook, err error) {
		data := p.dataOf(row)
		parts, err := dataset.Split(data, shared)
		if err != nil {
			return l, err
		}
		return splitLook{data.RowsHash(parts.Test), len(parts.Train), len(parts.Test)}, nil
	})
	if err != nil {
		return "", "", err
	}

	if m := p.method(row.Method); m.fitter == nil && !m.nested {
		return look.rows, p.cellSettings(m, row).ForData(look.train).Paced(look.train, look.test).LookID(), nil
	}
	settings = fmt.Sprintf("%s, K = %d, %s", row.Method, row.K, row.Settings)
	return look.rows, strings.TrimSuffix(settings, ", "), nil
}
