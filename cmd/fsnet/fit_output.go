package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/whole"
)

// writable finds out whether the files that were asked for can be written, each to a place of its own and none over the data.
func (o fitOptions) writable(data string) error {
	files := []outputFile{{"--output", o.output}, {"--save", o.save}}
	if o.replicas > 0 {
		files = files[:1]
		for r := range o.replicas {
			files = append(files, outputFile{"--save", o.saveOf(o.config.Seed + int64(r))})
		}
	}
	for _, file := range files {
		if file.path == "" {
			continue
		}
		if err := whole.Check(file.path); err != nil {
			return err
		}
		if same(file.path, data) {
			return fault.New(fault.Request, "name another file", "%s %s is the data set", file.flag, file.path)
		}
		if file.flag == "--save" && o.output != "" && (filepath.Clean(file.path) == filepath.Clean(o.output) || same(file.path, o.output)) {
			return fault.New(fault.Request, "name another file", "--save %s is the file of --output", file.path)
		}
	}
	return nil
}

// outputFile is a file that was asked for; "" is none.
type outputFile struct{ flag, path string }

// saveOf is the file for the model of one of many replicas: NAME-seedN.safetensors for --save NAME.safetensors.
func (o fitOptions) saveOf(seed int64) string {
	if o.save == "" {
		return ""
	}
	extension := filepath.Ext(o.save)
	return fmt.Sprintf("%s-seed%d%s", strings.TrimSuffix(o.save, extension), seed, extension)
}

// same is whether two paths name one file that is there.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
