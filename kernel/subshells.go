package kernel

import (
	"encoding/json"

	"fsnetlab/kernel/jupyter"
)

// subshellHandlers are the requests about subshells, which the protocol has on the control socket alone.
func (k *Kernel) subshellHandlers() map[string]func(jupyter.Message) (replyType string, content any) {
	return map[string]func(jupyter.Message) (string, any){
		"create_subshell_request": k.createSubshell,
		"delete_subshell_request": k.deleteSubshell,
		"list_subshell_request":   k.listSubshells,
	}
}

func (k *Kernel) createSubshell(jupyter.Message) (string, any) {
	shell, err := k.shells.Create(func(s *jupyter.Shell) { k.workers.Go(func() { k.work(s) }) })
	if err != nil {
		return "create_subshell_reply", failure(err)
	}
	return "create_subshell_reply", jupyter.SubshellReply{Status: "ok", ID: shell.ID}
}

// deleteSubshell ends a subshell. Cells that wait in it are not run; one that runs goes on, since it may be a training.
func (k *Kernel) deleteSubshell(m jupyter.Message) (string, any) {
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
		k.refuse(cell, jupyter.StatusReply{Status: "aborted"})
	}
	return "delete_subshell_reply", jupyter.StatusReply{Status: "ok"}
}

func (k *Kernel) listSubshells(jupyter.Message) (string, any) {
	return "list_subshell_reply", jupyter.SubshellsReply{Status: "ok", IDs: k.shells.IDs()}
}
