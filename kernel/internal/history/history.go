// Package history remembers the cells of a kernel, as front ends ask for them: the last ones, those that match a pattern, a range.
package history

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/wire"
)

// historyLength is how many cells are kept: more than anybody scrolls back.
const historyLength = 10_000

// History is the cells of this kernel, in order. Earlier kernels' are not kept.
type History struct {
	mu    sync.Mutex
	cells []Past
}

// Past is a cell that was run.
type Past struct {
	Count  int
	Code   string
	Result string // the text of the cell's result, or ""
}

// Add takes up a cell that is run.
func (h *History) Add(count int, code string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.cells) == historyLength {
		h.cells = slices.Delete(h.cells, 0, historyLength/10)
	}
	h.cells = append(h.cells, Past{Count: count, Code: code})
}

// Result adds what a cell gave.
func (h *History) Result(count int, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for at, cell := range slices.Backward(h.cells) { // cells of other shells may have begun since
		if cell.Count == count {
			h.cells[at].Result = text
			return
		}
	}
}

// Find selects as a history_request says: the last n, the last n that match a pattern with * and ?, or a range of counts. This session
// has the number 0.
func (h *History) Find(r wire.HistoryRequest) []Past {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch r.Access {
	case "tail":
		return slices.Clone(lastOf(h.cells, r.N))
	case "search":
		var found []Past
		seen := map[string]bool{}
		pattern, err := glob(r.Pattern)
		if err != nil {
			return nil
		}
		for _, cell := range slices.Backward(h.cells) {
			if !pattern.MatchString(cell.Code) || (r.Unique && seen[cell.Code]) {
				continue
			}
			seen[cell.Code] = true
			found = append(found, cell)
		}
		slices.Reverse(found)
		return lastOf(found, r.N)
	case "range":
		if r.Session != 0 {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(h.cells), func(c Past) bool { return c.Count < r.Start || (r.Stop > 0 && c.Count >= r.Stop) })
	}
	return nil
}

func lastOf(cells []Past, n int) []Past {
	if n > 0 && n < len(cells) {
		return cells[len(cells)-n:]
	}
	return cells
}

// longestPattern is in bytes: compiling takes time.
const longestPattern = 1 << 16

// glob makes an expression of a pattern in which * stands for anything, also lines, and ? for one character.
func glob(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > longestPattern {
		return nil, fault.New(fault.Request, "shorten it", "a pattern of %d bytes", len(pattern))
	}
	text := regexp.QuoteMeta(strings.ToValidUTF8(pattern, "?"))
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, `.*`), `\?`, `.`)
	return regexp.Compile(`(?s)^` + text + `$`)
}
