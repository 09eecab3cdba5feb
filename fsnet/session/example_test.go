package session_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// Without Must every verb takes a context and returns an error; each attaches where the handle has not yet.
func ExampleSession_Run() {
	_, end := demo()
	defer end()
	ctx := context.Background()
	s := session.UseAlone("leukemia", session.Config{Data: "planted", K: 3, Epochs: 20})
	status, err := s.Open(ctx)
	fmt.Println(s.Name(), status.State, err)
	status, err = s.Step(ctx, 6)
	fmt.Println("step", status.Step, err)
	status, err = s.Run(ctx, session.Until{Epoch: 10})
	fmt.Println("epoch", status.Epoch, err)
	status, err = s.Pause(ctx) // nothing runs any more
	fmt.Println(status.State, err)
	status, err = s.Replace(ctx)
	fmt.Println("step", status.Step, err)
	fmt.Println(s.Close(ctx))
	// Output:
	// leukemia idle <nil>
	// step 6 <nil>
	// epoch 10 <nil>
	// paused <nil>
	// step 0 <nil>
	// <nil>
}

// What a training has learned so far: its choice, the matrix behind it, one feature, and how good that is.
func ExampleSession_Selection() {
	_, end := demo()
	defer end()
	ctx := context.Background()
	s := session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	_, err := s.Run(ctx, session.Until{})
	check(err)
	selection, err := s.Selection(ctx)
	fmt.Println(selection.Names(), err)
	request := session.MatrixRequest{Of: "probability", Top: 5}
	check(request.Check()) // as the verb does
	matrix, err := s.Matrix(ctx, request)
	fmt.Println(len(matrix.Values), "×", len(matrix.Names), "of", matrix.D, err)
	feature, err := s.Feature(ctx, "gene07")
	fmt.Println("column", feature.Index, "in", len(feature.Classes), "classes", err)
	evaluation, err := s.Evaluate(ctx, "test")
	fmt.Println(evaluation.Rows, "rows,", evaluation.TestLooks, "look", err)
	history, err := s.History(ctx, session.HistoryRequest{Metrics: []string{"loss"}})
	fmt.Println(history.Curves["loss"].Steps[0], history.Events[0].Kind, err)
	// Output:
	// [gene00 gene07 gene14] <nil>
	// 3 × 3 of 50 <nil>
	// column 7 in 2 classes <nil>
	// 20 rows, 1 look <nil>
	// 3 open <nil>
}

// Whoever watches is told what changes, and puts the changes of the history behind one another.
func ExampleSession_Watch() {
	_, end := demo()
	defer end()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	_, err := s.Run(ctx, session.Until{Step: 30})
	check(err)
	var history session.History
	request := session.WatchRequest{History: &session.HistoryRequest{Metrics: []string{"loss"}}}
	err = s.Watch(ctx, request, func(u session.Update) {
		check(history.Apply(*u.History))
		cancel()
	})
	fmt.Println(history.Step, len(history.Curves["loss"].Steps), err)
	// Output: 30 10 <nil>
}

// A cell without a kernel: the first verb fails, and ExitOn would print why and end the cell.
func ExampleExitOn() {
	s := session.Use("leukemia", session.Config{Data: "ALLAML", K: 10}) // asks nothing yet
	session.ExitOn(nil)
	fmt.Println(s.Name())
	// Output: leukemia
}

// A cell's verbs: an error is printed and ends the cell.
func ExampleSession_Must() {
	_, end := demo()
	defer end()
	s := session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	m := s.Must()
	m.Open()
	fmt.Println(s.Name(), m.Step(3).Step, m.Run(session.Until{Step: 9}).Step)
	fmt.Println(m.Evaluate("train").Rows, len(m.Matrix(session.MatrixRequest{}).Values), m.Feature("0").Name)
	m.Pause()
	fmt.Println(m.Replace().Step)
	m.Close()
	// Output:
	// leukemia 3 9
	// 20 3 gene00
	// 0
}

