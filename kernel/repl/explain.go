package repl

import (
	"context"
	"strings"

	"fsnetlab/kernel/magic"
)

// explain says what the last word of a line means: a verb or a key.
func (r *repl) explain(ctx context.Context, text string) error {
	code := prefix + " " + text
	if p, ok := r.magics.Inspect(code, len([]rune(code))); ok {
		r.screen.Display(p)
		return nil
	}
	words := strings.Fields(text)
	word := words[len(words)-1]
	key, _, _ := strings.Cut(word, "=")
	return r.magics.Run(ctx, magic.Command{Verb: "help", Words: []string{key}}, r.screen) // the error names the nearest word
}
