package train_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// opened is a training on data in memory, whose first feature tells the classes apart, with what it is made of.
func opened() (d *device.Device, data *dataset.Dataset, t *train.Training) {
	var x []float32
	var labels []string
	for i := range 40 {
		class := i % 2
		x = append(x, float32(10*class+i%3), float32(i%7), float32(i%5))
		labels = append(labels, []string{"healthy", "ill"}[class])
	}
	data, err := dataset.New("made up", x, []string{"TP53", "BRCA1", "EGFR"}, labels)
	check(err)
	settings, err := config.Config{K: 1, Epochs: 60, Backend: "go"}.Resolve()
	check(err)
	d, err = device.Open(context.Background(), settings.Backend)
	check(err)
	t, err = train.Open(context.Background(), d, data, settings)
	check(err)
	return d, data, t
}

// advance goes to a step: a call makes as many steps as fit into a tenth of a second.
func advance(t *train.Training, step int) {
	for t.Status().Step < step {
		_, err := t.Advance(context.Background(), step-t.Status().Step)
		check(err)
	}
}

// A training goes on by steps and is looked into between them.
func ExampleOpen() {
	ctx := context.Background()
	d, _, t := opened()
	defer d.Close()
	defer t.Close()
	advance(t, 10)
	fmt.Println("step", t.Status().Step, "of", t.Status().Steps)
	check(t.Run(ctx, nil))
	selected, err := t.Selection()
	fmt.Println(selected[0].Name, t.Status().State, err)
	test, err := t.Evaluate("test")
	fmt.Println("accuracy", test.Score.Value, err)
	feature, err := t.Feature("TP53")
	fmt.Println(feature.All.N, "training rows have", feature.Name, err)
	matrix, err := t.Matrix(session.MatrixRequest{Top: 1})
	fmt.Printf("P is %.0f there, %v\n", matrix.Values[0][0], err)
	history, err := t.History(session.HistoryRequest{Metrics: []string{"loss"}})
	fmt.Println(len(history.Curves), "curve,", history.Events[0].Kind, err)
	// Output:
	// step 10 of 180
	// TP53 settled <nil>
	// accuracy 1 <nil>
	// 20 training rows have TP53 <nil>
	// P is 1 there, <nil>
	// 1 curve, open <nil>
}

// Trainings that differ only in keys that do not prepare data may share them,
// here two values of λ.
func ExampleOpenPrepared() {
	ctx := context.Background()
	d, data, t := opened()
	defer d.Close()
	defer t.Close()
	settings := t.Status().Config
	prepared, err := dataset.Prepare(data, settings)
	check(err)
	for _, settings.Lambda = range []float64{0, 1} {
		if !prepared.Suits(settings) {
			continue // OpenPrepared would panic
		}
		one, err := train.OpenPrepared(ctx, d, prepared, settings)
		check(err)
		check(one.Run(ctx, nil))
		selected, err := one.Selection()
		fmt.Println("λ", settings.Lambda, "selects", selected[0].Name, err)
		one.Close()
	}
	// Output:
	// λ 0 selects TP53 <nil>
	// λ 1 selects TP53 <nil>
}

// Two genes tell the classes apart only together: of the ill, exactly one is
// high. FindPairs finds them without a training, and a training that chose both
// says so.
func ExampleFindPairs() {
	ctx := context.Background()
	var x []float32
	var labels []string
	for i := range 80 {
		first, second := i%2, i/2%2
		x = append(x, float32(10*first+i%3), float32(10*second+i%5), float32(i%7))
		labels = append(labels, []string{"healthy", "ill"}[first^second])
	}
	data, err := dataset.New("made up", x, []string{"TP53", "BRCA1", "EGFR"}, labels)
	check(err)
	settings, err := config.Config{K: 2, Epochs: 60, Backend: "go"}.Resolve()
	check(err)
	d, err := device.Open(ctx, settings.Backend)
	check(err)
	defer d.Close()
	found, err := train.FindPairs(ctx, d, data, settings)
	check(err)
	fmt.Println(found.Title())
	fmt.Println(found.Pairs[0].Kind, found.Pairs[0].Features)

	t, err := train.Open(ctx, d, data, settings)
	check(err)
	defer t.Close()
	check(t.Run(ctx, nil))
	rows, err := t.Rows(session.RowsRequest{})
	check(err)
	fmt.Println(rows.Pairs)
	// Output:
	// 1 of 3 pairs tells more than its parts
	// product [BRCA1 TP53]
	// [BRCA1 and TP53 tell together; neither does alone]
}

