package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
)

type judgeOptions struct {
	progressFlags
	config   config.Config
	features string
	splits   int
	json     bool
}

// newJudgeCommand returns fsnet judge.
func newJudgeCommand() *cobra.Command {
	o := judgeOptions{splits: 20}
	c := &cobra.Command{
		Use:   "judge DATA --features panel.txt",
		Short: "Judge a panel of features that you bring, against as many random ones and the best by an F test",
		Long: "Judge a panel of features that you bring, against as many random ones and the best by an F test.\n\n" +
			"--features is a list separated by commas, or a file with one name per line. On each split (seeds from --seed on, as in\n" +
			"fsnet compare) a support vector machine and FsNet's encoder and classifier are trained on these features of the\n" +
			"training rows and tested on the test rows, which gives the accuracy, the recall of each class, and how much the\n" +
			"features repeat one another. As many random features, and as many that ANOVA chooses from the training rows of each\n" +
			"split, are judged in the same way. With --task regression the figures are R², of a kernel ridge regression and of that\n" +
			"network.\n\n" +
			"If the panel was chosen on these samples, its figures are too good. If you interrupt it, it reports on the splits done\n" +
			"so far.",
		Example: "  fsnet judge ALLAML --features panel.txt\n  fsnet judge cohort.csv --label diagnosis --features TP53,MYC,EGFR --splits 50 " +
			"--json > judged.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runJudge(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config)
	c.Flags().StringVar(&o.features, "features", "", "the panel: names separated by commas, or a `FILE` with one name per line")
	c.Flags().Var(countFlag(&o.splits, "splits", study.MaxJudgedSplits), "splits", "judge on `S` splits, with the seeds seed … seed + S − 1")
	addJSON(c.Flags(), &o.json)
	o.addProgress(c.Flags(), "")
	return c
}

// runJudge judges the panel of --features and prints the figures. If it is
// interrupted, it prints the splits done so far and returns the error.
func runJudge(ctx context.Context, o judgeOptions, args []string, out, messages io.Writer) error {
	if err := needData(args, &o.config, "name a file or a built-in one, as in: fsnet judge ALLAML --features panel.txt"); err != nil {
		return err
	}

	switch {
	case o.features == "":
		return errs.New(errs.Request, "add --features with names or a file, as in: fsnet judge ALLAML --features panel.txt", "no panel")
	case o.config.K > 0:
		return errs.New(errs.Request, "leave it out", "--k %d: the panel decides how many features there are", o.config.K)
	}

	o.config.K = 1
	settings, err := o.config.Resolve()
	if err != nil {
		return err
	}

	data, device, err := dataAndDevice(ctx, settings)
	if err != nil {
		return err
	}
	defer device.Close()

	names, err := dataset.ReadFeatureList("features", o.features, "", data.Features)
	if err != nil {
		return err
	}

	columns, err := dataset.FindFeatures("features", data.Name, names, data.Features)
	if err != nil {
		return err
	}

	bar, began := o.bar(messages), time.Now()
	var looks looked
	result, runErr := study.JudgePanel(ctx, device, data, settings,
		study.JudgeOptions{Features: columns, Splits: o.splits, Looked: func(rows string) { looks.record(rows, "judge "+strings.Join(names, ", ")) }, Progress: func(done, total int) {
			bar.draw(float64(done)/float64(total), done == total, fmt.Sprintf("%d of %s", done, phrase.Count(total, "split")),
				remainingText(time.Since(began).Seconds()/float64(max(done, 1))*float64(total-done), done > 0))
		}})

	bar.end()
	if result == nil {
		return runErr
	}

	if result.Looks = looks.text(); o.json {
		err = printJSON(out, result)
	} else {
		err = printJudged(out, result)
	}

	return cmp.Or(err, runErr)
}

// printJudged prints how good a panel is as text.
func printJudged(out io.Writer, r *results.Judged) error {
	fmt.Fprintf(out, "%s: %s, %s\n", r.Dataset, phrase.Table(r.N, r.D), labelText(r.Classes, r.Metric.Quantity()))
	fmt.Fprintf(out, "a panel of %d: %s\n", len(r.Features), shortList(r.Features, 10))

	always := "the mean: R² 0"
	if !r.Metric.Quantity() {
		always = fmt.Sprintf("the most frequent class: %.3f", r.Guess.Mean)
	}

	fmt.Fprintf(out, "%d of %s, from seed %d; always %s\n\n", r.Splits, phrase.Count(r.Planned, "split"), r.Seed, always)

	titles := []string{"", ">R²", ">own head R²", ">redundancy"}
	if !r.Metric.Quantity() {
		titles = []string{"", ">SVM accuracy", ">balanced", ">own head", ">redundancy"}
		for _, class := range r.Classes {
			titles = append(titles, ">recall "+class)
		}
	}

	t := words.NewTable(append(titles, ">panel better/equal/worse", ">p")...)
	test := "p: Wilcoxon's signed-rank test of the " + judgedFigures(r.Metric) + "; splits share rows, so it is too small."

	for _, e := range r.Entries {
		against, p := "-", "-"
		if a := e.Against; a != nil {
			against, p = fmt.Sprintf("%+.3f, %d/%d/%d", a.Difference, a.Better, a.Equal, a.Worse), words.PValue(a.P)
			if a.P == nil {
				test = "No p: " + oneSplitText
			}
		}
		t.Add(slices.Concat([]string{entryName(e.Name)}, judgedCells(e), []string{against, p})...)
	}

	if err := printTable(out, t); err != nil {
		return err
	}

	if r.Constant > 0 {
		fmt.Fprintf(out, "\nOn average %.3g features of the panel do not vary over a split's training rows; they are left out, and the "+
			"other lists are as long as the rest.\n", r.Constant)
	}

	head := "Own head: FsNet's encoder and classifier trained on these features"
	if r.Metric.Quantity() {
		head = "R²: of a kernel ridge regression on these features; own head: of FsNet's\nencoder and output"
	}

	if _, err := fmt.Fprintf(out, judgeLegend, head, test); err != nil || r.Looks == "" {
		return err
	}
	_, err := fmt.Fprintf(out, "Looks: %s.\n", r.Looks)
	return err
}

const judgeLegend = `
Mean ± standard deviation over the splits, on test rows. %s. Redundancy:
mutual information between them, bits. random and anova choose as many from each split's training rows. If the panel was chosen on these
samples, its figures are too good. %s
`

// judgedCells returns the figures of an entry, without its comparison with the
// panel.
func judgedCells(e results.JudgedEntry) []string {
	if e.BalancedAccuracy == nil {
		return []string{spreadText(e.Score), spreadText(e.Own), spreadText(e.MutualInformation)}
	}
	cells := []string{spreadText(e.Score), spreadText(e.BalancedAccuracy), spreadText(e.Own), spreadText(e.MutualInformation)}
	for _, recall := range e.Recall {
		cells = append(cells, spreadText(recall))
	}
	return cells
}

// entryName returns an entry's name as the table shows it.
func entryName(name string) string {
	switch name {
	case study.RandomEntry:
		return "as many at random"
	case study.ANOVAEntry:
		return "as many by ANOVA"
	}
	return "the panel"
}

// spreadText returns mean and standard deviation, or "-" for nil.
func spreadText(s *metric.Spread) string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f ± %.3f", s.Mean, s.SD)
}

// shortList joins at most most names, and counts the others.
func shortList(names []string, most int) string {
	text := strings.Join(names[:min(most, len(names))], ", ")
	if rest := len(names) - most; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
