package magic

import (
	"context"
	"slices"
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/views"
)

// verbs lists the verbs of the language in the order of help. Each entry holds
// everything about a verb. Its code is in a separate file, or with related
// verbs.
func verbs() []verb {
	anyKey := func(config.Key) bool { return true }
	isNumber := func(words []string, _ string) bool { _, err := strconv.ParseFloat(words[0], 64); return err == nil } // 10.5 is rejected later
	isLast := func(words []string, _ string) bool { return len(words) == 1 }
	isSettled := func(words []string, _ string) bool { return words[0] == "settled" }
	isPart := func(words []string, current string) bool {
		return slices.Contains(session.Parts(), words[0]) && current != ""
	}

	replace := option{name: "replace", about: "true first ends the session of that name and removes its run", kind: truth, standard: "false"}
	readOnly := option{name: "read_only", about: "true only looks at a session that another notebook has open", kind: truth,
		standard: "false"}
	wait := option{name: "wait", about: "false runs in the background: the cell ends at once", kind: truth, standard: "true"}
	pace := option{name: "pace", about: "watch: the whole annealing lasts 15 s at the least, so that you see the selectors converge", kind: choice,
		values: []string{session.PaceWatch}}
	live := option{name: "live", about: "true follows the training, false shows this moment", kind: truth, standard: "false"}
	step := option{name: "step", about: "a step of the training", kind: number}
	epoch := option{name: "epoch", about: "an epoch of the training", kind: number}
	stepAhead, epochAhead := step, epoch
	stepAhead.from, epochAhead.from = 1, 1
	from := option{name: "from", about: "the step to begin at", kind: number, standard: "0"}
	points := option{name: "points", about: "the most points per curve", kind: number, standard: "400"}
	smooth := option{name: "smooth", about: "over how many epochs losses and training accuracies are smoothed, 0: not at all; unless you " +
		"say, over at most a fiftieth of those shown", kind: number}
	testRows := option{name: "test", about: "true adds the test rows, a look at them that is counted", kind: truth, standard: "false"}
	of := option{name: "of", kind: choice, values: []string{"probability", "sample", "soft"}, standard: "probability",
		about: "which matrix: probability is P, without temperature and noise; sample is M, the concrete sample at temperature τ; soft " +
			"is the softmax at τ, without noise"}
	top := option{name: "top", about: "the most columns to show: those with the most mass", kind: number, standard: "40"}

	symbols := option{name: "symbols", about: "a file with a feature and its symbol on each line, separated by a tab or a comma", kind: file,
		values: []string{".csv", ".tsv", ".txt"}}

	return []verb{
		{name: "open", usage: "SESSION data=… [k=10 seed=1 …]", session: true, uses: true, options: []option{replace, readOnly}, keys: anyKey,
			run: (*request).open,
			about: "open a training, attach to an open one of that name, or continue its saved run; replace=true starts over, read_only=true " +
				"looks at one that is open elsewhere"},
		{name: "step", usage: "[SESSION] [N]", session: true, uses: true, maxWords: 1, argument: isNumber, run: (*request).step, check: (*request).checkStep,
			about: "advance by N steps (1)"},
		{name: "run", usage: "[SESSION] [epoch=E] [step=S] [settled] [pace=watch] [wait=false]", session: true, uses: true, maxWords: 1, argument: isSettled,
			choices: []string{"settled"},
			options: []option{epochAhead, stepAhead, pace, wait}, run: (*request).run, check: (*request).checkChoice,
			about: "advance to the end, or to the point given; interrupting the cell pauses the run; pace=watch goes slowly enough to be watched, wait=false runs in the background"},
		{name: "pause", usage: "[SESSION]", session: true, uses: true, run: (*request).pause,
			about: "end a run in progress"},
		{name: "rewind", usage: "[SESSION] STEP|epoch=E", session: true, uses: true, maxWords: 1, argument: isNumber, options: []option{step, epoch},
			run: (*request).rewind, check: (*request).checkRewind,
			about: "go back to a step, exactly; what came later is forgotten"},
		{name: "fork", usage: "[SESSION] NEWNAME [step=S|epoch=E]", session: true, uses: true, maxWords: 1, argument: isLast,
			options: []option{step, epoch, replace}, run: (*request).fork, check: (*request).checkFork,
			about: "start another session with the same past, which becomes the session in use; replace=true first ends one of that name"},
		{name: "set", usage: "[SESSION] key=value …", session: true, uses: true, keys: isLive, run: (*request).set, check: (*request).checkSet,
			about: "change live keys from the next step on"},
		{name: "status", usage: "[SESSION]", session: true,
			view:  answerView("status", session.VerbStatus, nameParams, infallible(chart.Status)),
			about: "where the training is"},
		{name: "network", usage: "[SESSION]", session: true,
			view:  answerView("network", session.VerbStatus, nameParams, chart.Network),
			about: "the network that trains, layer by layer: shapes, parameters, and which of them predict"},
		{name: "selection", usage: "[SESSION]", session: true,
			view:  selectionView(),
			about: "the K features chosen now, by name"},
		{name: "summary", usage: "[SESSION] [symbols=FILE]", session: true, options: []option{symbols}, view: view{name: "summary", draw: drawSummary},
			about: "what it came to: how well the network does on the test rows (a look at them, which is counted), and the features, with the " +
				"class that each stands out in, their symbols, and their word of %fsnet stability where this notebook asked it"},
		{name: "matrix", usage: "[SESSION] [of=probability|sample|soft] [top=40] [step=S] [live=true]", session: true,
			options: []option{of, top, step, live},
			view:    answerView("matrix", session.VerbMatrix, matrixParams, chart.Matrix).withLive(starterOf(views.Matrix)),
			about:   "the selection matrix, now or as it was after a past step; live=true follows the run"},
		{name: "feature", usage: "[SESSION] NAME|COLUMN", session: true, maxWords: 1, argument: isLast, complete: completeFeature,
			run: (*request).feature, check: (*request).checkFeature,
			view:  answerView("feature", session.VerbFeature, featureParams, chart.Feature),
			about: "one feature: its training rows by class, and its probability over the epochs"},
		{name: "heatmap", usage: "[SESSION] [test=true]", session: true, options: []option{testRows},
			view: answerView("heatmap", session.VerbRows, rowsParams, chart.Heatmap),
			about: "the selected features in the training rows, by class, in standard deviations; test=true adds the test rows, a look " +
				"at them that is counted"},
		{name: "pca", usage: "[SESSION]", session: true, view: view{name: "pca", draw: rowsDrawing(chart.PCARequest(), chart.PCA)},
			about: "the training rows on two principal components of the selected features, beside those of as many random features"},
		{name: "distributions", usage: "[SESSION]", session: true,
			view:  view{name: "distributions", draw: rowsDrawing(session.RowsRequest{}, chart.Distributions)},
			about: "each selected feature in the training rows, class by class, as densities or points"},
		{name: "curves", usage: "[SESSION …] [MEASURE] [from=STEP] [points=400] [smooth=EPOCHS]", session: true, maxWords: anyNumber,
			options: []option{from, points, smooth}, run: (*request).curves,
			complete: func(ctx context.Context, i *Interpreter, _ string, _ []word) []string {
				return append(i.openSessions(ctx), session.Metrics()...)
			},
			view: answerView("curves", session.VerbHistory, historyParams, chart.Curves),
			about: "loss, accuracy and temperature over the epochs; smooth=0 shows losses and training accuracies as measured only; of several " +
				"sessions, the class loss over one another, with the settings in which they differ; MEASURE, such as accuracy_validation, is " +
				"the one to draw"},
		{name: "convergence", usage: "[SESSION]", session: true, view: view{name: "convergence", draw: drawConvergence},
			about: "how the selection formed: the largest probability of every selector over the epochs, and which feature led it"},
		{name: "panel", usage: "[SESSION]", session: true, view: view{name: "panel", start: starterOf(views.Panel)},
			about: "buttons and sliders that steer the training, live even while a cell runs"},
		{name: "anneal", usage: "[SESSION]", session: true, view: view{name: "anneal", start: starterOf(views.Annealing)},
			about: "the temperature schedule, with points that you can drag, and what each selector is about to choose"},
		{name: "table", usage: "[SESSION]", session: true, view: view{name: "table", start: starterOf(views.Table)},
			about: "the selected features, live, with means by class and information: sort, copy, save as CSV"},
		{name: "history", usage: "[SESSION] [from=STEP]", session: true, options: []option{from}, run: (*request).history,
			about: "what happened, as a list"},
		{name: "evaluate", usage: "[SESSION] [train|validation|test]", session: true, maxWords: 1, argument: isPart,
			choices: session.Parts(), run: (*request).evaluate, check: (*request).checkChoice,
			view: answerView("evaluation", session.VerbEvaluate, evaluateParams, infallible(chart.Evaluation)),
			about: "how well the network predicts those rows from the selected features (test unless you say otherwise; looks at test rows are " +
				"counted)"},
		{name: "sessions", run: (*request).sessions,
			about: "the open sessions"},
		{name: "report", usage: "[SESSION …] [output=FILE] [test=true] [stability=FILE]", session: true, maxWords: anyNumber,
			options: reportOptions(), run: (*request).report,
			complete: func(ctx context.Context, i *Interpreter, _ string, _ []word) []string { return i.openSessions(ctx) },
			about: "write one HTML page of the session: genes, curves, distributions, figures, and the lines that repeat it; unless " +
				"test=false it looks at the test rows, which is counted"},
		{name: "close", usage: "[SESSION]", session: true, run: (*request).close,
			about: "end a session and free what it holds"},
		{name: "help", usage: "[VERB|KEY]", maxWords: anyNumber, complete: completeHelp, run: (*request).help,
			about: "this list, or what a verb or key means"},
		{name: "version", run: (*request).version,
			about: "which FsNet this is"},
		{name: "doctor", run: (*request).doctor,
			about: "check this machine, and say what to do about each problem"},
		{name: "clear", run: (*request).clear,
			about: "clear the output of this cell"},
	}
}
