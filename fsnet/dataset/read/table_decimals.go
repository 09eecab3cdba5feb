package read

import (
	"strings"

	"fsnetlab/fsnet/dataset/parse"
)

// number reads a number of the table.
func (t *table) number(text string) (float64, bool) { return t.decimals.Number(text, t.line) }

// truths are features whose values are True and False, as pandas, R and Excel write truth values.
type truths []truthKind

type truthKind struct{ numbers, truth bool }

// number reads a number or a truth value, 1 or 0, of a feature; one that has both is refused.
func (f truths) number(t *table, feature int, text string) (float64, bool) {
	x, ok := t.number(text)
	if !ok && len(text) < 6 {
		if ok = strings.EqualFold(text, "true"); ok {
			x = 1
		} else if ok = strings.EqualFold(text, "false"); ok {
			x = 0
		}
		f[feature].truth = f[feature].truth || ok
	} else if x == x {
		f[feature].numbers = true
	}
	return x, ok && (!f[feature].truth || !f[feature].numbers)
}

// settleDecimals refuses a table that mixes commas and points, and writes labels, covariates and names of rows that are numbers with
// points, as features are.
func (t *table) settleDecimals(r *Frame, covariates []covariate) error {
	commas, points, err := t.decimals.Settle(t.path)
	if err != nil || points {
		return err
	}
	if commas {
		r.Notes = append(r.Notes, "with decimal commas")
	}
	parse.WithPoints(r.Labels)
	parse.WithPoints(r.Samples)
	for _, c := range covariates {
		parse.WithPoints(c.values)
	}
	return nil
}
