package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/system"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

type stabilityOptions struct {
	study.StabilityOptions
	config config.Config
	json   bool
	html   string
	quiet  bool
	lines  string // of progress: "" or json
}

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
	c.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "no progress bar")
	c.Flags().StringVar(&o.lines, "progress", "", "report progress on standard error as `json`, one object per line: done, planned, "+
		"share, left (seconds)")
	return c
}

func runStability(ctx context.Context, o stabilityOptions, args []string, out, messages io.Writer) error {
	if err := needData(args, &o.config, "name a file or a built-in one, as in: fsnet stability ALLAML"); err != nil {
		return err
	}
	if err := cmp.Or(checkProgress(o.lines), checkOutputs([]string{o.config.Data}, outputFile{"--html", o.html})); err != nil {
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
	bar := newBar(messages, o.quiet || o.lines != "")
	o.Progress = func(p study.Progress) {
		if o.lines == "json" && !o.quiet {
			// nobody may be reading
			_ = json.NewEncoder(messages).Encode(map[string]any{"done": p.Done, "planned": p.Total, "share": p.Share, "left": p.Left.Seconds()})
		}
		bar.show(p, "half-sample", "")
	}
	result, runErr := study.Stable(ctx, device, data, settings, o.StabilityOptions)
	bar.End()
	if result == nil {
		return runErr
	}
	text, html, err := stabilityPage(result)
	if err == nil && o.html != "" {
		err = errs.NotWritten(system.WriteFile(o.html, []byte(html)))
	}
	if err == nil && o.json {
		err = printJSON(out, result)
	} else if err == nil {
		_, err = io.WriteString(out, text)
	}
	if err != nil {
		return err
	}
	return runErr
}

// textColumns is how wide a text for people is at the most.
const textColumns = 140

// stabilityPage is the table of a stability result as text, and a page with its chart and table: HTML without scripts or addresses.
func stabilityPage(result *results.Stability) (text, page string, err error) {
	table := chart.StabilityTable(*result)
	picture, err := chart.StabilityChart(*result)
	return words.Wrap(table.Text, textColumns), htmlPage("Which features to trust: "+result.Dataset, string(picture.SVG())+"\n"+table.HTML), err
}

// htmlPage is a page of a title and what stands on it.
func htmlPage(title, body string) string {
	return fmt.Sprintf("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title></head>\n<body "+
		"style=\"font-family:sans-serif;margin:2em\">\n%s\n</body></html>\n",
		html.EscapeString(title), body)
}
