package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Parts are the rows of a split, as ascending row numbers. Every row is in exactly one part. Left are training rows that are not used.
type Parts struct{ Train, Validation, Test, Left []int }

// Split divides the rows by s.RowsSeed(): round(TestFraction·N) test rows, then round(ValidationFraction·rest) validation rows, at least
// one where the fraction is above 0 and never so many that a class loses its last training row. A fraction of 0 takes none.
//
// stratified gives each class its share of every part, rounded by largest remainders so that the shares add up; random draws from
// all rows alike. The split depends on that seed and on which rows share a class, in the order of the rows: neither names of classes
// nor the features matter.
//
// Where rows belong together ([Dataset.Groups]) a group is whole in one part, and the shares are as near as whole groups allow
// ([HalveGroups]).
//
// A split of the caller's own ([Dataset.WithSplit]) is returned as it is; where it comes from a column or a file that names no validation
// rows, they are drawn from its training rows by that seed. Of either, training rows of weight 0 are left out, and
// s.RowsPerClass leaves others out.
//
// It refuses data in which no row can be spared for a part that was asked for.
func Split(d *Dataset, s config.Settings) (Parts, error) {
	if d.parts != nil {
		if err := d.checkParts(); err != nil {
			return Parts{}, err
		}
		parts := *d.parts
		if d.written != nil && s.ValidationFraction > 0 { // the data may have been opened with another seed
			var err error
			if parts, err = d.drawn(s); err != nil {
				return Parts{}, err
			}
		}
		return d.lightened(parts, s)
	}
	if own, _ := config.ParseSplit(s.Split); own != (config.OwnSplit{}) {
		return Parts{}, d.whichFold(s.Split)
	}
	if d.Groups != nil {
		p, err := d.splitGroups(s)
		if err != nil {
			return Parts{}, err
		}
		return d.lightened(p, s)
	}
	class, sizes := byAppearance(d.Y)
	rows := shuffled(class, sizes, s)

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
	p.Test, rows = take(rows, test, class, left, allot(left, s.TestFraction, test, s.Split))
	p.Validation, rows = take(rows, validation, class, left, allot(left, s.ValidationFraction, validation, s.Split))
	p.Train = rows
	slices.Sort(p.Train)
	return d.lightened(p, s)
}

// shuffled is all rows in the order in which parts take them.
func shuffled(class, sizes []int, s config.Settings) []int {
	if s.Split == "random" {
		return num.RNG(s.RowsSeed(), "split").Perm(len(class))
	}
	return byClass(class, sizes, func(c int) *rand.Rand { return num.RNG(s.RowsSeed(), "split", uint64(c)) })
}

// byClass is all rows, those of a class in a row, in the order that its generator of random numbers gives them.
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

// quota is fraction·n to the nearest row, at least one of a fraction above 0, at most what can be spared.
func quota(n int, fraction float64, spare int) int {
	if fraction == 0 {
		return 0
	}
	return min(max(int(math.Round(fraction*float64(n))), 1), max(spare, 0))
}

// allot says how many rows a part may take from each class, total in all: a class's share rounded down, then one more in the order of
// the largest remainders, never its last row. A random split lets any class give all but one.
func allot(sizes []int, fraction float64, total int, split string) []int {
	share := make([]int, len(sizes))
	if split == "random" {
		for c, n := range sizes {
			share[c] = n - 1
		}
		return share
	}
	remainder := make([]float64, len(sizes))
	given := 0
	for c, n := range sizes {
		exact := fraction * float64(n)
		share[c] = min(int(exact), n-1)
		remainder[c] = exact - float64(share[c])
		given += share[c]
	}
	for given < total {
		for _, c := range num.ArgsortDescending(remainder) {
			if given < total && share[c] < sizes[c]-1 {
				share[c]++
				given++
			}
		}
	}
	return share
}

// take draws total rows in order as far as the shares of their classes allow, and returns them sorted, and the rest.
func take(rows []int, total int, class, left, share []int) (taken, rest []int) {
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

// TestRows is how many rows a split has for testing: those of a split of the caller's own, the smallest of folds of the user's own (with
// it most rows are trained on), else the share that a fraction says, which [Split] comes near to.
func (d *Dataset) TestRows(fraction float64) int {
	switch {
	case d.parts != nil:
		return len(d.parts.Test)
	case d.folds != nil:
		return len(slices.MinFunc(d.folds.rows(), func(a, b []int) int { return len(a) - len(b) }))
	}
	return int(math.Round(fraction * float64(d.N)))
}

// partWords are the words of a split of the user's own, in the order of [Parts].
func partWords() []string { return []string{"train", "validation", "test"} }

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
	name, where := own.Column, fmt.Sprintf("column %q", parse.Shorten(own.Column))
	texts := d.told[own.Column]
	if own.File != "" {
		name, where, texts = own.File, own.File, d.told[s.Split]
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
					"%s: %q in %s is not a part of a split", d.row(i), parse.Shorten(text), where)
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
		return errs.New(errs.Request, "leave it out",
			"validation_fraction = %g, but %s says which rows are for validation", s.ValidationFraction, where)
	}
	d.written = d.parts
	drawn, err := d.drawn(s)
	d.parts = &drawn
	return err
}