// Live keys change from the next step on; any step can be had again, and from it another training.
func ExampleTraining_Rewind() {
	ctx := context.Background()
	d, _, t := opened()
	defer d.Close()
	defer t.Close()
	advance(t, 10)
	event, err := t.Set(config.Config{Lambda: new(0.1)})
	fmt.Println(event, err)
	advance(t, 20)
	other, err := t.Fork(ctx, 15)
	check(err)
	defer other.Close()
	check(t.Rewind(ctx, 5))
	fmt.Println(t.Status().Step, t.Status().Config.Lambda, other.Status().Step, other.Status().Config.Lambda)
	// Output:
	// step 10 (epoch 3.333): lambda 1 → 0.1 <nil>
	// 5 1 15 0.1
}

// A checkpoint is all that is needed to go on in another process, to the bits that it would have come to.
func ExampleResume() {
	ctx := context.Background()
	d, data, t := opened()
	defer d.Close()
	defer t.Close()
	advance(t, 10)
	save, err := t.Checkpoint()
	check(err)
	directory, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "leukemia.safetensors")
	check(save(path))

	checkpoint, err := train.LoadCheckpoint(path)
	check(err)
	again, err := train.Resume(ctx, d, data, checkpoint)
	check(err)
	defer again.Close()
	for _, one := range []*train.Training{t, again} {
		advance(one, 15)
	}
	fmt.Println(again.Status().Step, again.Status().Loss == t.Status().Loss)
	// Output: 15 true
}

// The way back to a step, in turns of a tenth of a second: it can be looked at there, while the training is where it was.
func ExampleTraining_Replay() {
	ctx := context.Background()
	d, _, t := opened()
	defer d.Close()
	defer t.Close()
	advance(t, 20)
	past, err := t.Replay(5)
	check(err)
	defer past.Close()
	for done := false; !done; {
		done, err = past.Advance(ctx)
		check(err)
	}
	matrix, err := past.Matrix(session.MatrixRequest{Top: 1})
	fmt.Println(past.Step(), matrix.Step, t.Status().Step, err)
	// Output: 5 5 20 <nil>
}

// What a training has come to, in numbers: the network of its model, the leaders of each column, and the rows behind the choice.
func ExampleTraining_Fitted() {
	d, _, t := opened()
	defer d.Close()
	defer t.Close()
	check(t.Run(context.Background(), nil))
	fitted, err := t.Fitted()
	fmt.Println(len(fitted.Networks[0].Layers), "layers read", fitted.Selected[0].Name, err)
	fmt.Println(t.Names())
	rows, err := t.Rows(session.RowsRequest{})
	fmt.Println(len(rows.Train.Row), "training rows, no look at the others:", rows.TestLooks, err)
	later := t.Recorded() // may be asked in another goroutine, whatever the training does meanwhile
	history, err := later(session.HistoryRequest{Metrics: []string{"loss"}})
	fmt.Println(len(history.Curves["loss"].Steps) > 0, err)
	// Output:
	// 4 layers read TP53 <nil>
	// [TP53 BRCA1 EGFR]
	// 20 training rows, no look at the others: 0 <nil>
	// true <nil>
}

// Everything that some steps read but their noise, for another program to make the same steps. A checkpoint that was read can be written.
func ExampleTraining_WriteInputs() {
	d, _, t := opened()
	defer d.Close()
	defer t.Close()
	advance(t, 3)
	directory, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(directory)
	inputs, kept := filepath.Join(directory, "inputs.safetensors"), filepath.Join(directory, "kept.safetensors")
	check(t.WriteInputs(inputs, 10))
	save, err := t.Checkpoint()
	check(err)
	check(save(kept))
	checkpoint, err := train.LoadCheckpoint(kept)
	check(err)
	fmt.Println(checkpoint.Step, checkpoint.Save(filepath.Join(directory, "copy.safetensors")))
	// Output: 3 <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
