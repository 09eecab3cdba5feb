package main

import (
	"github.com/spf13/cobra"
)

// newReplicasCommand is the command.
func newReplicasCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "replicas",
		Short: "Train one configuration with many seeds in parts, on one machine or many",
		Long: "Train one configuration with many seeds in parts, on one machine or many.\n\n" +
			"plan lists every replica with its id, run trains some of them, and merge puts them together. In any order and grouping the\n" +
			"result is, to the bit, that of fsnet fit --replicas in one process on a CPU.",
		Example: "  fsnet replicas plan ALLAML --k 10 --replicas 100 -o plan.json\n" +
			"  fsnet replicas run plan.json --part 1/2 -o part-1.jsonl\n" +
			"  fsnet replicas run plan.json --part 2/2 -o part-2.jsonl\n" +
			"  fsnet replicas merge plan.json part-1.jsonl part-2.jsonl",
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newReplicasPlan(), newReplicasRun(), newReplicasMerge())
	return c
}
