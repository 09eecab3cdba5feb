package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// The test binary is also the notebook cells of its tests: see must_test.go.
func TestMain(m *testing.M) {
	if name := os.Getenv(cellVariable); name != "" {
		cells()[name]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// demo serves a host, with an engine that learns nothing, where handles look for a kernel.
func demo() (h *host.Host, end func()) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	directory, err := os.MkdirTemp("", "fsnet")
	must(err)
	path := filepath.Join(directory, "s")
	listener, err := host.Listen(path)
	must(err)
	h = host.New(host.Options{Open: fake.Open})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	go func() {
		served <- host.Serve(ctx, listener, h.Server(), nil)
	}()
	before := os.Getenv(session.SocketVariable)
	must(os.Setenv(session.SocketVariable, path))
	return h, func() {
		cancel()
		h.Shutdown()
		must(<-served)
		must(os.Setenv(session.SocketVariable, before))
		must(os.RemoveAll(directory))
	}
}

func newDemo(t *testing.T) *host.Host {
	t.Helper()
	h, end := demo()
	t.Cleanup(end)
	return h
}

func ExampleUse() {
	_, end := demo()
	defer end()
	var s = session.UseAlone("leukemia", session.Config{Data: "planted", K: 3}) // session.Use in a cell

	status := s.Must().Step(30)
	fmt.Println(status.Step, status.State)
	for _, name := range s.Must().Selection().Names() {
		fmt.Println(name)
	}
	// Output:
	// 30 paused
	// gene00
	// gene07
	// gene14
}

func ExampleSession_Set() {
	_, end := demo()
	defer end()
	ctx := context.Background()
	s := session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	if _, err := s.Run(ctx, session.Until{Epoch: 2}); err != nil {
		fmt.Println(err)
	}
	event, err := s.Set(ctx, session.Config{Lambda: new(0.1), Schedule: "hold:1"})
	fmt.Println(event, err)
	// Output: step 6 (epoch 2): lambda 1 → 0.1, schedule exponential → hold:1 <nil>
}

func ExampleDial() {
	_, end := demo()
	defer end()
	ctx := context.Background()
	client, err := session.Dial(ctx, os.Getenv(session.SocketVariable))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Disconnect()
	_, err = session.On(client, "leukemia").Status(ctx)
	fmt.Println(err)
	// Output: there is no session "leukemia" - open it first: no session is open
}

func ExampleSelection_String() {
	fmt.Println(session.Selection{
		{Rank: 1, Name: "M27891_at", Index: 1881, Probability: 0.98, Margin: 0.97, Selector: 4},
		{Rank: 2, Name: "X95735_at", Index: 4846, Probability: 0.913, Margin: 0.9, Selector: 0},
	})
	// Output:
	// feature        probability  margin  column  selector
	//  1. M27891_at        0.980   0.970    1881         4
	//  2. X95735_at        0.913   0.900    4846         0
}

func ExampleEvaluation_String() {
	fmt.Println(session.Evaluation{
		Session: "leukemia", Part: "test", Rows: 36, Step: 1500,
		Score: session.Score{Metric: session.Accuracy, Value: 34.0 / 36}, BalancedAccuracy: new(0.9375), Guess: 24.0 / 36,
		Confusion: [][]int{{23, 1}, {1, 11}}, Classes: []string{"ALL", "AML"}, ReconstructionError: 0.87, MutualInformation: 0.41, TestLooks: 2,
	})
	// Output:
	// test rows of leukemia after step 1500: accuracy 0.944, balanced 0.938; always the most frequent class: 0.667
	// true class  ALL  AML
	// ALL          23    1
	// AML           1   11  (columns: predicted)
	// reconstruction error 0.87, mutual information of the selected features 0.410 bits
	// the test rows were looked at 2 times; choosing settings by them is tuning on the test set
}