// drawn is the split of the user's own with validation rows drawn from its training rows, by the seed of a training. Of a quantity each of
// its ranges gives its share, where the groups allow that, and else all rows alike: a range need not keep a training row.
func (d *Dataset) drawn(s config.Settings) (Parts, error) {
	rows := d.written.Train
	training := &Dataset{Name: d.Name, file: d.file, N: len(rows), Y: ofRows(d.Y, rows), Classes: d.Classes, Groups: d.Groups.only(rows)}
	s.TestFraction, s.ValidationFraction, s.RowsPerClass, s.Split = s.ValidationFraction, 0, 0, config.Stratified
	parts, err := Split(training, s)
	if err != nil && d.Target != nil {
		training.Target = ofRows(d.Target, rows)
		parts, err = Split(training, s)
	}
	return Parts{Train: ofRows(rows, parts.Train), Validation: ofRows(rows, parts.Test), Test: d.written.Test}, err
}

// checkOwn refuses a split that cannot be trained on, in the words of whoever wrote it.
func (d *Dataset) checkOwn(where string) error {
	if len(d.parts.Test) == 0 {
		return errs.New(errs.Request, "write test for the rows that are held out", "%s: %s has no test row", d.where(), where)
	}
	if c := d.withoutTraining(d.parts.Test, d.parts.Validation); c >= 0 {
		return errs.New(errs.Request, "leave some of them for training, or leave the class out",
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
		return errs.New(errs.Request,
			"write train, validation and test in it, or the number of a fold, or name the value of the test rows: split=column:NAME=VALUE",
			"%s: %s holds %s, which are neither the words of a split nor folds", d.where(), where, phrase.Count(n, "different value"))
	}
	for f, rows := range folds.rows() {
		if c := d.withoutTraining(rows); c >= 0 {
			return errs.New(errs.Request, "spread the class over several folds",
				"%s: %s has all rows of class %q, which leaves none for training", d.where(), folds.called(f), d.Classes[c])
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
					"%s: %s has rows in %s and in %s", d.where(), d.Groups.called(g), folds.called(in[g]-1), folds.called(f-1))
			}
		}
	}
	d.folds = folds
	return nil
}

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
		return nil, errs.New(errs.Request, "name the samples with samples=COLUMN, or use split=column:NAME",
			"%s names samples, but those of %s have no names", path, samples.Data)
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > largestSplitFile {
		return nil, errs.New(errs.Request, "name a file with one sample per line",
			"%s has %d bytes, too many for a list of names", path, info.Size())
	}
	content, err := read.WholeText(path)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "check the path and its permissions", "the split cannot be read")
	}
	row := make(map[string]int, n)
	for i, name := range samples.Names {
		name = parse.Clean(name)
		if _, twice := row[name]; twice {
			return nil, errs.New(errs.Request, "give the samples different names, or use split=column:NAME",
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
		case !known && k == 0 && !isPart(value): // a header
			described = 0
			continue
		case !known:
			return nil, errs.New(errs.Request, "name samples as they are named there, such as "+parse.Shorten(samples.Names[0]),
				"%s: line %d names %q, which is not a sample of %s", path, k+1, parse.Shorten(parse.Clean(name)), samples.Data)
		case i == leftOutRow:
			continue
		case line[i] > 0:
			return nil, errs.New(errs.Request, "name each once",
				"%s: line %d names %q a second time, after line %d", path, k+1, parse.Shorten(samples.Names[i]), line[i])
		case alone > 0 && described > 0:
			return nil, errs.New(errs.Request, "write a word after every name, or after none: then the names are those of the test rows",
				"%s: line %d has a word after the name, but line %d has none", path, described, alone)
		}
		texts[i], line[i] = strings.Trim(value, `"`), k+1
	}
	for i, text := range texts {
		switch {
		case text == "" && described > 0:
			return nil, errs.New(errs.Request, "name every sample", "%s does not name sample %q", path, parse.Shorten(samples.Names[i]))
		case text == "":
			texts[i] = "train"
		}
	}
	return texts, nil
}
