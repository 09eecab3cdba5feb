package kernel

import "fsnetlab/kernel/jupyter"

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (k *Kernel) showHistory(m jupyter.Message) (string, any) {
	var request jupyter.HistoryRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("history_reply", err)
	}
	reply := jupyter.HistoryReply{Status: "ok", History: [][]any{}}
	for _, cell := range k.history.Find(request) {
		var what any = cell.Code
		if request.Output {
			what = []any{cell.Code, orNull(cell.Result)}
		}
		reply.History = append(reply.History, []any{cell.Session, cell.Count, what})
	}
	return "history_reply", reply
}

// remembered says in the log, once, that cells are not kept.
func (k *Kernel) remembered(err error) {
	if err != nil {
		k.forgetful.Do(func() { k.options.Log.Warn("cells are not kept for the next kernel", "error", err) })
	}
}
