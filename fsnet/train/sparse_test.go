package train

import (
	"context"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// counts is a table of counts in which most values are 0: some genes are more
// frequent in one of three classes.
func counts(rows, d int) (x []float32, labels []string) {
	r := num.RNG(3, "counts")
	for i := range rows {
		class := i * 7 % 3
		labels = append(labels, string(rune('a'+class)))
		for j := range d {
			share := 0.02 + 0.13*float64(j%7)/7
			if j%40 == 5 && j/40%3 == class {
				share += 0.5
			}
			v := float32(0)
			if r.Float64() < share {
				v = float32(1 + math.Floor(-3*math.Log(1-r.Float64())))
			}
			x = append(x, v)
		}
	}
	return x, labels
}

// stored is a dense table as it is stored without zeros.
func stored(x []float32, d int) *sparse.Matrix {
	var rows sparse.Rows
	rows.Reset()
	for row := range slices.Chunk(x, d) {
		for j, v := range row {
			if v != 0 {
				rows.Columns, rows.Values = append(rows.Columns, int32(j)), append(rows.Values, v)
			}
		}
		rows.End()
	}
	return sparse.NewMatrix(rows, d)
}

func bothWays(t *testing.T, x []float32, labels []string) (dense, thin *dataset.Dataset) {
	t.Helper()
	dense = must(dataset.New("counts", slices.Clone(x), nil, labels))
	thin = must(dataset.NewSparse(context.Background(), "counts", stored(x, len(x)/len(labels)), nil, labels))
	return dense, thin
}

// trained is what a training came to.
type trained struct {
	theta, squares []float32
	columns        []int
	loss           []float64
	reconstruction float64
}

func trainedWith(t *testing.T, on *device.Device, data *dataset.Dataset, c config.Config, most, steps int) trained {
	t.Helper()
	s := must(c.Resolve())
	training := must(openWith(context.Background(), on, data, s, most))
	defer training.Close()
	size := training.engine.Layout.Size()
	training.engine.Fork(make([]float32, size), make([]float32, size)) // so that its programs stay
	out := trained{columns: training.columns}
	for _, to := range []int{1, 3, 3 + steps} { // in chunks of several sizes
		advance(t, training, to)
	}
	history := must(training.History(session.HistoryRequest{Metrics: []string{"loss"}, Points: 100_000}))
	out.loss = history.Curves["loss"].Values
	out.theta, out.squares = parametersOf(t, training)
	evaluation := must(training.Evaluate("test"))
	out.reconstruction = evaluation.ReconstructionError
	return out
}

func sameTraining(t *testing.T, got, want trained) {
	t.Helper()
	switch {
	case !slices.Equal(got.columns, want.columns):
		t.Errorf("screened to other columns: %v, not %v", got.columns[:5], want.columns[:5])
	case !slices.Equal(got.theta, want.theta) || !slices.Equal(got.squares, want.squares):
		t.Errorf("other parameters: %v, not %v", got.theta[:3], want.theta[:3])
	case got.reconstruction != want.reconstruction || !slices.Equal(got.loss, want.loss):
		t.Errorf("reconstruction %v, not %v; losses %v, not %v", got.reconstruction, want.reconstruction, got.loss, want.loss)
	}
}

// The same values opened dense and sparse train to the same bits, whether the
// training rows are made dense or streamed. Batches are padded if a network is
// trained, and filled if a ridge is.
func TestTraining_SparseMatchesDense(t *testing.T) {
	x, labels := counts(70, 120)
	dense, thin := bothWays(t, x, labels)
	if !thin.Sparse() || thin.X != nil || dense.Sparse() {
		t.Fatal("nothing is sparse here")
	}
	paper := config.RulesOf(config.FsNet)
	paper.Embedding = config.Histogram
	for _, d := range devicetest.All(t) {
		for name, c := range map[string]config.Config{
			"learned": {K: 4, Seed: 2, Screen: new(50), Epochs: 30, Batch: new(8)},
			"ridge": {K: 3, Seed: 2, Screen: new(0), Epochs: 30, Batch: new(20),
				ValidationFraction: new(0.2)},
			"conditional": {K: 3, Seed: 2, Screen: new(40), Protocol: config.Stepwise, Epochs: 30, Batch: new(20)},
			"histogram": {K: 3, Seed: 4, Rules: &paper, Screen: new(50), Scaling: "none", Epochs: 30,
				Batch: new(8)},
		} {
			if nn.LoopsOn(d.Name) && name != "learned" { // what differs does so before the first step
				continue
			}
			t.Run(d.Name+"/"+name, func(t *testing.T) {
				const steps = 4
				want := trainedWith(t, d, dense, c, engine.MostDense, steps)
				sameTraining(t, trainedWith(t, d, thin, c, engine.MostDense, steps), want)
				streamed := trainedWith(t, d, thin, c, 0, steps)
				if c.Protocol != config.Stepwise { // whose moments are summed up in another order
					sameTraining(t, streamed, want)
				} else if math.Abs(streamed.reconstruction-want.reconstruction) > 1e-4*want.reconstruction ||
					!slices.Equal(streamed.columns, want.columns) {
					t.Errorf("reconstruction %v, not %v", streamed.reconstruction, want.reconstruction)
				}
			})
		}
	}
}

// quantities are a table of counts that tell a quantity, opened dense and sparse.
func quantities(t *testing.T, rows, d int) (dense, thin *dataset.Dataset) {
	t.Helper()
	x, _ := counts(rows, d)
	r := num.RNG(4, "quantities")
	target := make([]float64, rows)
	for i := range target {
		target[i] = 40 + 3*float64(x[i*d+5]) - 2*float64(x[i*d+45]) + r.NormFloat64()
	}
	dense = must(dataset.NewRegression("counts", slices.Clone(x), nil, target))
	thin = must(dataset.NewSparseRegression(context.Background(), "counts", stored(x, d), nil, target))
	return dense, thin
}

// With a quantity as the label, too, the same values train to the same bits,
// dense, sparse or streamed.
func TestTraining_SparseQuantities(t *testing.T) {
	dense, thin := quantities(t, 70, 60)
	if !thin.Sparse() || dense.Sparse() || !slices.Equal(thin.Target, dense.Target) || !slices.Equal(thin.Y, dense.Y) {
		t.Fatalf("%v of ranges %v, dense %v of %v", thin.Target, thin.Y, dense.Target, dense.Y)
	}
	devices := devicetest.All(t)
	on := devices[len(devices)-1] // the one that compiles at once
	for name, c := range map[string]config.Config{
		"network": {K: 3, Seed: 2, Screen: new(50), Epochs: 30, Batch: new(8)},
		"ridge":   {K: 3, Seed: 2, Screen: new(0), Epochs: 30, Batch: new(20)},
	} {
		c.Task = config.Regression
		t.Run(name, func(t *testing.T) {
			const steps = 4
			want := trainedWith(t, on, dense, c, engine.MostDense, steps)
			sameTraining(t, trainedWith(t, on, thin, c, engine.MostDense, steps), want)
			sameTraining(t, trainedWith(t, on, thin, c, 0, steps), want)
		})
	}
}

// Large narrowed tables are on disk and shared. When the last user closes, the
// disk space is freed.
func TestSparse_SharesDisk(t *testing.T) {
	ctx := context.Background()
	x, labels := counts(70, 60)
	_, thin := bothWays(t, x, labels)
	on := devicetest.All(t)[0]
	settings := must(config.Config{K: 3, Epochs: 20, Batch: new(8)}.Resolve())
	training := must(openWith(ctx, on, thin, settings, 0))
	view := must(training.data.Narrow(ctx, training.columns, 0))
	read := func() error {
		return view.Gather(ctx, []int{training.data.Parts.Train[0]}, len(training.columns), make([]float32, len(training.columns)))
	}
	advance(t, training, 3)
	past := must(training.Replay(1))
	past.Close()
	if err := read(); err != nil {
		t.Fatalf("after a look at the past: %v", err)
	}
	if err := training.Rewind(ctx, 2); err != nil || read() != nil {
		t.Fatalf("after a rewind: %v, %v", err, read())
	}
	fork := must(training.Fork(ctx, 1))
	training.Close()
	training.Close()
	if err := read(); err != nil {
		t.Errorf("the fork of a closed training: %v", err)
	}
	fork.Close()
	if err := read(); err == nil {
		t.Error("nobody is left, and the file is still open")
	}
}
