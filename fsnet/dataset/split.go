package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Parts are the rows of a split, in ascending order. Every row is in one part.
// Left holds training rows that are not used.
type Parts struct{ Train, Validation, Test, Left []int }

// Split divides the rows at random, by s.RowsSeed(). It draws
// round(TestFraction·N) test rows and then round(ValidationFraction·remaining)
// validation rows. It draws at least one row if the fraction is above 0, but
// never so many that a class loses its last training row. If the fraction is 0,
// it draws no rows.
//
// With split=stratified each class gives its share to every part, rounded by
// largest remainders so that the shares add up. With split=random all rows are
// drawn alike. The split depends on the seed and on which rows share a class,
// in the order of the rows. The names of classes and features do not matter.
//
// If there are groups ([Dataset.Groups]), each group is in one part, and the
// shares are as near to the fractions as whole groups allow ([HalveGroups]).
//
// A split of your own ([Dataset.WithSplit]) is returned unchanged, with one
// exception: if it comes from a column or a file without validation rows, they
// are drawn from its training rows by the seed. In every case training rows of
// weight 0 are left out, and s.RowsPerClass leaves out more.
//
// Split returns an error if no row can be spared for a part that was asked for.
func Split(d *Dataset, s config.Settings) (Parts, error) {
	if d.parts != nil {
		if err := d.checkParts(); err != nil {
			return Parts{}, err
		}
		parts := *d.parts
		if d.undrawn != nil && s.ValidationFraction > 0 { // the data may have been opened with another seed
			var err error
			if parts, err = d.drawValidation(s); err != nil {
				return Parts{}, err
			}
		}
		return d.limitTraining(parts, s)
	}

	if own, _ := config.ParseSplit(s.Split); own != (config.OwnSplit{}) {
		return Parts{}, d.foldError(s.Split)
	}

	if d.Groups != nil {
		p, err := d.splitGroups(s)
		if err != nil {
			return Parts{}, err
		}
		return d.limitTraining(p, s)
	}
	class, sizes := byAppearance(d.Y)
	rows := shuffle(class, sizes, s)

	test := quota(d.N, s.TestFraction, d.N-len(sizes))
	if test == 0 && s.TestFraction > 0 {
		return Parts{}, errs.New(errs.Request, "every class keeps one training row: give each class at least two samples",
			"%s: no row can be spared for testing among %s of %s", d.where(), phrase.Count(d.N, "row"), phrase.Count(len(sizes), "class"))
	}
	validation := quota(d.N-test, s.ValidationFraction, d.N-test-len(sizes))
	if validation == 0 && s.ValidationFraction > 0 {
		return Parts{}, errs.New(errs.Request, "use validation_fraction=0, or a smaller test_fraction",
			"%s: validation_fraction = %g: of %s outside the test rows, none can be spared, since each of %s keeps one for training",
			d.where(), s.ValidationFraction, phrase.Count(d.N-test, "row"), phrase.Count(len(sizes), "class"))
	}

	left := slices.Clone(sizes)
	var p Parts
	p.Test, rows = drawRows(rows, test, class, left, allot(left, s.TestFraction, test, s.Split))
	p.Validation, rows = drawRows(rows, validation, class, left, allot(left, s.ValidationFraction, validation, s.Split))
	p.Train = rows
	slices.Sort(p.Train)
	return d.limitTraining(p, s)
}

// shuffle returns all rows in the order of drawing.
func shuffle(class, sizes []int, s config.Settings) []int {
	if s.Split == config.Random {
		return num.RNG(s.RowsSeed(), "split").Perm(len(class))
	}
	return byClass(class, sizes, func(c int) *rand.Rand { return num.RNG(s.RowsSeed(), "split", uint64(c)) })
}

// byClass returns all rows, class by class. The rows of each class are permuted
// by its random number generator.
func byClass(class, sizes []int, generator func(class int) *rand.Rand) []int {
	members := make([][]int, len(sizes))
	for i, c := range class {
		members[c] = append(members[c], i)
	}
	rows := make([]int, 0, len(class))
	for c, list := range members {
		for _, i := range generator(c).Perm(len(list)) {
			rows = append(rows, list[i])
		}
	}
	return rows
}

// quota returns fraction·n rounded, but at least one if the fraction is above
// 0, and at most spare.
func quota(n int, fraction float64, spare int) int {
	if fraction == 0 {
		return 0
	}
	return min(max(int(math.Round(fraction*float64(n))), 1), max(spare, 0))
}

