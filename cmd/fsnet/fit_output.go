package main

import (
	"os"
	"path/filepath"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/whole"
)

// writable finds out whether the files that were asked for can be written, each to a place of its own and none over the data.
func (o fitOptions) writable(data string) error {
	for _, file := range []struct{ flag, path string }{{"--output", o.output}, {"--save", o.save}} {
		if file.path == "" {
			continue
		}
		if err := whole.Check(file.path); err != nil {
			return err
		}
		if same(file.path, data) {
			return fault.New(fault.Request, "name another file", "%s %s is the data set", file.flag, file.path)
		}
	}
	if o.save != "" && o.output != "" && (filepath.Clean(o.save) == filepath.Clean(o.output) || same(o.save, o.output)) {
		return fault.New(fault.Request, "name another file", "--save %s is the file of --output", o.save)
	}
	return nil
}

// same is whether two paths name one file that is there.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
