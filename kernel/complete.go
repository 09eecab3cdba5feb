package kernel

import (
	"context"
	"time"

	"fsnetlab/kernel/internal/trainer"
	"fsnetlab/kernel/magic"
	"fsnetlab/kernel/wire"
)

// goHelpLimit is how long a front end waits for GoNB to complete or inspect Go code. GoNB does one thing at a time.
const goHelpLimit = 2 * time.Second

func (k *Kernel) complete(m wire.Message) (string, any) {
	var request wire.CompleteRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("complete_reply", err)
	}
	matches, start, end, ok := k.magics.Complete(trainer.WithoutStart(k.life), request.Code, request.CursorPos)
	if ok {
		return "complete_reply", wire.CompleteReply{Status: "ok", Matches: notNull(matches), CursorStart: start, CursorEnd: end, Metadata: map[string]any{}}
	}
	nothing := wire.CompleteReply{Status: "ok", Matches: []string{}, CursorStart: request.CursorPos, CursorEnd: request.CursorPos, Metadata: map[string]any{}}
	request.Code = blankMagics(request.Code)
	reply, ok := k.askGo(m, request)
	if !ok {
		return "complete_reply", nothing
	}
	var found wire.CompleteReply
	if reply.Decode(&found) != nil || found.Status != "ok" {
		return "complete_reply", nothing
	}
	found.Matches = notNull(found.Matches)
	return "complete_reply", found
}

func (k *Kernel) inspect(m wire.Message) (string, any) {
	var request wire.InspectRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("inspect_reply", err)
	}
	if picture, ok := k.magics.Inspect(request.Code, request.CursorPos); ok {
		return "inspect_reply", wire.InspectReply{Status: "ok", Found: true, Data: picture.Bundle(), Metadata: map[string]any{}}
	}
	nothing := wire.InspectReply{Status: "ok", Data: map[string]any{}, Metadata: map[string]any{}}
	request.Code = blankMagics(request.Code)
	reply, ok := k.askGo(m, request)
	if !ok {
		return "inspect_reply", nothing
	}
	var found wire.InspectReply
	if reply.Decode(&found) != nil || found.Status != "ok" {
		return "inspect_reply", nothing
	}
	return "inspect_reply", found
}

// askGo relays a question about Go code, unless GoNB cannot answer yet or is busy with a cell or an earlier question.
func (k *Kernel) askGo(m wire.Message, content any) (wire.Message, bool) {
	child := k.gonb.current()
	if child == nil || !child.CanExplain() || k.current() != nil || !k.gonb.asking.CompareAndSwap(false, true) {
		return wire.Message{}, false
	}
	// A question that GoNB still works on when nobody waits any more keeps it from the next one.
	answers := make(chan wire.Message, 1)
	go func() {
		defer k.gonb.asking.Store(false)
		ctx, cancel := context.WithTimeout(k.life, time.Minute)
		defer cancel()
		question := wire.NewMessage(m.Header.Session, m.Header.Type, content)
		if reply, err := child.Request(ctx, question); err == nil {
			answers <- reply
		}
	}()
	select {
	case reply := <-answers:
		return reply, true
	case <-time.After(goHelpLimit):
	case <-k.life.Done():
	}
	return wire.Message{}, false
}

// blankMagics keeps %fsnet lines from GoNB and every offset where it is.
func blankMagics(code string) string {
	if _, rest, err := magic.Split(code); err != nil || rest == code {
		return code
	}
	return magic.Blank(code)
}

func notNull(list []string) []string { return append([]string{}, list...) }