// allot returns how many rows a part may draw from each class. The numbers add
// up to total: the share of a class is rounded down, and then the classes with
// the largest remainders get one more, but never the last row of a class. For a
// random split the limit is all rows of a class except one.
func allot(sizes []int, fraction float64, total int, split string) []int {
	share := make([]int, len(sizes))
	if split == config.Random {
		for c, n := range sizes {
			share[c] = n - 1
		}
		return share
	}

	remainder := make([]float64, len(sizes))
	sum := 0
	for c, n := range sizes {
		exact := fraction * float64(n)
		share[c] = min(int(exact), n-1)
		remainder[c] = exact - float64(share[c])
		sum += share[c]
	}

	for sum < total {
		for _, c := range num.ArgsortDescending(remainder) {
			if sum < total && share[c] < sizes[c]-1 {
				share[c]++
				sum++
			}
		}
	}
	return share
}

// drawRows draws up to total rows in order, as far as the shares of their classes
// allow. It returns the drawn rows, sorted, and the remaining ones. It reduces
// share and left.
func drawRows(rows []int, total int, class, left, share []int) (taken, rest []int) {
	for _, row := range rows {
		c := class[row]
		if len(taken) < total && share[c] > 0 {
			share[c]--
			left[c]--
			taken = append(taken, row)
		} else {
			rest = append(rest, row)
		}
	}
	slices.Sort(taken)
	return taken, rest
}

// TestRows returns about how many rows a split tests. These are the test rows
// of the user's split or, if the user has folds, the rows of the smallest fold.
// Otherwise it is the fraction of the rows. [Split] may differ from it
// slightly.
func (d *Dataset) TestRows(fraction float64) int {
	switch {
	case d.parts != nil:
		return len(d.parts.Test)
	case d.folds != nil:
		return len(slices.MinFunc(d.folds.rows(), func(a, b []int) int { return len(a) - len(b) }))
	}
	return int(math.Round(fraction * float64(d.N)))
}

// partWords returns the words for parts in a user's split, in the order of
// [Parts].
func partWords() []string { return []string{"train", "validation", "test"} }

// partOf returns the part that a word of a user's split stands for, as an index
// into [partWords], or −1 if it stands for no part.
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

// useSplit sets the split or the folds that a column or a file describes. texts
// holds its value for each row. If s asks for validation rows and the split has
// no validation rows, useSplit draws them from the training rows.
func (d *Dataset) useSplit(own config.OwnSplit, texts []string, s config.Settings) error {
	name, where := own.Column, fmt.Sprintf("column %q", parse.Shorten(own.Column))
	if own.File != "" {
		name, where = own.File, own.File
	}

	var parts [3][]int
	switch words := slices.ContainsFunc(texts, func(text string) bool { return partOf(text) >= 0 }); {
	case own.Value != "":
		values := newGroups(name, texts)
		test := parse.Index(values.Names, own.Value)
		if test < 0 {
			return errs.New(errs.Request, phrase.DidYouMean(own.Value, values.Names[:min(len(values.Names), 20)]),
				"%s: no row has %q in %s", d.where(), parse.Shorten(own.Value), where)
		}
		for i, value := range values.Of {
			part := 0
			if value == test {
				part = 2
			}
			parts[part] = append(parts[part], i)
		}
	case words:
		for i, text := range texts {
			part := partOf(text)
			if part < 0 {
				return errs.New(errs.Request, "write train, validation or test",
					"%s: %q in %s is not a part of a split", d.rowName(i), parse.Shorten(text), where)
			}
			parts[part] = append(parts[part], i)
		}
	default:
		return d.useFolds(newGroups(name, texts), where)
	}

	d.parts = &Parts{Train: parts[0], Validation: parts[1], Test: parts[2]}
	if err := d.checkOwnSplit(where); err != nil {
		return err
	}

	if s.ValidationFraction == 0 {
		return nil
	}

	if len(parts[1]) > 0 {
		return errs.New(errs.Request, "leave it out",
			"validation_fraction = %g, but %s says which rows are for validation", s.ValidationFraction, where)
	}

	d.undrawn = d.parts
	drawn, err := d.drawValidation(s)
	d.parts = &drawn
	return err
}

// drawValidation returns the user's split with validation rows drawn from its
// training rows by the seed. Each range of a quantity gives its share if the
// groups allow that. Otherwise all rows are drawn alike, since a range does not
// need a training row.
func (d *Dataset) drawValidation(s config.Settings) (Parts, error) {
	rows := d.undrawn.Train
	training := &Dataset{Name: d.Name, file: d.file, N: len(rows), Y: pickRows(d.Y, rows), Classes: d.Classes, Groups: d.Groups.pick(rows)}
	s.TestFraction, s.ValidationFraction, s.RowsPerClass, s.Split = s.ValidationFraction, 0, 0, config.Stratified
	parts, err := Split(training, s)
	if err != nil && d.Target != nil {
		training.Target = pickRows(d.Target, rows)
		parts, err = Split(training, s)
	}
	return Parts{Train: pickRows(rows, parts.Train), Validation: pickRows(rows, parts.Test), Test: d.undrawn.Test}, err
}

