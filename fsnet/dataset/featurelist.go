package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// maxListBytes limits the size of a file of names.
const maxListBytes = 256 << 20

// readList returns the text of a file with one name per line. key and what
// (such as feature) occur in messages. Errors are of kind Request.
func readList(key, path, what string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxListBytes {
		return "", errs.New(errs.Request, "name a file with one "+what+" per line",
			"%s: %s has %d bytes, more than a list of names", key, path, info.Size())
	}
	text, err := read.WholeText(path)
	switch known := (*errs.Error)(nil); {
	case errors.As(err, &known):
		err = errs.New(errs.Request, "name a text file with one "+what+" per line", "%s: %s", key, known.What)
	case err != nil:
		err = errs.Wrap(err, errs.Request, "check the path and its permissions", "%s: %s cannot be read", key, path)
	}
	return text, err
}

// ReadFeatureList reads a comma-separated list of names, or the file at that
// path, relative to dir. From a file it reads the first field of each line,
// separated by tabs or commas, and ignores empty lines and lines that begin
// with #. It keeps the order of the names and drops repeated ones. A list
// without names is an error.
//
// features are the columns of the data. key is used in messages.
func ReadFeatureList(key, text, dir string, features []string) ([]string, error) {
	isFeature := featureSet(features)
	if path, is := featureFile(text, dir); is {
		lines, err := featureLines(key, path)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, line := range lines {
			names = append(names, phrase.Rejoin(line.fields, isFeature)[0])
		}
		return withoutRepeats(names), nil
	}
	names := phrase.Rejoin(phrase.Names(text), isFeature)
	if len(names) == 0 {
		return nil, errs.New(errs.Request, "name features with commas between them, or a file with one name per line", "%s names no feature",
			key)
	}
	return withoutRepeats(names), nil
}

// featureSet returns a function that reports whether a name is one of the
// features.
func featureSet(features []string) func(string) bool {
	set := make(map[string]bool, len(features))
	for _, name := range features {
		set[name] = true
	}
	return func(name string) bool { return set[name] }
}

