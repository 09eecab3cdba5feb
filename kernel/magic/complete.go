package magic

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/kernel/cell"
)

// completeLimit bounds how long completion waits for a session.
const completeLimit = 800 * time.Millisecond

// Complete returns completions of the word at the cursor, and the range that a
// match replaces. The cursor and the range count runes. ok is false if the
// cursor isn't in a magic line.
func (i *Interpreter) Complete(ctx context.Context, code string, cursor int) (matches []string, start, end int, ok bool) {
	line, offset, ok := lineAt(code, cursor)
	if !ok {
		return nil, 0, 0, false
	}

	ctx, cancel := context.WithTimeout(ctx, completeLimit)
	defer cancel()

	before := line[:cursor-offset]
	begin := wordBegin(before)
	word := string(before[begin:])
	rest, ok := strings.CutPrefix(strings.TrimLeft(string(before[:begin]), " \t"), prefix)
	if !ok { // the prefix itself
		return nil, cursor, cursor, true
	}

	earlier, _ := fields(rest) // quotations before the last word are closed
	for _, c := range i.candidates(ctx, word, earlier) {
		if strings.HasPrefix(unquote(c), unquote(word)) {
			matches = append(matches, c)
		}
	}
	return matches, offset + begin, cursor, true
}

// wordBegin returns the index at which the last word of a line starts. A space
// inside quotes doesn't end a word.
func wordBegin(line []rune) int {
	begin := 0
	var quote rune
	for i, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && (r == ' ' || r == '\t'):
			begin = i + 1
		}
	}
	return begin
}

// candidates returns what may follow the earlier words of a line. The caller
// must select those that start with text.
func (i *Interpreter) candidates(ctx context.Context, text string, earlier []word) []string {
	if len(earlier) == 0 {
		return i.verbNames()
	}

	v, err := i.findVerb(earlier[0].key)
	if err != nil {
		return nil
	}

	if name, value, isOption := strings.Cut(text, "="); isOption {
		var list []string
		for _, known := range i.optionValues(ctx, v, name, value, earlier) {
			list = append(list, name+"="+known)
		}
		return list
	}
	return i.argumentCandidates(ctx, v, text, earlier[1:])
}

// argumentCandidates returns the sessions, arguments and options that may follow a verb and
// its earlier words.
func (i *Interpreter) argumentCandidates(ctx context.Context, v verb, text string, earlier []word) []string {
	var list []string
	if v.session && len(earlier) == 0 {
		list = i.openSessions(ctx)
	}

	list = append(list, v.choices...)
	if v.complete != nil {
		list = append(list, v.complete(ctx, i, text, earlier)...)
	}

	first, then := keyNames(v.accepts), v.optionNames()
	if !v.session { // keys describe a session to be opened, and then come first
		first, then = then, first
	}
	for _, name := range append(first, then...) {
		list = append(list, name+"=")
	}

	return slices.DeleteFunc(list, func(candidate string) bool {
		return slices.ContainsFunc(earlier, func(w word) bool { return w.option && w.key+"=" == candidate })
	})
}

// openSessions returns the names of the open sessions. It returns nil if the
// host doesn't answer. Completion calls it with a context that starts no host.
func (i *Interpreter) openSessions(ctx context.Context) (names []string) {
	for _, s := range i.openStatuses(ctx) {
		names = append(names, s.Session)
	}
	return names
}

// openStatuses returns the statuses of the open sessions. It returns nil if the
// host doesn't answer.
func (i *Interpreter) openStatuses(ctx context.Context) []session.Status {
	host, err := i.options.Host(ctx)
	if err != nil {
		return nil
	}
	list, _ := session.VerbSessions.Call(ctx, host, session.None{}) //nolint:errcheck // see above
	return list
}

func completeHelp(_ context.Context, i *Interpreter, _ string, _ []word) []string {
	return append(i.verbNames(), config.Names()...)
}

// maxNames bounds a list of names.
const maxNames = 200

// completeFeature returns the names of a session's features that start with
// text, in the order in which the selectors favour them.
func completeFeature(ctx context.Context, i *Interpreter, text string, earlier []word) []string {
	name := i.Current()
	if len(earlier) > 0 {
		name = earlier[0].key
	}

	host, err := i.options.Host(ctx)
	if name == "" || len(earlier) > 1 || err != nil {
		return nil
	}

	names, err := session.VerbFeatures.Call(ctx, host,
		session.FeaturesRequest{Session: name, Prefix: strings.TrimLeft(text, `"'`), Most: maxNames})
	if err != nil {
		return nil
	}

	for j, feature := range names {
		names[j] = quote(feature, text)
	}
	return names
}

