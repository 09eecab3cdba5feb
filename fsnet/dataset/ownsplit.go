package dataset

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// partWords are the words of a split of the user's own, in the order of [Parts].
func partWords() []string { return []string{"train", "validation", "test"} }

// partOf is the part that a word means, or −1.
func partOf(text string) int {
	switch strings.ToLower(text) {
	case "train", "training":
		return 0
	case "validation", "valid", "val":
		return 1
	case "test", "testing":
		return 2
	}
	return -1
}

// divideBy takes the split that a column or a file describes.
func (d *Dataset) divideBy(own config.OwnSplit, s config.Settings) error {
	name, where := own.Column, fmt.Sprintf("column %q", word.Shorten(own.Column))
	texts := d.told[own.Column]
	if own.File != "" {
		name, where, texts = own.File, own.File, d.told[s.Split]
	}
	var parts [3][]int
	switch words := slices.ContainsFunc(texts, func(text string) bool { return partOf(text) >= 0 }); {
	case own.Value != "":
		all := spelled(append(slices.Clone(texts), own.Value)) // together: 1.0 is 1 among numbers, and 01 is no 1 among words
		texts, value := all[:len(texts)], all[len(texts)]
		for i, text := range texts {
			part := 0
			if text == value {
				part = 2
			}
			parts[part] = append(parts[part], i)
		}
		if len(parts[2]) == 0 {
			values := newGroups("", texts).Names
			return fault.New(fault.Request, suggest.DidYouMean(value, values[:min(len(values), 20)]),
				"%s: no row has %q in %s", d.where(), word.Shorten(own.Value), where)
		}
	case words:
		for i, text := range texts {
			part := partOf(text)
			if part < 0 {
				return fault.New(fault.Request, "write train, validation or test",
					"%s: %q in %s is no part of a split", d.row(i), word.Shorten(text), where)
			}
			parts[part] = append(parts[part], i)
		}
	default:
		return d.foldsBy(newGroups(name, texts), where)
	}
	d.parts = &Parts{Train: parts[0], Validation: parts[1], Test: parts[2]}
	if err := d.checkOwn(where); err != nil {
		return err
	}
	if s.ValidationFraction == 0 {
		return nil
	}
	if len(parts[1]) > 0 {
		return fault.New(fault.Request, "leave it out",
			"validation_fraction = %g, and %s says which rows are for validation", s.ValidationFraction, where)
	}
	return d.validateFrom(parts[0], s)
}

// validateFrom draws validation rows from the training rows of a split of the user's own.
func (d *Dataset) validateFrom(rows []int, s config.Settings) error {
	training := &Dataset{Name: d.Name, file: d.file, N: len(rows), Classes: d.Classes, Groups: d.Groups.only(rows)}
	for _, row := range rows {
		training.Y = append(training.Y, d.Y[row])
	}
	s.TestFraction, s.ValidationFraction, s.RowsPerClass, s.Split = s.ValidationFraction, 0, 0, config.Stratified
	drawn, err := Split(training, s)
	if err != nil {
		return err
	}
	d.parts.Train = nil
	for _, i := range drawn.Train {
		d.parts.Train = append(d.parts.Train, rows[i])
	}
	for _, i := range drawn.Test {
		d.parts.Validation = append(d.parts.Validation, rows[i])
	}
	return nil
}

// checkOwn refuses a split that cannot be trained on, in the words of whoever wrote it.
func (d *Dataset) checkOwn(where string) error {
	if len(d.parts.Test) == 0 {
		return fault.New(fault.Request, "write test for the rows that are held out", "%s: %s has no test row", d.where(), where)
	}
	if c := d.withoutTraining(d.parts.Test, d.parts.Validation); c >= 0 {
		return fault.New(fault.Request, "leave some of them for training, or leave the class out",
			"%s: %s has no training row of class %q", d.where(), where, d.Classes[c])
	}
	return d.checkTogether()
}

// withoutTraining is a class all of whose rows are held out, or −1.
func (d *Dataset) withoutTraining(held ...[]int) int {
	if d.Target != nil {
		return -1
	}
	left := make([]int, len(d.Classes))
	for _, c := range d.Y {
		left[c]++
	}
	for _, i := range slices.Concat(held...) {
		left[d.Y[i]]--
	}
	return slices.Index(left, 0)
}

