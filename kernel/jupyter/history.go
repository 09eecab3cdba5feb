package jupyter

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/fault"
)

// historyLength is how many cells are kept: more than anybody scrolls back.
const historyLength = 10_000

// History is the cells of this kernel, in order, and those of all kernels that keep them in the same file. The zero value keeps none.
type History struct {
	mu    sync.Mutex
	cells []Past
	file  *file
}

// Keep keeps cells between kernels, in a file that is made for its owner alone. Where it cannot be written to, they are remembered until
// the end.
func (h *History) Keep(path string) { h.file = &file{path: path} }

// Past is a cell that was run.
type Past struct {
	Session int // the number of its kernel; 0 is this one
	Count   int
	Code    string
	Result  string // the text of the cell's result, or ""
}

// Add takes up a cell that is run. An error is that it is not kept.
func (h *History) Add(count int, code string) error {
	h.mu.Lock()
	if len(h.cells) == historyLength {
		h.cells = slices.Delete(h.cells, 0, historyLength/10)
	}
	h.cells = append(h.cells, Past{Count: count, Code: code})
	h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	return h.file.add(record{Line: count, Code: &code})
}

// Result adds what a cell gave, as Add does.
func (h *History) Result(count int, text string) error {
	if text == "" {
		return nil
	}
	h.mu.Lock()
	for at, cell := range slices.Backward(h.cells) { // cells of other shells may have begun since
		if cell.Count == count {
			h.cells[at].Result = text
			break
		}
	}
	h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	return h.file.add(record{Line: count, Result: text})
}

// Find selects as a history_request says: the last n, the last n that match a pattern with * and ?, or a range of counts in a session. This
// session has the number 0, and those before it −1 and so on, or the number that they are found with.
func (h *History) Find(r HistoryRequest) []Past {
	h.mu.Lock()
	all := slices.Clone(h.cells)
	h.mu.Unlock()
	session := 0 // the number of this one in the file
	if h.file != nil && (r.Access != "range" || r.Session != 0) {
		var others []Past
		others, session = h.file.others()
		all = append(others, all...)
	}
	switch r.Access {
	case "tail":
		return lastOf(all, r.N)
	case "search":
		var found []Past
		seen := map[string]bool{}
		pattern, err := glob(r.Pattern)
		if err != nil {
			return nil
		}
		for _, cell := range slices.Backward(all) {
			if !pattern.MatchString(cell.Code) || (r.Unique && seen[cell.Code]) {
				continue
			}
			seen[cell.Code] = true
			found = append(found, cell)
		}
		slices.Reverse(found)
		return lastOf(found, r.N)
	case "range":
		wanted := r.Session
		if wanted < 0 {
			wanted += session
		}
		if wanted == session {
			wanted = 0
		}
		return slices.DeleteFunc(all, func(c Past) bool {
			return c.Session != wanted || c.Count < r.Start || (r.Stop > 0 && c.Count >= r.Stop) || (r.Session < 0 && wanted <= 0)
		})
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
