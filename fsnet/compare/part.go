package compare

import (
	"context"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/train"
)

// part is one split of one data set, prepared for all methods.
type part struct {
	of        string // the name of the data set
	data      *dataset.Dataset
	settings  config.Settings // with the seeds of the split
	prepared  *dataset.Prepared
	training  baseline.Data // the rows that methods are fitted to
	test      baseline.Data
	judge     baseline.Method
	err       error                              // why it cannot be prepared
	positions map[int]int                        // column of the file → of the prepared data
	nested    map[string][]int                   // by method, all features of the one that was trained for several K
	files     map[string]dataset.ConstraintFiles // by method
	stage     func(baseline.Progress)
}

func newPart(ctx context.Context, data *dataset.Dataset, settings config.Settings, judge baseline.Method, cell Row) *part {
	settings.K = 1 // each method looks at its own
	seeded(&settings, cell)
	p := &part{of: cell.Dataset, data: data, settings: settings, judge: judge, nested: map[string][]int{}}
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

// seeded gives settings the seeds of a row: split s is that of the s-th seed after the first, of split_seed where that is given.
func seeded(settings *config.Settings, cell Row) {
	settings.Seed = cell.Seed
	if s := settings.SplitSeed; s != nil {
		settings.SplitSeed = new(*s + int64(cell.Split))
	}
}

// fit fills in the row of a method of package baseline, or of a program.
func (p *part) fit(ctx context.Context, m Method, device *device.Scope, row *Row) error {
	options := baseline.Options{Seed: row.Seed, Device: device}
	if m.program() != nil { // others say too much
		options.Progress = p.stage
	}
	if m.Selects {
		options.K = row.K
	}
	if err := p.judgeable(ctx, device, row.K); err != nil {
		return err
	}
	start := time.Now()
	model, err := m.fitter.Fit(ctx, p.training, options)
	if err != nil {
		return err
	}
	row.Seconds = seconds(start)
	switch {
	case model.Predictor != nil:
		accuracy, err := model.Score(p.test)
		if err != nil {
			return err
		}
		row.AccuracyOwn, row.ModelKB = &accuracy, new(metric.ModelKB(model.Predictor.Parameters()))
	case model.Regressor != nil:
		r2, err := model.Score(p.test)
		if err != nil {
			return err
		}
		row.R2Own, row.ModelKB = &r2, new(metric.ModelKB(model.Regressor.Parameters()))
	}
	if own := m.program(); own != nil {
		score, err := own.Score(ctx, p.test)
		if err != nil {
			return err
		}
		if row.AccuracyOwn = score; p.test.Regression() {
			row.AccuracyOwn, row.R2Own = nil, score
		}
	}
	columns := model.Columns()
	if m.Selects {
		p.describe(columns, row)
	}
	return p.judged(ctx, device, columns, row)
}

// train fills in the row of FsNet.
func (p *part) train(ctx context.Context, m Method, device *device.Device, kernels *device.Scope, row *Row) error {
	if err := p.judgeable(ctx, kernels, row.K); err != nil {
		return err
	}
	if columns, ok := p.nested[m.Name]; ok {
		p.describe(columns[:row.K], row)
		return p.judged(ctx, kernels, columns[:row.K], row)
	}
	settings := m.at(*row)
	start := time.Now()
	t, err := train.Open(ctx, device, p.data, settings)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := p.unchanged(m); err != nil {
		return err
	}
	if err := t.Run(ctx, nil); err != nil {
		return err
	}
	row.Seconds = seconds(start)
	selected, err := t.Selection()
	if err != nil {
		return err
	}
	columns := make([]int, len(selected))
	for i, s := range selected {
		columns[i] = p.positions[s.Index]
	}
	if m.nested { // its network is that of all its features
		if len(settings.Must) == 0 { // else those come first
			if columns, err = comparators.ForwardOrder(ctx, p.training, columns); err != nil {
				return err
			}
		}
		p.nested[m.Name] = columns
		columns = columns[:row.K]
	} else {
		test, err := t.Evaluate("test")
		if err != nil {
			return err
		}
		if row.R2Own = test.R2; test.R2 == nil {
			row.AccuracyOwn = &test.Accuracy
		}
		row.ModelKB = new(t.Status().ModelKB)
	}
	p.describe(columns, row)
	return p.judged(ctx, kernels, columns, row)
}

// unchanged refuses files that no longer say what they said when the rows were identified by it. A training that is open has read them.
func (p *part) unchanged(m Method) error {
	now, err := dataset.ConstraintFilesOf(m.settings, p.data.Dir())
	if err != nil {
		return err
	}
	if what := p.files[m.Name].Changed(now, m.settings); what != "" {
		return fault.New(fault.Request, "leave it alone while rows are made, and run the same command again", "%s", what)
	}
	return nil
}

// at are FsNet's settings of a row.
func (m Method) at(cell Row) config.Settings {
	settings := m.settings
	settings.K = max(cell.K, m.most)
	seeded(&settings, cell)
	return settings
}

// Open opens the training of FsNet whose end is a row of the plan, before its first step. Close it. It panics where the row's method is
// another.
func (p *Plan) Open(ctx context.Context, on *device.Device, cell Row) (*train.Training, error) {
	m := p.method(cell.Method)
	if m.fitter != nil {
		panic("compare: " + cell.Method + " is not FsNet")
	}
	return train.Open(ctx, on, p.data(cell), m.at(cell))
}

// Look is what the training of a network has come to, in part.
type Look struct {
	Epochs         int
	Train, Test    float64 // accuracies
	Reconstruction float64 // mean of (x − x̂)² over test rows and features
}

// Watched is whether [Plan.Watch] can look at the trainings of a method. Those of FsNet [Plan.Open] opens.
func (m Method) Watched() bool {
	_, ok := m.fitter.(deep.Watched)
	return ok
}

// Watch makes the training of a cell, of a method that is Watched, with its row's data, split and seed, and looks at it after about so many
// equal parts.
func (p *Plan) Watch(ctx context.Context, on *device.Device, cell Row, looks int) ([]Look, error) {
	m, ok := p.method(cell.Method).fitter.(deep.Watched)
	if !ok {
		panic("compare: " + cell.Method + " cannot be watched")
	}
	part := newPart(ctx, p.data(cell), p.Settings, nil, cell)
	if part.err != nil {
		return nil, part.err
	}
	scope := device.ScopeOn(on)
	defer scope.Close()
	o := baseline.Options{Seed: cell.Seed, Device: scope}
	if m.Entry().Selects {
		o.K = cell.K
	}
	var list []Look
	_, err := m.Watch(ctx, part.training, o, looks, func(l deep.Look) error {
		train, err := l.Model.Score(part.training)
		if err != nil {
			return err
		}
		test, err := l.Model.Score(part.test)
		list = append(list, Look{l.Epochs, train, test, l.Reconstruction(part.test.Rows)})
		return err
	})
	return list, err
}

// seconds since start, to the millisecond, as files have them.
func seconds(start time.Time) float64 {
	return time.Since(start).Round(time.Millisecond).Seconds()
}

// describe fills in the names of the selected features and how much they repeat one another.
func (p *part) describe(columns []int, row *Row) {
	for _, c := range columns {
		row.Selected = append(row.Selected, p.data.Features[p.prepared.Kept[c]])
	}
	var x []float64
	for _, values := range p.test.Only(columns).Rows {
		x = append(x, values...)
	}
	row.MutualInformation = new(metric.MutualInformation(x, len(p.test.Rows), len(columns)))
}

// judgeable says before a method is fitted whether there will be room to judge k features.
func (p *part) judgeable(ctx context.Context, device *device.Scope, k int) error {
	sizes := baseline.Sizes{Rows: len(p.training.Rows), Features: k, Classes: p.training.Classes}
	if err := baseline.CheckMemory(ctx, p.judge, sizes, baseline.Options{Device: device}); err != nil {
		return fault.Wrap(err, fault.Request, "", "what it selects cannot be judged")
	}
	return nil
}

// judged fills in what the judge makes of the selected features: the paper judges all methods by one support vector machine.
func (p *part) judged(ctx context.Context, device *device.Scope, columns []int, row *Row) error {
	training, test := p.training.Only(columns), p.test.Only(columns)
	judge, err := p.judge.Fit(ctx, training, baseline.Options{Device: device})
	if err != nil {
		return err
	}
	parameters := 0
	if judge.Regressor != nil {
		r2, err := judge.Score(test)
		if err != nil {
			return err
		}
		row.R2, parameters = &r2, judge.Regressor.Parameters()
	} else {
		predicted, err := judge.Predict(test.Rows)
		if err != nil {
			return err
		}
		row.AccuracySVM = new(metric.Accuracy(test.Y, predicted))
		row.BalancedAccuracy = new(metric.BalancedAccuracy(test.Y, predicted, test.Classes))
		parameters = judge.Predictor.Parameters()
	}
	if row.ModelKB == nil {
		row.ModelKB = new(metric.ModelKB(parameters))
	}
	return nil
}
