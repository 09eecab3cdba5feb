package magic

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/widgets/chart"
)

// Complete gives what the word at the cursor (in runes) could become, and the stretch of runes that a match replaces. ok is false
// where the cursor is not in a magic line.
func (i *Interpreter) Complete(ctx context.Context, code string, cursor int) (matches []string, start, end int, ok bool) {
	line, offset, ok := lineAt(code, cursor)
	if !ok {
		return nil, 0, 0, false
	}
	before := line[:cursor-offset]
	at := len(before)
	for at > 0 && !strings.ContainsRune(" \t", before[at-1]) {
		at--
	}
	word := string(before[at:])
	earlier := strings.Fields(string(before[:at]))
	if len(earlier) == 0 { // the prefix itself
		return nil, cursor, cursor, true
	}
	var candidates []string
	switch v, err := findVerb(nth(earlier, 1)); {
	case len(earlier) == 1:
		candidates = verbNames()
	case err != nil:
	case v.name == "help":
		candidates = append(verbNames(), config.Names()...)
	default:
		if key, _, isOption := strings.Cut(word, "="); isOption {
			candidates = i.values(key)
			break
		}
		candidates = i.words(ctx, v, len(earlier) == 2)
	}
	for _, c := range candidates {
		if strings.HasPrefix(c, word) {
			matches = append(matches, c)
		}
	}
	return matches, offset + at, cursor, true
}

// words are the sessions and options that may follow a verb.
func (i *Interpreter) words(ctx context.Context, v verb, first bool) []string {
	var list []string
	if v.sessions && first {
		if host, err := i.options.Host(ctx); err == nil {
			if sessions, err := host.Sessions(ctx); err == nil {
				for _, s := range sessions {
					list = append(list, s.Session)
				}
			}
		}
	}
	switch v.name {
	case "evaluate":
		list = append(list, "test", "train")
	case "run":
		list = append(list, "settled")
	}
	for _, option := range v.options {
		if option != "config" {
			list = append(list, option+"=")
			continue
		}
		for _, key := range config.Keys() {
			if key.Live || v.name != "set" {
				list = append(list, key.Name+"=")
			}
		}
	}
	return list
}

// values are key=value for the values of a key that can be told.
func (i *Interpreter) values(name string) []string {
	var values []string
	switch name {
	case "of":
		values = []string{"probability", "sample", "soft"}
	case "replace", "read_only", "live":
		values = []string{"true"}
	case "wait":
		values = []string{"false"}
	case "data":
		for _, b := range dataset.Builtins() {
			values = append(values, b.Name)
		}
		values = append(values, i.dataFiles()...)
	case "backend":
		values = []string{"auto", "xla:cuda", "xla:cpu", "go"}
	default:
		key, err := config.Lookup(name)
		if err != nil {
			return nil
		}
		values = key.Choices
		switch {
		case key.Name == "schedule":
			values = []string{"exponential", "linear", "cosine", "hold:", "points:"}
		case key.Name == "stop":
			values = []string{"settled", "never", "patience:"}
		case key.Range == "true · false":
			values = []string{"true", "false"}
		case len(values) == 0:
			values = []string{key.Default(config.Supervised)}
		}
	}
	out := make([]string, len(values))
	for j, v := range values {
		out[j] = name + "=" + v
	}
	return out
}

// dataFiles are the files that can be read, in the directory of the notebook.
func (i *Interpreter) dataFiles() []string {
	entries, err := os.ReadDir(i.options.Directory)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(dataset.Extensions(), strings.ToLower(filepath.Ext(name))) {
			if strings.ContainsAny(name, " \t") {
				name = `"` + name + `"`
			}
			names = append(names, name)
		}
	}
	return names
}

// Inspect explains the word at the cursor (in runes): a verb, or a key with its range and the paper's symbol. ok is false where
// there is nothing to say.
func (i *Interpreter) Inspect(code string, cursor int) (p chart.Picture, ok bool) {
	line, offset, ok := lineAt(code, cursor)
	if !ok {
		return p, false
	}
	from, to := cursor-offset, cursor-offset
	for from > 0 && !strings.ContainsRune(" \t", line[from-1]) {
		from--
	}
	for to < len(line) && !strings.ContainsRune(" \t", line[to]) {
		to++
	}
	word, _, _ := strings.Cut(strings.TrimRight(string(line[from:to]), "?"), "=")
	if word == prefix {
		return overview(), true
	}
	p, err := explain(word)
	return p, err == nil
}

// lineAt is the magic line that holds the cursor, and the offset of its first rune.
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
	return line, offset, isMagic(string(line))
}

func nth(words []string, n int) string {
	if n < len(words) {
		return words[n]
	}
	return ""
}
