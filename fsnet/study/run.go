package study

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/phrase"
)

// Run makes the rows of a comparison on a device, in the order of Cells. If the
// plan is narrowed ([Plan.Part], [Plan.Choose]), it makes only the chosen rows.
// made may be nil. Run reuses its rows, but makes those with an error again. It
// rejects rows as Check does.
//
// report may be nil. Run calls it before and after each row and, if a program
// reports its progress, at most once a second. If report returns an error, the
// run ends.
//
// If a method fails on a split, its row has the error, and the others continue.
// If ctx is canceled, Run returns the rows made so far and an error of kind
// Interrupted. If all rows failed, it returns the error of the first one. Any
// other error comes from the device or from report.
func (p *Plan) Run(ctx context.Context, on *device.Device, made []Row, report func(Progress) error) ([]Row, error) {
	cells := p.Cells()
	have, todo, err := p.remaining(on.Name, cells, made)
	if err != nil {
		return nil, err
	}

	r := &planRun{plan: p, device: on, scope: device.ScopeOn(on), ahead: map[cellKey]fsNetFit{}}
	defer r.scope.Close()
	defer p.closePrograms()

	if report == nil {
		report = func(Progress) error { return nil }
	}

	left, now := pace{}, Progress{Total: len(todo)}
	for _, c := range cells {
		if row, ok := have[c.key()]; ok {
			if left.recordTime(c, time.Duration(row.Seconds*float64(time.Second))); p.includes(c) {
				now.Total++
				now.Done++
			}
		}
	}

	for _, c := range todo {
		left.addRemaining(c, 1)
	}

	var failed []error
	for i, cell := range todo {
		r.todo = todo[i:]
		now.Cell, now.Finished, now.Left, now.Share = cell, nil, left.remaining(), float64(now.Done)/float64(now.Total)
		if err := report(now); err != nil {
			return existing(cells, have), err
		}
		start := time.Now()
		row := r.makeRow(ctx, cell, stageOf(now, report))
		if ctx.Err() != nil {
			return existing(cells, have), errs.New(errs.Interrupted, "", "interrupted with %d of %s done", now.Done, phrase.Count(now.Total, "fit"))
		}
		left.addRemaining(cell, -1)
		left.recordTime(cell, time.Since(start))
		have[cell.key()] = row
		if now.Done++; row.err != nil {
			now.Failed++
			failed = append(failed, row.err)
		}
		now.Finished, now.Left, now.Share = &row, left.remaining(), float64(now.Done)/float64(now.Total)
		if err := report(now); err != nil {
			return existing(cells, have), err
		}
	}

	rows := existing(cells, have)
	if len(rows) > 0 && len(failed) == len(rows) {
		return rows, failed[0]
	}
	return rows, nil
}

// remaining returns the existing rows by cell, and the cells that have no row
// yet. Rows with an error don't count as existing. cells are the cells of the
// plan.
func (p *Plan) remaining(kind string, cells, made []Row) (have map[cellKey]Row, todo []Row, err error) {
	if err := p.checkRows(kind, cells, made); err != nil {
		return nil, nil, err
	}
	have = make(map[cellKey]Row, len(made))
	for _, row := range made {
		if row.Error == "" {
			have[row.key()] = row
		}
	}
	for _, cell := range cells {
		if _, ok := have[cell.key()]; !ok && p.includes(cell) {
			todo = append(todo, cell)
		}
	}
	return have, todo, nil
}

