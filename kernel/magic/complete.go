package magic

import (
	"context"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/namelist"
	"fsnetlab/kernel/cell"
)

// completeLimit is how long a session may take to name what it knows.
const completeLimit = 800 * time.Millisecond

// Complete gives what the word at the cursor (in runes) could become, and the stretch of runes that a match replaces. ok is false
// where the cursor is not in a magic line.
func (i *Interpreter) Complete(ctx context.Context, code string, cursor int) (matches []string, start, end int, ok bool) {
	line, offset, ok := lineAt(code, cursor)
	if !ok {
		return nil, 0, 0, false
	}
	ctx, cancel := context.WithTimeout(ctx, completeLimit)
	defer cancel()
	before := line[:cursor-offset]
	at := wordBegin(before)
	word := string(before[at:])
	rest, ok := strings.CutPrefix(strings.TrimLeft(string(before[:at]), " \t"), prefix)
	if !ok { // the prefix itself
		return nil, cursor, cursor, true
	}
	earlier, _ := fields(rest) // what is quoted has its end
	for _, c := range i.candidates(ctx, word, earlier) {
		if strings.HasPrefix(unquoted(c), unquoted(word)) {
			matches = append(matches, c)
		}
	}
	return matches, offset + at, cursor, true
}

// wordBegin is where the last word of a line begins; a space inside quotes does not end one.
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

// candidates are what may stand behind the words of a line; some do not begin with the word that is being written.
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
		for _, known := range i.values(ctx, v, name, value, earlier) {
			list = append(list, name+"="+known)
		}
		return list
	}
	return i.words(ctx, v, text, earlier[1:])
}

// words are the sessions, arguments and options that may follow a verb and the words behind it.
func (i *Interpreter) words(ctx context.Context, v verb, text string, earlier []word) []string {
	var list []string
	if v.session && len(earlier) == 0 {
		list = i.openSessions(ctx)
	}
	list = append(list, v.among...)
	if v.complete != nil {
		list = append(list, v.complete(ctx, i, text, earlier)...)
	}
	first, then := keyNames(v.takes), v.optionNames()
	if !v.session { // elsewhere keys say how a session is to be, which matters more
		first, then = then, first
	}
	for _, name := range append(first, then...) {
		list = append(list, name+"=")
	}
	return slices.DeleteFunc(list, func(candidate string) bool {
		return slices.ContainsFunc(earlier, func(w word) bool { return w.option && w.key+"=" == candidate })
	})
}

// openSessions are their names.
func (i *Interpreter) openSessions(ctx context.Context) (names []string) {
	if host, err := i.options.Host(ctx); err == nil {
		sessions, _ := session.VerbSessions.Call(ctx, host, session.None{}) // none is as good as any other answer
		for _, s := range sessions {
			names = append(names, s.Session)
		}
	}
	return names
}

func completeHelp(_ context.Context, i *Interpreter, _ string, _ []word) []string {
	return append(i.verbNames(), config.Names()...)
}

// mostShown is how many names are worth a list.
const mostShown = 200

// completeFeature gives the names of a session's features that begin with a text, those that the selectors favour first.
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
		session.FeaturesRequest{Session: name, Prefix: strings.TrimLeft(text, `"'`), Most: mostShown})
	if err != nil {
		return nil
	}
	for j, feature := range names {
		names[j] = quoted(feature, text)
	}
	return names
}

// quoted is a text as a word of a line, in quotes where it needs them or where they were begun.
func quoted(text, begun string) string {
	switch {
	case strings.HasPrefix(begun, `"`) && !strings.ContainsAny(text, `"\`), strings.HasPrefix(begun, "'") && !strings.Contains(text, "'"):
		return begun[:1] + text + begun[:1]
	}
	return namelist.Word(text)
}

func unquoted(text string) string { return strings.NewReplacer(`"`, "", "'", "").Replace(text) }

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
	return line, offset, cell.IsMagic(string(line))
}
