package kernel

import (
	"path"
	"slices"
	"sync"

	"fsnetlab/kernel/wire"
)

// history is the cells of this kernel, in order. Earlier kernels' are not kept.
type history struct {
	mu    sync.Mutex
	cells []past
}

type past struct {
	count int
	code  string
}

func (h *history) add(count int, code string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cells = append(h.cells, past{count, code})
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
		for _, cell := range slices.Backward(h.cells) {
			if ok, err := path.Match(r.Pattern, cell.code); err != nil || !ok || (r.Unique && seen[cell.code]) {
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

func (k *Kernel) showHistory(m wire.Message) (string, any) {
	var request wire.HistoryRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("history_reply", err)
	}
	reply := wire.HistoryReply{Status: "ok", History: [][]any{}}
	for _, cell := range k.history.find(request) {
		var what any = cell.code
		if request.Output {
			what = []any{cell.code, nil}
		}
		reply.History = append(reply.History, []any{0, cell.count, what})
	}
	return "history_reply", reply
}