// existing returns the rows in have, in the order of cells.
func existing(cells []Row, have map[cellKey]Row) []Row {
	var rows []Row
	for _, c := range cells {
		if row, ok := have[c.key()]; ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// planRun holds the state of one call of Run.
type planRun struct {
	plan   *Plan
	device *device.Device
	scope  *device.Scope        // The same device, with the programs that methods have compiled.
	now    *preparedSplit       // The split of the last row.
	todo   []Row                // the rows that are not yet made
	ahead  map[cellKey]fsNetFit // by [Plan.trainingOf]: trainings that were made together with that of an earlier row
}

// stageOf returns a function that reports the stages of a fit, at most once
// a second.
func stageOf(progress Progress, report func(Progress) error) func(baseline.Progress) {
	var sent time.Time
	return func(of baseline.Progress) {
		if time.Since(sent) < time.Second {
			return
		}
		sent = time.Now()
		progress.Stage = strings.TrimPrefix(fmt.Sprintf("%s, %d of %d", of.Stage, of.Done, of.Total), ", ")
		_ = report(progress) // The next report, after the row, returns the same error.
	}
}

// makeRow makes the row of a cell. If that fails, or a figure is not finite, the
// makeRow has the error instead of figures.
func (r *planRun) makeRow(ctx context.Context, cell Row, stage func(baseline.Progress)) Row {
	split, method := r.split(ctx, cell), r.plan.method(cell.Method)
	split.stage = stage
	cell.Device = r.device.Name

	row, err := cell, split.err
	if err == nil && method.fitter == nil && split.nested[method.Name] == nil {
		r.trainAhead(ctx, cell, stage)
		split.ahead = r.ahead
	}
	if err == nil {
		err = split.fillRow(ctx, method, r.device, r.scope, &row)
	}
	if what := row.invalidFigure(); err == nil && what != "" {
		err = errs.New(errs.Failed, "bring the features and the label to a usual scale", "%s: its %s is not a number", cell.Method, what)
	}
	if err != nil {
		return cell.failed(err)
	}
	return row
}

// split returns the split of a cell. If the previous cell had another split, it
// prepares this one.
func (r *planRun) split(ctx context.Context, cell Row) *preparedSplit {
	if r.now != nil && r.now.dataset == cell.Dataset && r.now.settings.Seed == cell.Seed {
		return r.now
	}
	r.now = nil // Free its memory before the next one is prepared.
	r.now = prepareSplit(ctx, r.plan, cell)
	return r.now
}

// method returns the method with this name. It panics if the plan doesn't
// have it.
func (p *Plan) method(name string) Method {
	for _, m := range p.Methods {
		if m.Name == name {
			return m
		}
	}
	panic("study: a cell of no method of the plan")
}

// preparedSplit is one split of one data set, prepared for all methods.
type preparedSplit struct {
	dataset   string // its name; of a fold, the name of the whole
	plan      *Plan
	data      *dataset.Dataset
	settings  config.Settings // Settings of the plan, with the seeds of the split.
	prepared  *dataset.Prepared
	training  baseline.Data // Rows that methods are fitted to.
	test      baseline.Data
	judge     baseline.Method
	err       error            // Why the split cannot be prepared.
	positions map[int]int      // From columns of the file to columns of the prepared data.
	nested    map[string][]int // By method: all features of the training that several K share.
	fitted    map[fittedKey]*baseline.Model
	ahead     map[cellKey]fsNetFit // see planRun
	stage     func(baseline.Progress)
}

// prepareSplit prepares the split of a cell. If it fails, it sets err of the
// result.
func prepareSplit(ctx context.Context, plan *Plan, cell Row) *preparedSplit {
	data, settings := plan.dataOf(cell), plan.Settings
	settings.K = 1 // Each method uses its own K.
	plan.setSeeds(&settings, cell)
	p := &preparedSplit{dataset: cell.Dataset, plan: plan, data: data, settings: settings, judge: plan.judge(), nested: map[string][]int{}, fitted: map[fittedKey]*baseline.Model{}}

	if data, p.err = data.Dense(ctx, "a comparison"); p.err != nil {
		return p
	}
	if p.prepared, p.err = dataset.PrepareContext(ctx, data, settings); p.err != nil {
		return p
	}

	p.training = baseline.Of(p.prepared, p.prepared.Parts.Train)
	p.test = baseline.Of(p.prepared, p.prepared.Parts.Test)
	p.positions = make(map[int]int, len(p.prepared.Kept))
	for c, index := range p.prepared.Kept {
		p.positions[index] = c
	}
	return p
}

// fillRow fits a method and fills in the figures of its row, including those of
// the judge. If it returns an error, the row is incomplete.
func (p *preparedSplit) fillRow(ctx context.Context, m Method, on *device.Device, scope *device.Scope, row *Row) (err error) {
	// Check the memory for the judge before fitting anything.
	if err := baseline.CheckMemory(p.judge.Entry(), len(p.training.Rows), row.K); err != nil {
		return errs.Wrap(err, errs.Request, "", "what it selects cannot be judged")
	}

	var columns []int
	if m.fitter == nil {
		columns, err = p.train(ctx, m, on, row)
	} else {
		columns, err = p.fit(ctx, m, scope, row)
	}
	if err != nil {
		return err
	}

	if m.Selects {
		p.describe(columns, row)
	}
	_, err = p.judgeSelected(ctx, scope, columns, row)
	return err
}

// fit returns the columns that a method of package baseline, or a program,
// selects. It fills in the other figures of the method.
func (p *preparedSplit) fit(ctx context.Context, m Method, device *device.Scope, row *Row) ([]int, error) {
	options := baseline.Options{Seed: row.Seed, Device: device}
	if m.program() != nil { // Other methods report too much.
		options.Progress = p.stage
	}
	if m.Selects {
		options.K = row.K
	}

	start := time.Now()
	model, err := p.model(ctx, m, options)
	if err != nil {
		return nil, err
	}
	row.Seconds = seconds(start)

	if own := m.program(); own != nil {
		row.Own, err = own.Score(ctx, p.test)
	} else if parameters := parametersOf(model); parameters > 0 {
		row.Own, row.ModelKB = new(float64), new(metric.ModelKB(parameters))
		*row.Own, err = model.Score(p.test)
	}
	return model.Columns(), err
}

// model fits a method of package baseline for options.K. If the method can fit
// all K of the plan at once, the rows of a split share that fit, and only the
// first of them takes time.
func (p *preparedSplit) model(ctx context.Context, m Method, options baseline.Options) (*baseline.Model, error) {
	path, ok := m.fitter.(baseline.PathFitter)
	if !ok || !m.Selects {
		return m.fitter.Fit(ctx, p.training, options)
	}
	if model := p.fitted[fittedKey{m.Name, options.K}]; model != nil {
		return model, nil
	}

	ks := []int{options.K}
	for _, k := range p.plan.K {
		if k <= p.training.Width() && k != options.K {
			ks = append(ks, k)
		}
	}
	slices.Sort(ks)
	models, err := path.FitPath(ctx, p.training, options, ks)
	if err != nil {
		return nil, err
	}
	for i, k := range ks {
		p.fitted[fittedKey{m.Name, k}] = models[i]
	}
	return p.fitted[fittedKey{m.Name, options.K}], nil
}

// fittedKey identifies a fit to a split.
type fittedKey struct {
	method string
	k      int
}

// train returns the columns that FsNet selects, by rank, and fills in the
// other figures of the training. The rows of a path share one training per
// split, and only the first of them has Seconds. If ctx is canceled, train
// may return neither columns nor an error, because Run checks ctx.
func (p *preparedSplit) train(ctx context.Context, m Method, on *device.Device, row *Row) ([]int, error) {
	if columns, ok := p.nested[m.Name]; ok {
		return columns[:row.K], nil
	}

	fit, done := p.ahead[p.plan.trainingOf(m, *row)]
	if !done {
		fit = p.plan.fitFsNet(ctx, m, *row, func(s config.Settings) (*train.Training, error) { return p.open(ctx, on, s) })
	}
	if fit.err != nil {
		return nil, fit.err
	}
	row.Seconds, row.Own, row.ModelKB = fit.seconds, fit.own, fit.modelKB
	var columns []int
	for _, index := range fit.selected {
		columns = append(columns, p.positions[index])
	}
	if !m.nested || ctx.Err() != nil {
		return columns, nil //nolint:nilerr // Run checks ctx
	}

	if len(m.settings.Must) == 0 { // If there are required features, they come first.
		var err error
		if columns, err = comparators.ForwardOrder(ctx, p.training, columns); err != nil {
			return nil, err
		}
	}
	p.nested[m.Name] = columns
	return columns[:row.K], nil
}

// open opens a training on the prepared rows. If the settings of the method
// ask for other rows, it prepares the data again.
func (p *preparedSplit) open(ctx context.Context, on *device.Device, settings config.Settings) (*train.Training, error) {
	if p.prepared.Suits(settings) {
		return train.OpenPrepared(ctx, on, p.prepared, settings)
	}
	return train.Open(ctx, on, p.data, settings)
}

// parametersOf returns the number of parameters of the predictor of m, or 0 if
// m has no predictor.
func parametersOf(m *baseline.Model) int {
	switch {
	case m.Predictor != nil:
		return m.Predictor.Parameters()
	case m.Regressor != nil:
		return m.Regressor.Parameters()
	}
	return 0
}

// checkUnchanged returns an error of kind Request if a file has changed
// since the rows were identified by its content. An open training has
// already read the files.
func (p *Plan) checkUnchanged(d *dataset.Dataset, m Method) error {
	now, err := dataset.ConstraintFilesOf(m.settings, d.Dir())
	if err != nil {
		return err
	}
	if what := p.files[d.Name][m.Name].Changed(now, m.settings); what != "" {
		return errs.New(errs.Request, "leave it alone while rows are made, and run the same command again", "%s", what)
	}
	return nil
}

// Open opens the training of FsNet that leads to a row of the plan, before
// its first step. The caller must close it. Open panics if the row belongs
// to another method.
func (p *Plan) Open(ctx context.Context, on *device.Device, cell Row) (*train.Training, error) {
	m := p.method(cell.Method)
	if m.fitter != nil {
		panic("study: " + cell.Method + " is not FsNet")
	}
	return train.Open(ctx, on, p.dataOf(cell), p.cellSettings(m, cell))
}

// CurvePoint holds the figures of a network in training.
type CurvePoint struct {
	Epochs         int
	Train, Test    float64 // accuracies
	Reconstruction float64 // Mean of (x − x̂)² over test rows and features.
}

// CanWatch reports whether [Plan.Watch] can show the trainings of a method.
// For FsNet use [Plan.Open].
func (m Method) CanWatch() bool {
	_, ok := m.fitter.(deep.Watcher)
	return ok
}

// Watch trains a cell with the data, split and seed of its row. It divides
// the training into about looks equal parts and returns a point after each.
// If there is an error, it returns the points so far, too. It panics if the
// method cannot be watched.
func (p *Plan) Watch(ctx context.Context, on *device.Device, cell Row, looks int) ([]CurvePoint, error) {
	m, ok := p.method(cell.Method).fitter.(deep.Watcher)
	if !ok {
		panic("study: " + cell.Method + " cannot be watched")
	}
	split := prepareSplit(ctx, p, cell)
	if split.err != nil {
		return nil, split.err
	}

	scope := device.ScopeOn(on)
	defer scope.Close()
	o := baseline.Options{Seed: cell.Seed, Device: scope}
	if m.Entry().Selects {
		o.K = cell.K
	}

	var list []CurvePoint
	_, err := m.Watch(ctx, split.training, o, looks, func(l deep.Snapshot) error {
		train, err := l.Model.Score(split.training)
		if err != nil {
			return err
		}
		test, err := l.Model.Score(split.test)
		list = append(list, CurvePoint{l.Epochs, train, test, l.Reconstruction(split.test.Rows)})
		return err
	})
	return list, err
}

// seconds returns the time since start, rounded to milliseconds as in files.
func seconds(start time.Time) float64 {
	return time.Since(start).Round(time.Millisecond).Seconds()
}

// describe adds the names of the selected features, in the order of columns,
// and their redundancy on the test rows to the row.
func (p *preparedSplit) describe(columns []int, row *Row) {
	for _, c := range columns {
		row.Selected = append(row.Selected, p.data.Features[p.prepared.Kept[c]])
	}
	var x []float64
	for _, values := range p.test.Only(columns).Rows {
		x = append(x, values...)
	}
	row.MutualInformation = new(metric.MutualInformation(x, len(p.test.Rows), len(columns)))
}

// judgeSelected fills in the figures of the judge for the selected features.
// If the method has no predictor, ModelKB is the size of the judge. It
// returns the predicted classes, or nil for a quantity. As in the paper, one
// support vector machine judges all methods.
func (p *preparedSplit) judgeSelected(ctx context.Context, device *device.Scope, columns []int, row *Row) (predicted []int, err error) {
	training, test := p.training.Only(columns), p.test.Only(columns)
	judge, err := p.judge.Fit(ctx, training, baseline.Options{Seed: row.Seed, Device: device})
	if err != nil {
		return nil, err
	}

	row.Metric = p.plan.Metric()
	if row.ModelKB == nil {
		row.ModelKB = new(metric.ModelKB(parametersOf(judge)))
	}

	if judge.Regressor != nil {
		score, err := judge.Score(test)
		row.Score = &score
		return nil, err
	}

	if predicted, err = judge.Predict(test.Rows); err != nil {
		return nil, err
	}
	row.Score = new(metric.Accuracy(test.Y, predicted))
	row.BalancedAccuracy = new(metric.BalancedAccuracy(test.Y, predicted, test.Classes))
	return predicted, nil
}

// The judges: predictors trained at their defaults on the features that a
// method selected. The SVM judges classes, as in the paper. The kernel ridge
// regression judges quantities.
const (
	SVM         = "svm"
	KernelRidge = "kernel-ridge"
)

// Judge returns the name of the judge of the plan.
func (p *Plan) Judge() string { return p.judge().Entry().Name }

// judge returns the judge of the plan.
func (p *Plan) judge() baseline.Method { return judgeOf(p.Settings.Regression()) }

// judgeOf returns the judge for classes, or for a quantity.
func judgeOf(quantity bool) baseline.Method {
	if quantity {
		return comparators.KernelRidge{}
	}
	return comparators.SVM{}
}

// Metric returns the metric of the scores.
func (p *Plan) Metric() session.Metric { return session.MetricOf(p.Settings.Regression()) }

// judgeVersion returns rowsVersion and, after a dot, the version of the SVM.
// For a quantity it adds the name and version of its judge, as in
// 1+kernel-ridge.1.
func (p *Plan) judgeVersion() string {
	e := p.judge().Entry()
	if p.Fits { // Replicas have no judge.
		return strconv.Itoa(rowsVersion)
	}
	if p.Settings.Regression() {
		return fmt.Sprintf("%d+%s.%d", rowsVersion, e.Name, e.Version)
	}
	return fmt.Sprintf("%d.%d", rowsVersion, e.Version)
}
