package train

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

var (
	_ embedding.SparseTable = table{}
	_ engine.Batches        = batches{}
)

// table is the training rows of a sparse data set as the embedding reads them.
type table struct {
	ctx  context.Context // of the opening, in which it is used and forgotten
	view *sparse.View
	rows []int
}

func (t table) Width() int      { return t.view.Width() }
func (t table) Zero() []float32 { return t.view.Zero() }

func (t table) Each(look func(i, from int, values []float32)) error {
	return t.view.Each(t.ctx, t.rows, look)
}

func (t table) Columns(look func(j int, column []float64)) error {
	return t.view.EachColumn(t.ctx, t.rows, look)
}

func (t table) Stored(look func(i int, columns []int32, values []float32)) error {
	return t.view.Stored(t.ctx, t.rows, look)
}

// batches are the training rows of a sparse data set as steps need them.
type batches struct {
	view *sparse.View
	rows []int // of each training row: that of the data set
}

func (b batches) Gather(ctx context.Context, rows []int, width int, into []float32) error {
	list := make([]int, len(rows))
	for i, row := range rows {
		list[i] = b.rows[row]
	}
	return b.view.Gather(ctx, list, width, into)
}

// mostStored is how many bytes of the screened columns of a sparse data set are kept in memory; with more they go to a temporary file.
func mostStored() int64 {
	if free := system.AvailableMemory(); free != nil {
		return min(engine.MostStored, free.Bytes/4)
	}
	return engine.MostStored
}

// openRows gives the engine the training rows: dense, or as steps need them where they are sparse and would take more than most numbers.
// settings get the batch and the epochs that suit the rows.
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
		t.bias = t.known.LogitBias(t.files(), a.K, repair.Forbidden)
	}
	if view == nil || len(rows)*d <= most {
		x, err := t.data.Gather(ctx, rows, t.columns, 0)
		if err != nil {
			return err
		}
		if err := t.orient(embedding.Dense{X: x, D: d}); err != nil {
			return err
		}
		t.turn(x, d)
		phi, err := method.Embed(t.settings, embedding.Dense{X: x, D: d}, y)
		if err != nil {
			return err
		}
		t.engine, err = engine.New(t.device, a, t.settings.Seed, phi, engine.Rows{Dense: x}, y, t.bias)
		return err
	}
	if err := t.orient(table{ctx, view, rows}); err != nil {
		return t.unreadable(err)
	}
	view = view.Turned(t.signs)
	phi, err := method.Embed(t.settings, table{ctx, view, rows}, y)
	if err != nil {
		return t.unreadable(err)
	}
	t.engine, err = engine.New(t.device, a, t.settings.Seed, phi, engine.Rows{Stream: batches{view, rows}}, y, t.bias)
	return err
}

// unreadable is the error of data that cannot be read any more.
func (t *Training) unreadable(err error) error {
	return errs.Wrap(err, errs.Failed, "check the file that the data are in, and the disk that it is on", "%s cannot be read", t.data.Name)
}

// sortedByName lists the kept columns by feature name, so that the order of the columns in the file has no influence.
func sortedByName(p *dataset.Prepared) []int {
	columns := num.Indices(len(p.Kept))
	slices.SortFunc(columns, func(a, b int) int {
		return strings.Compare(p.Features[p.Kept[a]], p.Features[p.Kept[b]])
	})
	return columns
}

// firstAppearance numbers the classes in the order of the rows, so that their names have no influence.
func firstAppearance(y []int, classes int) []int {
	slots := slices.Repeat([]int{-1}, classes)
	next := 0
	for _, c := range y {
		if slots[c] < 0 {
			slots[c] = next
			next++
		}
	}
	for c, s := range slots { // a class without rows
		if s < 0 {
			slots[c] = next
			next++
		}
	}
	return slots
}

// gather copies rows of the scaled data as the graph has them, in its order of features and turned, with room for rows of that width.
func (t *Training) gather(ctx context.Context, rows []int, width int) ([]float32, error) {
	x, err := t.data.Gather(ctx, rows, t.columns, width)
	if err == nil {
		t.turn(x, len(t.columns))
	}
	return x, err
}

// orient decides which columns are turned for the embedding, which is the repair that class-t brings. rows are those of training.
func (t *Training) orient(rows embedding.Table) (err error) {
	if t.settings.Embedding == config.ClassT {
		t.signs, err = repair.Signs(rows, t.target.Target)
	}
	return err
}

// turn multiplies the columns of x, rows×d, by their signs. A zero keeps the sign +.
func (t *Training) turn(x []float32, d int) {
	if t.signs == nil {
		return
	}
	for row := range slices.Chunk(x, d) {
		for j, sign := range t.signs {
			row[j] = row[j]*sign + 0
		}
	}
}

