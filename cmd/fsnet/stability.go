package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/report"
)

type stabilityOptions struct {
	study.StabilityOptions
	progressFlags
	config config.Config
	json   bool
	html   string
}

// newStabilityCommand returns fsnet stability.
func newStabilityCommand() *cobra.Command {
	o := stabilityOptions{StabilityOptions: study.StabilityOptions{Pairs: study.StandardPairs}}
	c := &cobra.Command{
		Use:   "stability [DATA]",
		Short: "Say which chosen features to trust: repeat the fit on many halves of the training rows",
		Long: "Say which chosen features to trust: repeat the fit on many halves of the training rows.\n\n" +
			"The options are those of fsnet fit, and its choice stands. Beside it fsnet repeats the fit on complementary halves of\n" +
			"the training rows, twenty pairs of them, and gives every feature a line: in how many halves it was chosen, in how many\n" +
			"it or one of its look-alikes was, and a word for that: certain, likely, a lead, replaceable, not repeated. Decoys,\n" +
			"permuted copies of all columns, take part and raise an alarm where chance would choose as well. Test rows are not read\n" +
			"unless --evaluate asks for the accuracy (with --task regression, the R²) on them.\n\n" +
			"If you interrupt it, it reports on the halves done so far. docs/trust.md explains the words.",
		Example: "  fsnet stability ALLAML --k 10 --seed 1\n  fsnet stability expression.csv --label diagnosis --html genes.html\n" +
			"  fsnet stability ALLAML --pairs 50 --json > stability.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runStability(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config)
	c.Flags().Var(countFlag(&o.Pairs, "pairs", study.MaxPairs), "pairs", "`N` pairs of half-samples; what the words mean was "+
		"measured with 20")
	c.Flags().BoolVar(&o.Decoys, "decoys", true,
		"include permuted copies of all columns, which takes up to twice as long; --decoys=false leaves them out")
	c.Flags().BoolVar(&o.Evaluate, "evaluate", false,
		"also test the choice and the most frequent features on the test rows, by a support vector machine or, for a quantity, a kernel "+
			"ridge: a look at them")
	addJSON(c.Flags(), &o.json)
	c.Flags().StringVar(&o.html, "html", "", "also write an HTML page with chart and table to a `FILE`")
	o.addProgress(c.Flags(), "one object per line: done, planned, share, left (seconds)")
	return c
}

// runStability makes the fits and prints the verdicts. If it is interrupted, it
// prints the verdicts of the half-samples done so far and returns the error.
func runStability(ctx context.Context, o stabilityOptions, args []string, out, messages io.Writer) error {
	if err := needData(args, &o.config, "name a file or a built-in one, as in: fsnet stability ALLAML"); err != nil {
		return err
	}

	page := output.File{Flag: "--html", Path: o.html, Verb: "stability"}
	if err := cmp.Or(o.check(), checkOutputs(inputs(o.config), page)); err != nil {
		return err
	}

	settings, err := o.config.Resolve()
	if err != nil {
		return err
	}

	data, device, err := dataAndDevice(ctx, settings)
	if err != nil {
		return err
	}
	defer device.Close()

	bar := o.bar(messages)
	o.Progress = func(p study.Progress) {
		// The error is ignored because standard error may be closed.
		_ = o.write(messages, map[string]any{"done": p.Done, "planned": p.Total, "share": p.Share, "left": p.Left.Seconds()})
		bar.showStudy(p, "half-sample", "")
	}
	result, runErr := study.Stable(ctx, device, data, settings, o.StabilityOptions)
	bar.end()

	if result == nil {
		return runErr
	}

	if result.Test != nil {
		var looks looked
		looks.recordSplit(data, settings)
		result.Test.Looks = looks.text()
	}

	result.About = aboutStability(result)
	table := chart.StabilityTable(*result)
	picture, err := chart.StabilityChart(*result)

	if err == nil && o.html != "" {
		err = writeResults(page, "Which features to trust: "+result.Dataset, []report.Section{{Pictures: []chart.Picture{picture, table}}})
	}

	if err == nil && o.json {
		err = printJSON(out, result)
	} else if err == nil {
		_, err = io.WriteString(out, words.Wrap(table.Text, textColumns))
	}

	return cmp.Or(err, runErr)
}

// textColumns is the maximum width of printed text.
const textColumns = 140

// aboutStability explains the result, one paragraph each: what was counted,
// what the verdicts mean and how they did where the causes were known, what the
// decoys say about the whole choice, and the consensus.
func aboutStability(s *results.Stability) []string {
	label, apart, measured := "class", "tells the classes apart", ""
	if s.Task == config.Regression {
		label, apart = "quantity", "goes along with the quantity"
		measured = " All these sets had classes: for quantities no such counts were made."
	}
	list := []string{
		"* chosen by the fit to all training rows, which stays the choice. Seen: in how many half-samples it was chosen; with look-alikes: " +
			"it, or a feature that says the same (|r| of .8 or more on the training rows, average linkage).",
	}
	if s.Failed > 0 {
		list = append(list, fmt.Sprintf("%d of %s failed, the first: %s", s.Failed, phrase.Count(s.Planned, "half-sample"), s.Failure))
	}
	switch {
	case s.FewRows():
		what, least := phrase.Count(s.Half, "row"), phrase.Count(len(s.Classes)+results.FewestWithin, "row")
		if u := s.Units; u != nil {
			what, least = phrase.Count(u.Half, u.Name), phrase.Count(max(len(s.Classes), 2)+results.FewestWithin, u.Name)
		}
		list = append(list, fmt.Sprintf("A half-sample has %s of %s, too few for words: below %s hardly anything varies within "+
			"a class, and ties are broken by name. That says nothing about which features to trust.", what,
			phrase.Count(len(s.Classes), "class"), least))
	case s.Done < results.FewestForWords:
		list = append(list, fmt.Sprintf("Half-samples done: %d, too few for words: from %d on a line has one.", s.Done, results.FewestForWords))
	default:
		from := func(quarters int) int { return (quarters*s.Done + 3) / 4 }
		list = append(list,
			fmt.Sprintf("With look-alikes in %d or more: certain; in %d: likely; in %d: a lead, which chance sometimes reaches; in fewer: "+
				"replaceable, that is linked to the %s, and others would do; in one or none: not repeated, so that nothing but this choice speaks for it. Any of its group: itself less than three quarters as often as "+
				"its group, so that the word is about the group.", from(3), from(2), from(1), label),
			"What such counts meant on 90 sets whose causal features were known: of features that were themselves seen in three quarters or more "+
				".94 were causal (95 %: .73 to .99), from half to three quarters .48 (.81 with look-alikes), below a quarter .03. Where labels "+
				"were permuted no feature reached half."+measured)
	}
	list = append(list, aboutDecoys(s, label, apart))
	if len(s.Consensus) > 0 {
		var names []string
		for _, f := range s.Consensus {
			names = append(names, fmt.Sprintf("%s %d", f.Name, f.Seen))
		}
		list = append(list, "Consensus, the most frequent: "+strings.Join(names, ", ")+".")
	}
	if a := s.Test; a != nil {
		who := "a support vector machine"
		if a.Metric.Quantity() {
			who = "R² of a kernel ridge regression"
		}
		line := fmt.Sprintf("On the %s, at which this was a look: %s on the choice %.3f", phrase.Count(a.Rows, "test row"), who, a.Chosen)
		if a.Consensus != nil {
			line += fmt.Sprintf(", on the consensus %.3f", *a.Consensus)
		}
		if a.Looks != "" {
			line += "; " + a.Looks
		}
		list = append(list, line+".")
	}
	a := s.Agreement
	return append(list, fmt.Sprintf("Stability of the half-samples: Nogueira's %.2f, Jaccard %.2f.", a.Nogueira, a.Jaccard))
}

// aboutDecoys explains what the decoys say and what they don't. label and apart
// describe the label, for example as "class" and "tells the classes apart".
func aboutDecoys(s *results.Stability, label, apart string) string {
	d, copies := s.Decoys, "with permuted rows"
	switch u := s.Units; {
	case d == nil && u != nil:
		return fmt.Sprintf("No decoys took part, so nothing tells how far chance reaches among %s, and no word is above a lead.", phrase.Count(u.N, u.Name))
	case d == nil:
		return "No decoys took part, so nothing tells whether chance would choose as well."
	case u != nil && u.Name == dataset.Pair:
		copies = "in which the rows of pairs changed places at random"
	case u != nil:
		copies = fmt.Sprintf("in which each %s has the values of another", u.Name)
	}
	alarm := ""
	if d.Alarm {
		alarm = "CHANCE IS NOT EXCLUDED for this choice as a whole, so no word is above a lead. "
	}
	return alarm + fmt.Sprintf("Decoys, copies of the columns %s, took %.0f %% of the picks; half or more would mean that "+
		"nothing %s. A group of them was seen in up to %d half-samples: as many are at most a lead. Estimated share of chance at the best cut: %.2f. This is about the choice as a whole and about "+
		"\"related to the %s\": it is no verdict on a feature, and does not tell causes from what goes along with them.", copies, 100*d.Share, apart, d.Top, d.Q, label)
}
