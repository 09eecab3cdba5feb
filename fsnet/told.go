package fsnet

import (
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// At is the model for tables whose rows have these values of the column that was its nuisance, such as their sites: each row is scaled as
// the training rows of its site are, and one of a site that no training row had as all of them are. Without a nuisance it is the model
// itself.
func (m *Model) At(values []string) *Model {
	if m.sites == nil {
		return m
	}
	out := *m
	out.rows = make([]int, len(values))
	for i, value := range values {
		out.rows[i] = parse.Index(m.sites, value)
	}
	return &out
}

// Paired is the model for tables whose rows have these values of the column that said which rows are a pair (paired): from each row the
// mean of its pair is taken, as in the training. With nil the rows are such differences already, as [dataset.OpenColumns] gives them.
func (m *Model) Paired(values []string) *Model {
	out := *m
	out.paired, out.pairs = true, values
	return &out
}

// checkTold refuses rows of which nobody has said what the training knew of its rows.
func (m *Model) checkTold(rows int) error {
	if m.Settings.Pairs != "" && (!m.paired || m.pairs != nil && len(m.pairs) != rows) {
		return fault.New(fault.Request, "give the pair of each row: model.Paired(values)",
			"the model was trained on differences within pairs (%s), but %s came with %s of it", m.Settings.Pairs, count.Of(rows, "row"),
			count.Of(len(m.pairs), "value"))
	}
	if m.sites != nil && len(m.rows) != rows {
		return fault.New(fault.Request, "give the value of each row: model.At(values)",
			"the model was trained with a nuisance (%s), but %s came with %s of it", m.nuisance(), count.Of(rows, "row"), count.Of(len(m.rows), "value"))
	}
	return nil
}

// nuisance names it, by its column or some of its values.
func (m *Model) nuisance() string {
	if m.Settings.Nuisance != "" {
		return m.Settings.Nuisance
	}
	return strings.Join(m.sites[:min(3, len(m.sites))], ", ")
}