// quote returns text as a word of a line. It adds quotes if text needs them or
// if typed starts with them.
func quote(text, typed string) string {
	switch {
	case strings.HasPrefix(typed, `"`) && !strings.ContainsAny(text, `"\`), strings.HasPrefix(typed, "'") && !strings.Contains(text, "'"):
		return typed[:1] + text + typed[:1]
	}
	return phrase.Word(text)
}

func unquote(text string) string { return strings.NewReplacer(`"`, "", "'", "").Replace(text) }

// lineAt returns the magic line that contains the cursor, and the offset of its
// first rune. ok is false if the cursor's line isn't a magic line.
func lineAt(code string, cursor int) (line []rune, offset int, ok bool) {
	runes := []rune(code)
	if cursor < 0 || cursor > len(runes) {
		return nil, 0, false
	}

	for offset = cursor; offset > 0 && runes[offset-1] != '\n'; offset-- {
	}
	end := cursor
	for end < len(runes) && runes[end] != '\n' {
		end++
	}

	line = runes[offset:end]
	return line, offset, cell.IsMagic(string(line))
}

// optionValues returns values of a verb's option, or nil. typed is the text
// after the =.
func (i *Interpreter) optionValues(ctx context.Context, v verb, name, typed string, earlier []word) []string {
	if o, ok := v.option(name); ok {
		return o.offers(i, typed)
	}

	key, err := config.Lookup(name)
	if err != nil || !v.accepts(key) {
		return nil
	}

	switch name {
	case "data":
		return i.dataNames(typed)
	case "annotations":
		return i.files(typed, dataset.Extensions()...)
	case "label", "samples", "covariates", "ignore", "groups", "paired", "row_weights", "nuisance", "must", "never":
		index := slices.IndexFunc(earlier, func(w word) bool { return w.option && w.key == "data" })
		if index < 0 {
			return nil
		}
		return i.columns(ctx, name, typed, earlier[index].value)
	}
	return keyValues(key)
}

// keyValues returns the words that a key accepts. If it has none, keyValues
// returns the key's defaults.
func keyValues(key config.Key) []string {
	switch standard, paper := key.Default(config.FsNet), key.Default(config.Paper); {
	case key.Name == "schedule":
		return []string{"exponential", "linear", "cosine", "hold:", "points:"}
	case key.Name == "split":
		return []string{config.Stratified, config.Random, "column:", "file:"}
	case key.Name == "stop":
		return []string{"settled", "never", "patience:"}
	case len(key.Choices) > 0:
		return key.Choices
	case paper != standard:
		return []string{standard, paper}
	default:
		return []string{standard}
	}
}

// dataNames returns the built-in data sets, and the data files and directories that
// continue a path.
func (i *Interpreter) dataNames(typed string) []string {
	var values []string
	for _, b := range dataset.Builtins() {
		values = append(values, b.Name)
	}
	return append(values, i.files(typed, dataset.Extensions()...)...)
}

// files returns the directories and files that continue a path. If you name
// extensions, it returns only files with one of them. It returns hidden ones
// only if the typed name starts with a dot.
func (i *Interpreter) files(typed string, endings ...string) []string {
	bare := strings.TrimLeft(typed, `"'`)
	above, name := "", bare
	if at := strings.LastIndexByte(bare, '/'); at >= 0 {
		above, name = bare[:at+1], bare[at+1:]
	}

	entries, err := os.ReadDir(i.locate(above))
	if err != nil {
		return nil
	}

	var values []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(name, ".") {
			continue
		}

		info, err := os.Stat(filepath.Join(i.locate(above), e.Name())) // follows links
		switch {
		case err != nil || !strings.HasPrefix(e.Name(), name):
		case info.IsDir():
			open := strings.TrimRight(quote(above+e.Name()+"/", typed), `"'`) // the user continues the path
			values = append(values, open)
		case len(endings) == 0 || slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))):
			values = append(values, quote(above+e.Name(), typed))
		}
	}
	return values
}

// locate returns the place of a line's path, which may be relative or start with
// ~/.
func (i *Interpreter) locate(path string) string { return dataset.Locate(path, i.options.Directory()) }

// columns returns names in the header of a table. For must and never it returns
// features, and for other keys all columns, text columns first. For a key that
// takes several names, it completes the last one.
func (i *Interpreter) columns(ctx context.Context, key, typed, file string) []string {
	known, err := dataset.Header(ctx, file, i.options.Directory())
	if err != nil {
		return nil
	}

	names, features := known.Numbers, key == "must" || key == "never"
	if !features {
		names = slices.Concat(known.Words, known.Numbers)
	}

	bare, before := typed, ""
	if strings.HasPrefix(typed, `"`) || strings.HasPrefix(typed, "'") {
		bare = typed[1:]
	}

	several := features || key == "covariates" || key == "ignore"
	if several {
		before = bare[:strings.LastIndexByte(bare, ',')+1]
	}

	var values []string
	for _, name := range names {
		if name != "" && len(values) < maxNames && strings.HasPrefix(before+name, bare) {
			if several {
				name = phrase.Join([]string{name})
			}
			values = append(values, quote(before+name, typed))
		}
	}
	return values
}
