package kernel

import (
	"strings"

	"fsnetlab/kernel/gonb"
	"fsnetlab/widgets/chart"
)

// specialWord is the word that ends at the cursor, in a line of GoNB's own (% and !) or in a cell that is no Go: those are not asked of
// gopls. first is the line's first word.
func specialWord(code string, cursor int) (word, first string, ok bool) {
	_, column, offset, ok := goPlace(code, cursor)
	if !ok {
		return "", "", false
	}
	runes := []rune(code)
	line := string(runes[offset : offset+column])
	text := strings.TrimPrefix(line, "//gonb:")
	if !strings.HasPrefix(text, "%") && !strings.HasPrefix(text, "!") && !gonb.IsScript(code) {
		return "", "", false
	}
	word = text[strings.LastIndexAny(text, " \t")+1:]
	if words := strings.Fields(text); len(words) > 0 {
		first = words[0]
	}
	return word, first, true
}

// completeSpecial gives what the last word of such a line could become.
func (k *Kernel) completeSpecial(word, first string) []string {
	var candidates []string
	switch {
	case word == first && strings.HasPrefix(word, "%"):
		candidates = append(candidates, "%fsnet")
		for _, c := range gonb.Commands() {
			candidates = append(candidates, c.Name)
		}
	case first == "%rm" || first == "%remove":
		if child := k.gonb.keeper.Current(); child != nil {
			candidates = child.Names()
		}
	}
	matches := []string{}
	for _, c := range candidates {
		if strings.HasPrefix(c, word) {
			matches = append(matches, c)
		}
	}
	return matches
}

// explainSpecial is what a special line of GoNB does.
func explainSpecial(first string) (chart.Picture, bool) {
	for _, c := range gonb.Commands() {
		if c.Name == first {
			return chart.Picture{Text: strings.TrimSpace(c.Name+" "+c.Usage) + "\n" + c.About}, true
		}
	}
	return chart.Picture{}, false
}