// screen keeps the columns that say most of the target on their own, by the training rows alone.
func (t *Training) screen(ctx context.Context) error {
	count := t.settings.Screen
	if count == 0 || count >= len(t.columns) {
		return nil
	}
	if count < t.settings.K {
		return errs.New(errs.Request, "use screen=0 for all features, or a number of at least k",
			"screen = %d keeps fewer features than k = %d",
			count, t.settings.K)
	}
	kept, err := t.kept(ctx, count)
	if err != nil {
		return err
	}
	for i, j := range kept {
		kept[i] = t.columns[j]
	}
	t.columns = kept
	return nil
}

// feature is the column of the file, and its name, of a feature of the graph.
func (t *Training) feature(j int) (index int, name string) {
	return named(t.data, t.columns, j)
}

func named(data *dataset.Prepared, columns []int, j int) (index int, name string) {
	index = data.Kept[columns[j]]
	return index, data.Features[index]
}

// target is what is known of the training rows, and how it is named and measured.
type target struct {
	embedding.Target
	names []string     // of the classes, as the target numbers them, or of the ranges of a quantity over the training rows
	unit  dataset.Unit // of a quantity
}

// targetOf is that of the training rows alone, and the network's output of each class.
func targetOf(p *dataset.Prepared) (slots []int, t target) {
	rows := p.Parts.Train
	t.Weights = p.TrainWeights
	if p.Target != nil {
		values := pick(p.Target, rows)
		t.Y, t.names = dataset.Ranges(values)
		t.Classes, t.unit = len(t.names), dataset.UnitOf(values, p.TrainWeights)
		t.Quantity = t.unit.Scaled(values)
		return []int{0}, t
	}
	slots = firstAppearance(p.Y, len(p.Classes))
	t.Classes, t.names = len(p.Classes), make([]string, len(p.Classes))
	for _, row := range rows {
		t.Y = append(t.Y, slots[p.Y[row]])
	}
	for class, slot := range slots {
		t.names[slot] = p.Classes[class]
	}
	return slots, t
}

// quantities are those of rows.
func (t *Training) quantities(rows []int) []float64 { return pick(t.data.Target, rows) }

// said is what the network says of rows: their classes, or quantities as the file has them.
type said struct {
	classes    []int
	quantities []float64
}

// said makes that of the network's scores, rows×outputs.
func (t *Training) said(scores []float32) said {
	if t.target.Quantity == nil {
		return said{classes: t.classesOf(scores)}
	}
	var s said
	for _, v := range scores {
		s.quantities = append(s.quantities, t.target.unit.Value(float64(v)))
	}
	return s
}

// pick takes some of a list.
func pick[T any](list []T, which []int) []T {
	picked := make([]T, len(which))
	for i, at := range which {
		picked[i] = list[at]
	}
	return picked
}

// kept is so many of the columns, in the order of the graph: those of the largest F over the training rows. What must be
// chosen comes before all others, and what is never chosen takes no place.
func (t *Training) kept(ctx context.Context, count int) ([]int, error) {
	each := func(look func(i, from int, values []float32)) error {
		return t.data.Each(ctx, t.data.Parts.Train, t.columns, look)
	}
	f, err := t.target.F(each, len(t.columns))
	if err != nil {
		return nil, err
	}
	ranked := num.ArgsortDescending(f)
	if t.known == nil {
		kept := ranked[:count]
		slices.Sort(kept)
		return kept, nil
	}
	var first, others []int
	for _, j := range ranked {
		switch index, _ := t.feature(j); {
		case t.known.IsRequired(index):
			first = append(first, j)
		case !t.known.Never[index]:
			others = append(others, j)
		}
	}
	kept := append(first, others...)
	kept = kept[:min(count, len(kept))]
	slices.Sort(kept)
	return kept, nil
}

// files are the columns of the file of the graph's features.
func (t *Training) files() []int {
	files := make([]int, len(t.columns))
	for j := range files {
		files[j], _ = t.feature(j)
	}
	return files
}

// checkKnown refuses a feature that must be chosen and does not vary, and where too few of the features that remain may be.
func (t *Training) checkKnown() error {
	if t.known == nil {
		return nil
	}
	files := t.files()
	for _, index := range t.known.Must {
		if !slices.Contains(files, index) {
			return errs.New(errs.Request, "take it out of must, or use another seed", "must: %s does not vary over the %s",
				t.data.Features[index], phrase.Count(len(t.data.Parts.Train), "training row"))
		}
	}
	if most := t.known.Most(files); most < t.settings.K {
		return errs.New(errs.Request, "use screen=0, a larger group_limit or a smaller k",
			"of the %s that remain after screening %d can be chosen, but k = %d", phrase.Count(len(files), "feature"), most, t.settings.K)
	}
	return nil
}

// unique is what the unique argmax of P chooses, of each selector: at most group_limit features of a group, and none that the selector must
// not choose, also where what is left to it has the probability 0 as well.
func (t *Training) unique(p []float32) []int {
	a := t.engine.Layout
	if t.bias == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}
	p = slices.Clone(p)
	for i, logit := range t.bias.Logits {
		if logit <= -repair.Forbidden {
			p[i] = -1
		}
	}
	if t.bias.Groups == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}
	return repair.UniqueArgmax(p, a.K, a.D, t.bias.Groups, t.bias.Limit)
}
