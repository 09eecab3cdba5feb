package kernel

import "fsnetlab/kernel/wire"

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
	for _, cell := range k.history.Find(request) {
		var what any = cell.Code
		if request.Output {
			what = []any{cell.Code, orNull(cell.Result)}
		}
		reply.History = append(reply.History, []any{0, cell.Count, what})
	}
	return "history_reply", reply
}
