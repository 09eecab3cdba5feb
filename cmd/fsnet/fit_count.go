package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/fault"
)

// maxWorkers is more than any machine has cores.
const maxWorkers = 10_000

// countFlag is a whole number from 1 to most; 0 is not given.
type countFlag struct {
	target *int
	name   string
	most   int
}

var _ pflag.Value = (*countFlag)(nil)

// Set implements pflag.Value.
func (f *countFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > f.most {
		return fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", f.most), "%s = %.20s is no such number", f.name, text)
	}
	*f.target = n
	return nil
}

// Type implements pflag.Value.
func (f *countFlag) Type() string { return "COUNT" }

// String implements pflag.Value.
func (f *countFlag) String() string {
	if f.target == nil || *f.target == 0 {
		return ""
	}
	return strconv.Itoa(*f.target)
}
