package reading

import "fsnetlab/fsnet/dataset/word"

// number reads a number of the table.
func (t *table) number(text string) (float64, bool) { return t.decimals.Number(text, t.line) }

// settleDecimals refuses a table that mixes commas and points, and writes labels, covariates and names of rows that are numbers with
// points, as features are.
func (t *table) settleDecimals(r *Reading, covariates []covariate) error {
	commas, points, err := t.decimals.Settle(t.path)
	if err != nil || points {
		return err
	}
	if commas {
		r.Notes = append(r.Notes, "with decimal commas")
	}
	word.WithPoints(r.Labels)
	word.WithPoints(r.Samples)
	for _, c := range covariates {
		word.WithPoints(c.values)
	}
	return nil
}