// checkOwnSplit rejects a user's split without test rows, with a class that has
// no training rows, or with a group in several parts. where names the split in
// messages.
func (d *Dataset) checkOwnSplit(where string) error {
	if len(d.parts.Test) == 0 {
		return errs.New(errs.Request, "write test for the rows that are held out", "%s: %s has no test row", d.where(), where)
	}
	if c := d.classWithoutTraining(d.parts.Test, d.parts.Validation); c >= 0 {
		return errs.New(errs.Request, "leave some of them for training, or leave the class out",
			"%s: %s has no training row of class %q", d.where(), where, d.Classes[c])
	}
	return d.checkSplitGroups()
}

// classWithoutTraining returns a class if all its rows are held out, and
// otherwise −1. It always returns −1 for a quantity.
func (d *Dataset) classWithoutTraining(held ...[]int) int {
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

// useFolds sets the user's folds: rows with the same value are one fold. It
// rejects fewer than two folds, more than mostFolds, a class with all its rows
// in one fold, and a group in several folds. where names the column or file in
// messages.
func (d *Dataset) useFolds(folds *Groups, where string) error {
	if n := len(folds.Names); n < 2 || n > mostFolds {
		return errs.New(errs.Request,
			"write train, validation and test in it, or the number of a fold, or name the value of the test rows: split=column:NAME=VALUE",
			"%s: %s holds %s, which are neither the words of a split nor folds", d.where(), where, phrase.Count(n, "different value"))
	}

	for f, rows := range folds.rows() {
		if c := d.classWithoutTraining(rows); c >= 0 {
			return errs.New(errs.Request, "spread the class over several folds",
				"%s: %s has all rows of class %q, which leaves none for training", d.where(), folds.nameOf(f), d.Classes[c])
		}
	}

	if d.Groups != nil {
		in := make([]int, len(d.Groups.Names))
		for i, g := range d.Groups.Of {
			switch f := folds.Of[i] + 1; in[g] {
			case 0, f:
				in[g] = f
			default:
				return errs.New(errs.Request, "put all its rows in one fold, or leave groups out",
					"%s: %s has rows in %s and in %s", d.where(), d.Groups.nameOf(g), folds.nameOf(in[g]-1), folds.nameOf(f-1))
			}
		}
	}

	d.folds = folds
	return nil
}

// leftOutRow marks a sample that missing=drop left out.
const leftOutRow = -1

// readSplitFile returns the word of each row. There are two kinds of files. One
// has a line for every sample, with its word after a tab, a comma or a
// semicolon. The other lists only the test rows. A first line that names no
// sample and has no word of a part is a header. The file may also name samples
// that missing=drop left out. Errors are of kind Request.
func (d *Dataset) readSplitFile(path string, samples []string) ([]string, error) {
	if d.Samples == nil {
		return nil, errs.New(errs.Request, "name the samples with samples=COLUMN, or use split=column:NAME",
			"%s names samples, but those of %s have no names", path, d.where())
	}
	content, err := readList("split", path, "sample")
	if err != nil {
		return nil, err
	}

	row := make(map[string]int, d.N)
	for i, name := range d.Samples {
		name = parse.Clean(name)
		if _, twice := row[name]; twice {
			return nil, errs.New(errs.Request, "give the samples different names, or use split=column:NAME",
				"%s: two samples are called %q, and %s cannot tell them apart", d.where(), parse.Shorten(name), path)
		}
		row[name] = i
	}

	for _, name := range samples {
		name = parse.Clean(name)
		if _, stays := row[name]; !stays {
			row[name] = leftOutRow
		}
	}

	texts, line := make([]string, d.N), make([]int, d.N)
	alone, described := 0, 0 // the last lines without and with a word
	for k, text := range strings.Split(content, "\n") {
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
		case !known && k == 0 && partOf(value) < 0: // a header
			described = 0
			continue
		case !known:
			return nil, errs.New(errs.Request, "name samples as they are named there, such as "+parse.Shorten(d.Samples[0]),
				"%s: line %d names %q, which is not a sample of %s", path, k+1, parse.Shorten(parse.Clean(name)), d.where())
		case i == leftOutRow:
			continue
		case line[i] > 0:
			return nil, errs.New(errs.Request, "name each once",
				"%s: line %d names %q a second time, after line %d", path, k+1, parse.Shorten(d.Samples[i]), line[i])
		case alone > 0 && described > 0:
			return nil, errs.New(errs.Request, "write a word after every name, or after none: then the names are those of the test rows",
				"%s: line %d has a word after the name, but line %d has none", path, described, alone)
		}
		texts[i], line[i] = strings.Trim(value, `"`), k+1
	}

	for i, text := range texts {
		switch {
		case text == "" && described > 0:
			return nil, errs.New(errs.Request, "name every sample", "%s does not name sample %q", path, parse.Shorten(d.Samples[i]))
		case text == "":
			texts[i] = "train"
		}
	}
	return texts, nil
}