// One connection has the verbs of all sessions, by name.
func ExampleOn() {
	_, end := demo()
	defer end()
	ctx := context.Background()
	client, err := session.Dial(ctx, os.Getenv(session.SocketVariable))
	check(err)
	defer client.Disconnect()
	_, err = session.VerbOpen.Call(ctx, client, session.OpenRequest{Session: "leukemia", Config: session.Config{Data: "planted", K: 3}})
	check(err)
	status, err := session.On(client, "leukemia").Step(ctx, 4)
	fmt.Println(status.Step, err)
	_, err = session.VerbFork.Call(ctx, client, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(2)})
	check(err)
	names, err := session.VerbFeatures.Call(ctx, client, session.FeaturesRequest{Session: "leukemia", Prefix: "gene0", Most: 2})
	fmt.Println(len(names), err)
	list, err := session.VerbSessions.Call(ctx, client, session.None{})
	for _, s := range list {
		fmt.Println(s.Session, s.Step, err)
	}
	fmt.Println(session.On(client, "branch").Close(ctx))
	// Output:
	// 4 <nil>
	// 2 <nil>
	// branch 2 <nil>
	// leukemia 4 <nil>
	// <nil>
}

// What answers verbs need not be a host. A line of JSON is answered by the function that handles its verb.
func ExampleHandle() {
	verbs := session.Handlers{}
	session.Handle(verbs, session.VerbEvaluate, func(_ context.Context, r session.EvaluateRequest) (session.Evaluation, error) {
		return session.Evaluation{Session: r.Session}, session.NoRows(session.Validation)
	})
	here, there := net.Pipe()
	server := session.Server{Verbs: verbs, Guard: func(_ string, work func() error) error { return work() }}
	go server.Serve(context.Background(), there)
	fmt.Fprintln(here, `{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"leukemia","part":"validation"}}`)
	line, err := bufio.NewReader(here).ReadString('\n')
	fmt.Println(line[:35], err)
	go session.Refuse(there, errs.New(errs.Unavailable, "end one", "there are too many clients"))
	line, err = bufio.NewReader(here).ReadString('\n')
	fmt.Println(line[:37], err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"c <nil>
	// {"jsonrpc":"2.0","id":null,"error":{" <nil>
}

// A curve with fewer points keeps its extremes, and the means of what they are left of.
func ExampleCurve_Thin() {
	c := session.Curve{Steps: []int{1, 2, 3, 4, 5, 6, 7, 8}, Values: []float64{5, 4, 9, 2, 3, 1, 8, 0}}
	fmt.Println(c.Thin(6))
	fmt.Println(session.Metrics()[:2])
	// Output:
	// {[1 3 4 6 7 8] [5 9 2 1 8 0] [5 5 5 4 4 0]}
	// [loss loss_class]
}

// Outside a notebook there is no kernel: Ask says so, as the verbs of a handle do.
func ExampleAsk() {
	_, err := session.Ask(context.Background(), session.VerbInput, session.InputRequest{Prompt: "whose data? "})
	fmt.Println(errs.Is(err, errs.Unavailable))
	// Output: true
}

// The kernel of a notebook draws views; elsewhere the verb is not known. Call makes any request, by its name.
func ExampleSession_Show() {
	_, end := demo()
	defer end()
	ctx := context.Background()
	s := session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	fmt.Println(s.Show(ctx, session.ViewRequest{View: "matrix", Top: 5}) != nil)
	client, err := session.Dial(ctx, os.Getenv(session.SocketVariable))
	check(err)
	var status session.Status
	err = client.Call(ctx, "status", session.NameRequest{Session: "leukemia"}, &status)
	fmt.Println(status.State, err)
	client.Disconnect()
	<-client.Ended()
	// Output:
	// true
	// idle <nil>
}

// What a status says of how good the network is, and of which rows it can be asked.
func ExampleStatus_Learned() {
	status := session.Status{TrainScore: session.Score{Metric: "accuracy", Value: 0.97}}
	fmt.Println(session.MetricOf(false) == status.TrainScore.Metric, status.TrainScore.Metric.Name(), status.TrainScore.Value, status.ValidationScore == nil, "of the", status.Learned())
	fmt.Println(session.Parts(), session.NoRows(session.Validation))
	status.Config.Protocol = config.FsNet
	fmt.Println(status.Method())
	// Output:
	// true accuracy 0.97 true of the class
	// [train validation test] there are no validation rows: validation_fraction = 0 - open a session with validation_fraction=0.2, say
	// fsnet: the gradient of the network's loss trains the selectors
}

// The course of a feature in P: the selector that gave it most, and how much. A quartile of sorted values.
func ExampleCourse_Add() {
	var course session.Course
	course.Add(10, []float64{0.1, 0.4})
	course.Add(20, []float64{0.7, 0.2})
	fmt.Println(course)
	fmt.Println(session.Quantile([]float64{1, 2, 3, 4, 5}, 0.25))
	// Output:
	// {[10 20] [0.4 0.7] [1 0]}
	// 2
}

// A loss whose weight λ is changed after step 20: its average over ten steps begins anew there. What is new after step 20 is drawn from the
// point before.
func ExampleCurve_Smooth() {
	h := session.History{
		Curves: map[string]session.Curve{"loss": {Steps: []int{10, 20, 30, 40}, Values: []float64{2, 1, 0.2, 0.1}}},
		Events: []session.Event{{Step: 20, Kind: "set", Changes: []config.Change{{Key: "lambda", From: "1", To: "0.1"}}}},
	}
	fmt.Println(h.LossChanges(), session.Noisy("loss"), session.Noisy("tau"))
	fmt.Printf("%.2f\n", h.Curves["loss"].Smooth(10, h.LossChanges()...))
	fmt.Println(h.Curves["loss"].After(20).Steps)
	fmt.Println("300 epochs are smoothed over", session.SmoothEpochs(300))
	// Output:
	// [20] true false
	// [2.00 1.27 0.20 0.13]
	// [20 30 40]
	// 300 epochs are smoothed over 5
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// An evaluation in one sentence, with the interval of its accuracy.
func ExampleEvaluation_Answer() {
	e := session.Evaluation{Part: session.Test, Rows: 36,
		Score: session.Score{Metric: session.Accuracy, Value: 34.0 / 36}, BalancedAccuracy: new(0.938), Guess: 0.667, Low: new(0.8186), High: new(0.9846)}
	fmt.Println(e.Answer())
	// Output:
	// 34 of 36 unseen rows right: accuracy 0.944 (95 % interval 0.82 to 0.98), balanced 0.938; always guessing the most frequent class would give 0.667
}

// Once a training is over there are two figures, of two kinds of networks.
func ExampleEvaluation_Networks() {
	e := session.Evaluation{Step: 1050, Score: session.Score{Metric: session.Accuracy, Value: .816},
		Trained: session.Score{Metric: session.Accuracy, Value: .69}, Final: &session.FinalScore{Step: 1050,
			Score: session.Score{Metric: session.Accuracy, Value: .816}}}
	fmt.Println(e.Networks())
	// Output:
	// trained network (step 1050): accuracy 0.690; final networks (step 1050): accuracy 0.816; the other figures here are the final networks'
}

// How features go with the classes of the training rows.
func ExampleRows_Effects() {
	rows := session.Rows{Classes: []string{"ALL", "AML"}, Train: session.PartRows{Class: []int{0, 0, 1, 1}},
		Features: []session.RowFeature{{Name: "Zyxin", Train: []session.Value{1, 2, 5, 6}}}}
	fmt.Println(rows.Effects(false))
	// Output:
	// [AML +5.7]
}

// How the training rows of a feature lie between its lowest and its highest value, class by class.
func ExampleRows_Histograms() {
	rows := session.Rows{Classes: []string{"ALL", "AML"}, Train: session.PartRows{Class: []int{0, 0, 1, 1}},
		Features: []session.RowFeature{{Name: "Zyxin", Train: []session.Value{1, 2, 5, 6}}}}
	fmt.Println(rows.Histograms())
	// Output:
	// [[[1 1 0 0 0 0 0 0 0] [0 0 0 0 0 0 0 1 1]]]
}

// A growing curve is thinned by stretches of one length; the last, unfinished stretch stays whole.
func ExampleGrowing() {
	var curve session.Growing
	for step := 1; step <= 11; step++ {
		curve.Extend(step, session.Curve{Steps: []int{step}, Values: []float64{float64(step)}}, 6)
	}
	fmt.Println(curve.Steps)
	// Output:
	// [1 2 8 9 10 11]
}

// A selector may give up the feature that it settled on.
func ExampleSelected_Reason() {
	s := session.Selected{Name: "Zyxin", ChosenBy: session.ByContest, Replaced: &session.Entry{Name: "CST3"}}
	fmt.Printf("%s: %s\n", s.Name, s.Reason())
	// Output:
	// Zyxin: contest, replaced CST3
}

// What stands beside an accuracy: how far the training has come, the classes that no row has, and who looked before.
func ExampleEvaluation_Looks() {
	status := session.Status{State: session.Paused, Step: 20, Steps: 1500, Config: config.Settings{K: 10}}
	fmt.Println(status.Unfinished())
	e := session.Evaluation{Classes: []string{"case", "ctl"}, Confusion: [][]int{{9, 1}, {0, 0}}, TestLooks: 3, TestSettings: 2}
	fmt.Println(e.Absent())
	fmt.Println(e.Looks())
	// Output:
	// unfinished: step 20 of 1500, paused, 0 of 10 selectors settled
	// [ctl]
	// the test rows were looked at 3 times, with 2 settings; choosing settings by them is tuning on the test set
}

// What the contest after the annealing exchanged among ten features, and why.
func ExampleContest_Sentence() {
	c := session.Contest{Step: 1500, Exchanges: []session.Exchange{
		{From: session.Entry{Name: "CST3"}, To: session.Entry{Name: "Zyxin"}, By: session.ByContest, Share: 0.42},
	}}
	fmt.Println(c)
	fmt.Println(c.Sentence(10))
	// Output:
	// Zyxin replaced CST3
	// After the annealing one of ten was exchanged: CST3 for Zyxin (explains 42 % of what the others leave)
}

// A view asks whom a selector's feature replaced, by the selector's number.
func ExampleContest_Replaced() {
	c := &session.Contest{Exchanges: []session.Exchange{
		{Selector: 4, From: session.Entry{Name: "CST3"}, To: session.Entry{Name: "Zyxin"}, By: session.ByContest},
	}}
	fmt.Println(c.Replaced(4).From.Name, c.Replaced(0) == nil)
	// Output:
	// CST3 true
}

// Of 1000 steps, a chart of 100 points shows two of each 32.
func ExampleCurve_StretchLength() {
	var curve session.Curve
	for step := 1; step <= 1000; step++ {
		curve.Steps, curve.Values = append(curve.Steps, step), append(curve.Values, 1)
	}
	fmt.Println(curve.StretchLength(100), curve.StretchLength(2000))
	// Output:
	// 32 1
}

// A view that has the looks up to step 20 asks for those that follow.
func ExampleSelectors_Since() {
	s := &session.Selectors{Looks: []session.Look{{Step: 10}, {Step: 20}, {Step: 30}}}
	for _, look := range s.Since(20).Looks {
		fmt.Println(look.Step)
	}
	fmt.Println(s.Since(30) == nil)
	// Output:
	// 20
	// 30
	// true
}
