package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
)

// newPairsCommand returns fsnet pairs.
func newPairsCommand() *cobra.Command {
	var c config.Config
	var asJSON bool
	command := &cobra.Command{
		Use:   "pairs DATA",
		Short: "List the pairs of features that tell more together than each on its own",
		Long: "List the pairs of features that tell more together than each on its own.\n\n" +
			"All pairs are tested in closed form on the training rows, which are those of fsnet fit with the same seed. A pair tells\n" +
			"together, as a weighted sum such as a difference, or as a product, as in XOR. p is corrected for the number of pairs;\n" +
			"alone is the share of the classes, or of the quantity, that each feature explains on its own.",
		Example: "  fsnet pairs ALLAML\n  fsnet pairs cohort.csv --label diagnosis --json > pairs.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			return runPairs(command.Context(), c, args, asJSON, command.OutOrStdout())
		},
	}
	addKeys(command.Flags(), &c)
	addJSON(command.Flags(), &asJSON)
	return command
}

// runPairs searches the pairs and prints them.
func runPairs(ctx context.Context, c config.Config, args []string, asJSON bool, out io.Writer) error {
	if err := needData(args, &c, "name a file or a built-in one, as in: fsnet pairs ALLAML"); err != nil {
		return err
	}

	settings, err := c.Resolve()
	if err != nil {
		return err
	}

	settings.K = 1 // no feature is chosen, so a table may have fewer columns than the default k
	data, device, err := dataAndDevice(ctx, settings)
	if err != nil {
		return err
	}
	defer device.Close()

	found, err := train.FindPairs(ctx, device, data, settings)
	if err != nil {
		return err
	}

	if asJSON {
		return printJSON(out, found)
	}
	return printPairs(out, found)
}

// mostPrinted is the largest number of pairs to print as text.
const mostPrinted = 50

// printPairs prints the pairs as a table.
func printPairs(out io.Writer, r results.Pairs) error {
	fmt.Fprintf(out, "%s: %s, seed %d\n%s\n", r.Dataset, r.Size(), r.Seed, r.Title())
	if len(r.Pairs) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	t := words.NewTable("features", "kind", ">F", ">p", ">alone")
	for _, p := range r.Pairs[:min(len(r.Pairs), mostPrinted)] {
		t.Add(p.Features[0]+", "+p.Features[1], p.Kind, strconv.FormatFloat(p.F, 'f', 1, 64), words.PValue(&p.P),
			fmt.Sprintf("%s, %s", words.Percent(p.Alone[0]), words.Percent(p.Alone[1])))
	}

	if err := printTable(out, t); err != nil {
		return err
	}

	if more := len(r.Pairs) - mostPrinted; more > 0 {
		fmt.Fprintf(out, "%s with --json\n", phrase.Count(more, "more pair"))
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.Pairs[0].Text)
	return err
}
