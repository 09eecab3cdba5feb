package dataset

import (
	"os"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// leftOutRow is the row of a sample that missing=drop left out.
const leftOutRow = -1

// largestSplitFile is the size in bytes of the largest file that names samples.
const largestSplitFile = 256 << 20

// splitSamples are those that a file may name.
type splitSamples struct {
	Names []string // of the rows, in their order; nil: they have none
	Gone  []string // of rows that missing=drop left out
	Data  string   // what they are of, for errors
}

// readSplitFile is what a file says of each sample, in their order: a name a line with its word after a tab, a comma or a semicolon, in which every
// sample is named, or the names of the test rows alone. A first line that names none, and whose word isPart does not take, is a header. Its
// errors are of kind Request.
func readSplitFile(path string, samples splitSamples, isPart func(text string) bool) ([]string, error) {
	n := len(samples.Names)
	if samples.Names == nil {
		return nil, fault.New(fault.Request, "name the samples with samples=COLUMN, or use split=column:NAME",
			"%s names samples, but those of %s have no names", path, samples.Data)
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > largestSplitFile {
		return nil, fault.New(fault.Request, "name a file with one sample per line",
			"%s has %d bytes, too many for a list of names", path, info.Size())
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "the split cannot be read")
	}
	row := make(map[string]int, n)
	for i, name := range samples.Names {
		name = parse.Clean(name)
		if _, twice := row[name]; twice {
			return nil, fault.New(fault.Request, "give the samples different names, or use split=column:NAME",
				"%s: two samples are called %q, and %s cannot tell them apart", samples.Data, parse.Shorten(name), path)
		}
		row[name] = i
	}
	for _, name := range samples.Gone {
		name = parse.Clean(name)
		if _, stays := row[name]; !stays {
			row[name] = leftOutRow
		}
	}
	texts, line := make([]string, n), make([]int, n)
	alone, described := 0, 0 // the last lines of either kind
	for k, text := range strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n") {
		name, value := strings.TrimSpace(text), "test"
		if name == "" {
			continue
		}
		i, known := row[parse.Clean(name)]
		if at := strings.LastIndexAny(name, "\t,;"); !known && at >= 0 {
			name, value = name[:at], parse.Clean(name[at+1:])
			i, known = row[parse.Clean(strings.Trim(strings.TrimSpace(name), `"`))]
			described = k + 1
		} else {
			alone = k + 1
		}
		switch {
		case !known && k == 0 && !isPart(value): // a header
			described = 0
			continue
		case !known:
			return nil, fault.New(fault.Request, "name samples as they are named there, such as "+parse.Shorten(samples.Names[0]),
				"%s: line %d names %q, which is not a sample of %s", path, k+1, parse.Shorten(parse.Clean(name)), samples.Data)
		case i == leftOutRow:
			continue
		case line[i] > 0:
			return nil, fault.New(fault.Request, "name each once",
				"%s: line %d names %q a second time, after line %d", path, k+1, parse.Shorten(samples.Names[i]), line[i])
		case alone > 0 && described > 0:
			return nil, fault.New(fault.Request, "write a word after every name, or after none: then the names are those of the test rows",
				"%s: line %d has a word after the name, but line %d has none", path, described, alone)
		}
		texts[i], line[i] = strings.Trim(value, `"`), k+1
	}
	for i, text := range texts {
		switch {
		case text == "" && described > 0:
			return nil, fault.New(fault.Request, "name every sample", "%s does not name sample %q", path, parse.Shorten(samples.Names[i]))
		case text == "":
			texts[i] = "train"
		}
	}
	return texts, nil
}
