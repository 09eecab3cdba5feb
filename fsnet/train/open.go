package train

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/repair"
)

// openRows creates the engine from the training rows. Sparse rows are streamed
// if they have more than most numbers; otherwise they are made dense. openRows
// replaces auto in the settings by the values that suit the rows, and sets
// signs, bias and spokesmen. If there are many rows and too many columns for
// protocol=stepwise, it returns an error.
func (t *Training) openRows(ctx context.Context, most int) error {
	rows, d, y := t.data.Parts.Train, len(t.columns), t.target.Target
	t.settings = t.settings.ForData(len(rows)).Paced(len(rows), len(t.data.Parts.Test))
	if t.settings.Stepwise() && d > config.MostConditional && len(rows) >= config.FewRows {
		return errs.New(errs.Request, fmt.Sprintf("use screen=%d or less, or protocol=%s", config.MostConditional, config.FsNet),
			"protocol = stepwise reads d² numbers, but %d features remain after screening", d)
	}

	var view *sparse.View
	if t.data.Sparse() {
		var err error
		if view, err = t.data.Narrow(ctx, t.columns, mostStored()); err != nil {
			return err
		}
	}

	a := method.NewArchitecture(t.settings, len(rows), d, y.Classes)
	if t.known != nil {
		t.bias = t.known.LogitBias(t.fileColumns(), a.K, repair.Forbidden)
	}
	if view == nil || len(rows)*d <= most {
		x, err := t.data.Gather(ctx, rows, t.columns, 0)
		if err != nil {
			return err
		}
		if err := t.orient(embedding.Dense{X: x, D: d}); err != nil {
			return err
		}
		flipSigns(x, t.signs)
		if err := t.leadPairs(embedding.Dense{X: x, D: d}); err != nil {
			return err
		}
		phi, err := method.Embed(t.settings, embedding.Dense{X: x, D: d}, y)
		if err != nil {
			return err
		}
		if err := t.findSpokesmen(x); err != nil {
			return err
		}
		t.engine, err = engine.New(t.device, a, t.settings.Seed, phi, engine.Rows{Dense: x, Spokesmen: t.spokesmen}, y, t.openingBias())
		return err
	}

	if err := t.orient(table{ctx, view, rows}); err != nil {
		return t.unreadable(err)
	}
	view = view.WithSigns(t.signs)
	phi, err := method.Embed(t.settings, table{ctx, view, rows}, y)
	if err != nil {
		return t.unreadable(err)
	}
	if err := t.findSpokesmen(nil); err != nil {
		return t.unreadable(err)
	}
	t.engine, err = engine.New(t.device, a, t.settings.Seed, phi, engine.Rows{Stream: batches{view, rows}, Spokesmen: t.spokesmen}, y, t.bias)
	return err
}

// findSpokesmen sets the features that may speak for others (see
// [repair.Spokesmen]) if the embedding is class-t. If there are more than
// mostColumns features, each speaks only for itself. x holds the training rows
// as the graph sees them, or is nil if they are not in memory.
func (t *Training) findSpokesmen(x []float32) (err error) {
	if t.settings.Embedding != config.ClassT || t.settings.Stepwise() || len(t.columns) > mostColumns {
		return nil
	}
	rows, y := t.spreadRows(repair.ContestRows)
	if x == nil || len(rows) < len(t.data.Parts.Train) {
		if x, err = t.gather(context.Background(), rows, 0); err != nil {
			return err
		}
	}

	known := t.constraints()
	if b := t.openingBias(); b != nil { // A held feature of a pair speaks only for itself.
		known.Bias = b.Logits
	}
	t.spokesmen = repair.Spokesmen(x, len(t.columns), y, known)
	return nil
}

// unreadable wraps an error of data that can no longer be read.
func (t *Training) unreadable(err error) error {
	return errs.Wrap(err, errs.Failed, "check the file that the data are in, and the disk that it is on", "%s cannot be read", t.data.Name)
}

// gather copies rows of the scaled data as the graph sees them: rows×d, in the
// graph's order of features and with its signs. The slice has capacity for rows
// of width columns.
func (t *Training) gather(ctx context.Context, rows []int, width int) ([]float32, error) {
	x, err := t.data.Gather(ctx, rows, t.columns, width)
	if err == nil {
		flipSigns(x, t.signs)
	}
	return x, err
}

// orient sets the signs with which the graph reads its columns (see
// [repair.Signs]) if the embedding is class-t. With other embeddings they stay
// nil. rows are the training rows.
func (t *Training) orient(rows embedding.Table) (err error) {
	if t.settings.Embedding == config.ClassT {
		t.signs, err = repair.Signs(rows, t.target.Target)
	}
	return err
}

// flipSigns multiplies the columns of x, rows×len(signs), by their signs in
// place. A zero stays +0. If signs is nil, it does nothing.
func flipSigns(x, signs []float32) {
	if signs == nil {
		return
	}
	for row := range slices.Chunk(x, len(signs)) {
		for j, sign := range signs {
			row[j] = row[j]*sign + 0
		}
	}
}
