package phrase

import "strings"

// Nearest returns the candidate with the smallest edit distance to word. If
// more than a third of the letters (rounded up) differ, it returns "". A
// transposition counts as one edit. If the words differ only in case, the
// distance is 0. If distances are equal, the earlier candidate wins.
func Nearest(word string, candidates []string) string {
	if len(word) > longest { // too long for a typing error of one of our words
		return ""
	}
	best, bestDistance := "", 1<<30
	for _, c := range candidates {
		d := Distance(word, c)
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

// longest is the length of the longest word that Nearest considers, because the
// time for a distance grows with it.
const longest = 64

// DidYouMean returns a sentence for the end of an error: it suggests the
// nearest candidate, or lists all candidates if no candidate is near.
func DidYouMean(word string, candidates []string) string {
	return DidYouMeanOr(word, candidates, "known are "+strings.Join(candidates, ", "))
}

// DidYouMeanOr is like DidYouMean, but returns otherwise if no candidate is
// near.
func DidYouMeanOr(word string, candidates []string, otherwise string) string {
	if near := Nearest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return otherwise
}

// Distance returns the number of edits between a and b. An edit changes, omits
// or adds a letter, or exchanges it with its neighbour.
func Distance(a, b string) int {
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
