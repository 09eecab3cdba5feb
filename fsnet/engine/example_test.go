package engine_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
)

// made is an engine on made-up rows, of which the second of four features tells the classes apart.
func made(d *device.Device, seed int64) (*engine.Engine, config.Live) {
	rules := config.RulesOf(config.FsNet)
	rules.PredictorHidden = []int{8}
	settings, err := config.Config{K: 1, Epochs: 100, Hidden: []int{8}, Rules: &rules, Batch: new(10)}.Resolve()
	check(err)
	const rows, features = 20, 4
	var x []float32
	var y []int
	for i := range rows {
		class := i % 2
		x = append(x, float32(i%3-1), float32(2*class-1), float32(i%5-2), float32(i%7-3))
		y = append(y, class)
	}
	settings = settings.ForData(rows)
	target := embedding.Target{Y: y, Classes: 2}
	phi, err := method.Embed(settings, embedding.Dense{X: x, D: features}, target)
	check(err)
	a := method.NewArchitecture(settings, rows, features, 2)
	e, err := engine.New(d, a, seed, phi, engine.Rows{Dense: x}, target, nil)
	check(err)
	return e, settings.Live
}

// Steps are made in calls of many, and the state is looked into between them.
func ExampleEngine() {
	d, err := device.Open(context.Background(), "go")
	check(err)
	defer d.Close()
	e, live := made(d, 0)
	defer e.Close()
	for start := 0; start < 200; {
		metrics, broken, err := e.Advance(start, min(engine.ChunkCapacity, 200-start), live)
		check(err)
		if broken != "" {
			fmt.Println(broken, "is not a number")
			return
		}
		start += len(metrics)
	}
	seen, err := e.Observe(engine.Look{Sharpness: 20}, 1)
	fmt.Printf("selector 0 leads with feature %d, %v\n", seen.Leader[0], err)
	p, err := e.Probability(engine.Look{Sharpness: 20})
	fmt.Println(len(p), "probabilities,", p[seen.Leader[0]] > 0.9, err)
	theta, squares, err := e.Parameters()
	check(err)
	same := e.Fork(theta, squares) // on the same inputs
	defer same.Close()
	again, err := same.Probability(engine.Look{Sharpness: 20})
	fmt.Println(again[1] == p[1], err)
	// Output:
	// selector 0 leads with feature 1, <nil>
	// 4 probabilities, true <nil>
	// true <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
