package repl

import (
	"context"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/runs"
	"fsnetlab/kernel/internal/trainer"
)

// completeLimit is how long a Tab may take. A session that computes answers at the end of its chunk.
const completeLimit = time.Second

// completer completes a line for the editor.
type completer struct{ *repl }

// Do implements readline.AutoCompleter: what each candidate adds at the cursor, and how many characters of it are there.
func (c completer) Do(text []rune, cursor int) (rest [][]rune, shared int) {
	ctx, cancel := context.WithTimeout(trainer.WithoutStart(context.Background()), completeLimit)
	defer cancel()
	matches, shared := c.candidates(ctx, text[:cursor])
	for _, m := range matches {
		added := []rune(m)[shared:]
		if len(matches) == 1 && !strings.ContainsAny(m[len(m)-1:], "=:/") {
			added = append(added, ' ')
		}
		rest = append(rest, added)
	}
	return rest, shared
}

// candidates are what the last word could become, and how long it is.
func (r *repl) candidates(ctx context.Context, text []rune) (matches []string, length int) {
	code := text
	if !strings.HasPrefix(strings.TrimSpace(string(text)), prefix) {
		code = append([]rune(prefix+" "), text...)
	}
	found, start, _, ok := r.magics.Complete(ctx, string(code), len(code))
	if !ok {
		return nil, 0
	}
	word := string(code[start:])
	switch words := strings.Fields(string(code[:start])); {
	case len(words) == 1:
		found = append(slices.Clone(found), "quit")
	case len(words) == 2 && words[1] == "open":
		found = append(r.savedRuns(), found...)
	}
	for _, m := range found {
		if m, ok := extend(word, m); ok && m != "" && !slices.Contains(matches, m) {
			matches = append(matches, m)
		}
	}
	return matches, len([]rune(word))
}

// extend is a match that begins with the word as it was typed, since the editor only adds to it: where the match has quotes and the
// word has none, they are put around what is added, which means the same.
func extend(word, match string) (string, bool) {
	if strings.HasPrefix(match, word) {
		return match, true
	}
	rest, ok := strings.CutPrefix(unquoted(match), unquoted(word))
	if !ok {
		return "", false
	}
	quote := `"`
	if strings.Contains(rest, quote) {
		quote = "'"
	}
	if strings.Count(word, `"`)%2 == 1 || strings.Count(word, "'")%2 == 1 { // it is open
		return word + rest + word[strings.LastIndexAny(word, `"'`):][:1], true
	}
	return word + quote + rest + quote, true
}

// unquoted is a text without its quotes.
func unquoted(text string) string { return strings.NewReplacer(`"`, "", "'", "").Replace(text) }

// savedRuns are the sessions whose checkpoints are here.
func (r *repl) savedRuns() []string {
	list, err := runs.List(r.directory)
	if err != nil {
		return nil
	}
	var names []string
	for _, run := range list {
		names = append(names, run.Name)
	}
	return names
}
