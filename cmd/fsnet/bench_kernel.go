package main

import "github.com/spf13/cobra"

func newBenchKernelCommand() *cobra.Command { return &cobra.Command{Use: "kernel"} }
