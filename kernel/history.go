package kernel

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

// history is the cells of this kernel, in order. Earlier kernels' are not kept.
type history struct {
	mu    sync.Mutex
	cells []past
}

type past struct {
	count  int
	code   string
	result string // the text of the cell's result, or ""
}

func (h *history) add(count int, code string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.cells) == historyLength {
		h.cells = slices.Delete(h.cells, 0, historyLength/10)
	}
	h.cells = append(h.cells, past{count: count, code: code})
}

// result adds what the last cell gave.
func (h *history) result(count int, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last := len(h.cells) - 1; last >= 0 && h.cells[last].count == count {
		h.cells[last].result = text
	}
}

// find selects as a history_request says: the last n, the last n that match a pattern with * and ?, or a range of counts. This session
// has the number 0.
func (h *history) find(r wire.HistoryRequest) []past {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch r.Access {
	case "tail":
		return slices.Clone(lastOf(h.cells, r.N))
	case "search":
		var found []past
		seen := map[string]bool{}
		pattern, err := glob(r.Pattern)
		if err != nil {
			return nil
		}
		for _, cell := range slices.Backward(h.cells) {
			if !pattern.MatchString(cell.code) || (r.Unique && seen[cell.code]) {
				continue
			}
			seen[cell.code] = true
			found = append(found, cell)
		}
		slices.Reverse(found)
		return lastOf(found, r.N)
	case "range":
		if r.Session != 0 {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(h.cells), func(c past) bool { return c.count < r.Start || (r.Stop > 0 && c.count >= r.Stop) })
	}
	return nil
}

func lastOf(cells []past, n int) []past {
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

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (k *Kernel) showHistory(m wire.Message) (string, any) {
	var request wire.HistoryRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("history_reply", err)
	}
	reply := wire.HistoryReply{Status: "ok", History: [][]any{}}
	for _, cell := range k.history.find(request) {
		var what any = cell.code
		if request.Output {
			what = []any{cell.code, orNull(cell.result)}
		}
		reply.History = append(reply.History, []any{0, cell.count, what})
	}
	return "history_reply", reply
}