// foldsBy takes folds of the user's own: rows with the same value are one.
func (d *Dataset) foldsBy(folds *Groups, where string) error {
	if n := len(folds.Names); n < 2 || n > mostFolds {
		return fault.New(fault.Request,
			"write train, validation and test in it, or the number of a fold, or name the value of the test rows: split=column:NAME=VALUE",
			"%s: %s holds %d different values, which are neither the words of a split nor folds", d.where(), where, n)
	}
	for f, rows := range folds.rows() {
		if c := d.withoutTraining(rows); c >= 0 {
			return fault.New(fault.Request, "spread the class over several folds",
				"%s: %s has all rows of class %q, so that none is left for training", d.where(), folds.called(f), d.Classes[c])
		}
	}
	if d.Groups != nil {
		in := make([]int, len(d.Groups.Names))
		for i, g := range d.Groups.Of {
			switch f := folds.Of[i] + 1; in[g] {
			case 0, f:
				in[g] = f
			default:
				return fault.New(fault.Request, "put all its rows in one fold, or leave groups out",
					"%s: %s has rows in %s and in %s", d.where(), d.Groups.called(g), folds.called(in[g]-1), folds.called(f-1))
			}
		}
	}
	d.folds = folds
	return nil
}

// leftOut is the row of a sample that missing=drop left out.
const leftOut = -1

// mostSplitFile is the size of the largest file that names samples.
const mostSplitFile = 256 << 20

// partsFile reads what a file says of each sample: a name a line with its word after a tab, a comma or a semicolon, in which every sample
// is named, or the names of the test rows alone.
func (d *Dataset) partsFile(path string) ([]string, error) {
	if d.Samples == nil {
		return nil, fault.New(fault.Request, "name the samples with samples=COLUMN, or use split=column:NAME",
			"%s names samples, and those of %s have no names", path, d.where())
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > mostSplitFile {
		return nil, fault.New(fault.Request, "name a file with a sample a line",
			"%s has %d bytes, which are too many for names", path, info.Size())
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "the split cannot be read")
	}
	row := make(map[string]int, d.N)
	for i, name := range d.Samples {
		name = word.Clean(name)
		if _, twice := row[name]; twice {
			return nil, fault.New(fault.Request, "give the samples different names, or use split=column:NAME",
				"%s: two samples are called %q, so that %s cannot tell them apart", d.where(), word.Shorten(name), path)
		}
		row[name] = i
	}
	for _, name := range d.gone {
		name = word.Clean(name)
		if _, stays := row[name]; !stays {
			row[name] = leftOut
		}
	}
	texts, line := make([]string, d.N), make([]int, d.N)
	alone, described := 0, 0 // the last lines of either kind
	for k, text := range strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n") {
		name, value := strings.TrimSpace(text), "test"
		if name == "" {
			continue
		}
		i, known := row[word.Clean(name)]
		if at := strings.LastIndexAny(name, "\t,;"); !known && at >= 0 {
			name, value = name[:at], word.Clean(name[at+1:])
			i, known = row[word.Clean(strings.Trim(strings.TrimSpace(name), `"`))]
			described = k + 1
		} else {
			alone = k + 1
		}
		switch {
		case !known && k == 0 && partOf(value) < 0: // a header
			described = 0
			continue
		case !known:
			return nil, fault.New(fault.Request, "name samples as they are named there, such as "+word.Shorten(d.Samples[0]),
				"%s: line %d names %q, which is no sample of %s", path, k+1, word.Shorten(word.Clean(name)), d.where())
		case i == leftOut:
			continue
		case line[i] > 0:
			return nil, fault.New(fault.Request, "name each once",
				"%s: line %d names %q a second time, after line %d", path, k+1, word.Shorten(d.Samples[i]), line[i])
		case alone > 0 && described > 0:
			return nil, fault.New(fault.Request, "write a word after every name, or after none to name the test rows",
				"%s: line %d has a word after the name, and line %d has none", path, described, alone)
		}
		texts[i], line[i] = strings.Trim(value, `"`), k+1
	}
	for i, text := range texts {
		switch {
		case text == "" && described > 0:
			return nil, fault.New(fault.Request, "name every sample", "%s does not name sample %q", path, word.Shorten(d.Samples[i]))
		case text == "":
			texts[i] = "train"
		}
	}
	return texts, nil
}
