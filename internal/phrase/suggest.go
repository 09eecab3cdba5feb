package phrase

import "strings"

// Nearest returns the candidate with the smallest edit distance to word (transpositions count one, another case of all letters none), or ""
// where none is close: at most a third of its letters, rounded up, may differ. Ties go to the earlier candidate.
func Nearest(word string, candidates []string) string {
	if len(word) > longest { // nobody meant a word of ours by that
		return ""
	}
	best, bestDistance := "", 1<<30
	for _, c := range candidates {
		d := distance(word, c)
		if strings.EqualFold(word, c) {
			d = 0
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" || bestDistance > (max(len(word), len(best))+2)/3 {
		return ""
	}
	return best
}

// longest is the length of a word beyond which no candidate is looked for: the distance takes time in its length.
const longest = 64

// DidYouMean is a sentence for the end of an error: the nearest word, or the whole list where none is near.
func DidYouMean(word string, candidates []string) string {
	return DidYouMeanOr(word, candidates, "known are "+strings.Join(candidates, ", "))
}

// DidYouMeanOr is DidYouMean with another sentence where no word is near.
func DidYouMeanOr(word string, candidates []string, otherwise string) string {
	if near := Nearest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return otherwise
}

func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before := make([]int, len(y)+1)
	previous := make([]int, len(y)+1)
	current := make([]int, len(y)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(x); i++ {
		current[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(y)]
}