// featureFile reports whether a text, quoted or not, is the path of a file that
// [Locate] finds. If there is no file, path is where it looked.
func featureFile(text, dir string) (path string, is bool) {
	for _, path = range []string{strings.Join(phrase.Names(text), ","), text} {
		path = Locate(path, dir)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return path, false
}

// hashFeatureFile returns twelve digits of a hash of the lines of a file that
// are neither empty nor comments. It returns "" if the text is a list of names
// rather than a file.
func hashFeatureFile(key, text, dir string) (string, error) {
	path, is := featureFile(text, dir)
	if !is {
		return "", nil
	}
	list, err := featureLines(key, path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, line := range list {
		fmt.Fprintf(h, "%q\n", line.fields)
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// withoutRepeats removes repeated names in place. It keeps the first of them.
func withoutRepeats(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}

// featurePair is a feature and its value in a file.
type featurePair struct {
	Name, Value string
	Where       string // file and line, used in messages
}

// readFeaturePairs reads features with values, either from a file, relative to
// dir, or from a list NAME:VALUE,NAME:VALUE. A line of a file holds a feature
// and a value, separated by a tab or a comma. A first line is a header if its
// value is value, cost, price, group or symbol. Repeated names are rejected.
func readFeaturePairs(key, text, dir string, features []string) ([]featurePair, error) {
	isFeature := featureSet(features)
	path, is := featureFile(text, dir)

	var list []featureLine
	var err error
	switch {
	case is:
		list, err = featureLines(key, path)
	case strings.Contains(text, ":"):
		path, list = key, parsePairs(text, isFeature)
	default:
		err = errs.New(errs.NotFound,
			"name a file with a feature and its "+key+" on each line, separated by a tab or a comma, or write NAME:VALUE,NAME:VALUE",
			"%s: there is no file %s", key, path)
	}
	if err != nil {
		return nil, err
	}

	var pairs []featurePair
	seen := map[string]string{}
	for i, line := range list {
		where := path + ": line " + strconv.Itoa(line.number)
		if last := len(line.fields) - 1; last > 1 {
			line.fields = append(phrase.Rejoin(line.fields[:last], isFeature), line.fields[last])
		}
		if len(line.fields) != 2 || line.fields[1] == "" {
			return nil, errs.New(errs.Request, "write a feature and its "+key+", separated by a tab or a comma", "%s has %s", where,
				phrase.Count(len(line.fields), "field"))
		}
		if i == 0 && slices.Contains([]string{"value", "cost", "price", "group", "symbol"}, strings.ToLower(line.fields[1])) {
			continue
		}

		p := featurePair{line.fields[0], line.fields[1], where}
		if before, twice := seen[p.Name]; twice {
			return nil, errs.New(errs.Request, "give each feature one line", "%s: %.100q is already there, in %s", where, p.Name, before)
		}
		seen[p.Name] = "line " + strconv.Itoa(line.number)
		pairs = append(pairs, p)
	}

	if len(pairs) == 0 {
		return nil, errs.New(errs.Request, "write a feature and its "+key+" a line", "%s names no feature (%s)", path, key)
	}
	return pairs, nil
}

// ReadSymbols reads a file, relative to dir, with a feature and its symbol on
// each line. It returns symbols by feature. It doesn't accept a list.
func ReadSymbols(file, dir string) (map[string]string, error) {
	if path, is := featureFile(file, dir); !is {
		return nil, errs.New(errs.NotFound, "name a file with a feature and its symbol on each line, separated by a tab or a comma",
			"symbols: there is no file %s", path)
	}
	pairs, err := readFeaturePairs("symbol", file, dir, nil)
	symbols := map[string]string{}
	for _, p := range pairs {
		symbols[p.Name] = p.Value
	}
	return symbols, err
}

// parsePairs splits NAME:VALUE,NAME:VALUE at commas and each pair at its last
// colon. A word without a colon becomes a line with one field.
func parsePairs(text string, isFeature func(string) bool) (list []featureLine) {
	cut := func(word string) []string {
		colon := strings.LastIndex(word, ":")
		if colon <= 0 {
			return []string{word}
		}
		return []string{strings.Trim(strings.TrimSpace(word[:colon]), `"`), strings.TrimSpace(word[colon+1:])}
	}
	for _, word := range phrase.Rejoin(phrase.Names(text), func(word string) bool { return isFeature(cut(word)[0]) }) {
		list = append(list, featureLine{len(list) + 1, cut(word)})
	}
	return list
}

type featureLine struct {
	number int
	fields []string
}

// featureLines returns the lines of a file that are neither empty nor comments,
// split at tabs, or at commas if a line has no tab. It rejects a line with an
// empty first field and a file without lines.
func featureLines(key, path string) ([]featureLine, error) {
	content, err := readList(key, path, "feature")
	if err != nil {
		return nil, err
	}
	var list []featureLine
	number := 0
	for text := range strings.Lines(content) {
		number++
		text = strings.Trim(text, " \r\n") // a tab may precede an empty name
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		separator := ','
		if strings.Contains(text, "\t") {
			separator = '\t'
		}

		fields := phrase.Fields(text, separator)
		if fields[0] == "" {
			return nil, errs.New(errs.Request, "begin every line with the name of a feature", "%s: %s: line %d has no name", key, path, number)
		}
		list = append(list, featureLine{number, fields})
	}

	if len(list) == 0 {
		return nil, errs.New(errs.Request, "write one feature per line", "%s names no feature (%s)", path, key)
	}
	return list, nil
}

// FindFeatures returns the positions of names among the features of a data set.
// If some are unknown, a single error lists them and suggests the nearest
// feature for each.
func FindFeatures(key, data string, names, features []string) ([]int, error) {
	place := make(map[string]int, len(features))
	for j, name := range features {
		place[name] = j
	}

	columns := make([]int, len(names))
	var unknown, near []string
	for i, name := range names {
		j, ok := place[name]
		if columns[i] = j; ok {
			continue
		}
		// Don't search for near names of all of them: each is compared with all
		// features.
		if unknown = append(unknown, name); len(unknown) > 5 {
			continue
		}
		if like := parse.NearestName(name, features); like != "" {
			near = append(near, phrase.Join([]string{like}))
		}
	}
	if unknown == nil {
		return columns, nil
	}

	remedy := "name features as the data have them"
	if near != nil {
		remedy = "did you mean " + strings.Join(near, ", ") + "?"
	}
	text := parse.Quote(unknown)
	if len(names) == 1 && strings.Contains(filepath.Base(names[0]), ".") {
		text += ", nor is there a file of this name"
	}
	return nil, errs.New(errs.Request, remedy, "%s: %s has no feature %s", key, data, text)
}
