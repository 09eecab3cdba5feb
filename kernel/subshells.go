package kernel

import (
	"encoding/json"

	"fsnetlab/kernel/internal/shells"
	"fsnetlab/kernel/wire"
)

// subshellHandlers are the requests about subshells, which the protocol has on the control socket alone.
func (k *Kernel) subshellHandlers() map[string]func(wire.Message) (replyType string, content any) {
	return map[string]func(wire.Message) (string, any){
		"create_subshell_request": k.createSubshell,
		"delete_subshell_request": k.deleteSubshell,
		"list_subshell_request":   k.listSubshells,
	}
}

func (k *Kernel) createSubshell(wire.Message) (string, any) {
	shell, err := k.shells.Create(func(s *shells.Shell) { k.workers.Go(func() { k.work(s) }) })
	if err != nil {
		return "create_subshell_reply", failure(err)
	}
	return "create_subshell_reply", wire.SubshellReply{Status: "ok", ID: shell.ID}
}

// deleteSubshell ends a subshell. Cells that wait in it are not run; one that runs goes on, since it may be a training.
func (k *Kernel) deleteSubshell(m wire.Message) (string, any) {
	var request struct {
		ID json.RawMessage `json:"subshell_id"`
	}
	if err := m.Decode(&request); err != nil {
		return badRequest("delete_subshell_reply", err)
	}
	waiting, err := k.shells.Delete(string(request.ID))
	if err != nil {
		return "delete_subshell_reply", failure(err)
	}
	for _, cell := range waiting {
		k.refuse(cell, wire.StatusReply{Status: "aborted"})
	}
	return "delete_subshell_reply", wire.StatusReply{Status: "ok"}
}

func (k *Kernel) listSubshells(wire.Message) (string, any) {
	return "list_subshell_reply", wire.SubshellsReply{Status: "ok", IDs: k.shells.IDs()}
}
