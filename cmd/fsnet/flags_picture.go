package main

import (
	"strings"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/widgets/chart"
)

// addPicture gives a command the option --picture.
func addPicture(flags *pflag.FlagSet, target *string) {
	flags.StringVar(target, "picture", "", "write the picture to a `FILE`: "+chart.Forms())
}

// checkPicture finds out before anything is trained whether the picture can be written: its file's name ends in a form, and it is not the
// data set. "" is none.
func checkPicture(file, data string) error {
	if file == "" {
		return nil
	}
	if _, err := (chart.Picture{Text: "-", HTML: "-", VegaLite: []byte("-"), PNG: []byte("-")}).As(file); err != nil &&
		!strings.HasSuffix(strings.ToLower(file), ".svg") {
		return err
	}
	if sameFile(file, data) {
		return fault.New(fault.Request, "name another file", "--picture %s is the data set", file)
	}
	return checkOutput(file)
}

// writePicture writes a picture in the form that its file's name ends in; "" is none.
func writePicture(file string, picture chart.Picture) error {
	if file == "" {
		return nil
	}
	content, err := picture.As(file)
	if err == nil {
		err = fault.NotWritten(atomicfile.Write(file, content))
	}
	return err
}
