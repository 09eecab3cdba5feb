package kernel

import (
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/magic"
	"fsnetlab/kernel/wire"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// expression is the answer to one user expression, as a display has it.
type expression struct {
	Status   string         `json:"status"`
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// expressions answers what a request asks for besides its code: the value of a Go expression, which is printed in a program of its own
// below the declarations there are, or what a %fsnet line shows. Each has its own answer; an error is that one's only.
func (k *Kernel) expressions(e *execution) map[string]any {
	answers := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(e.request.UserExpressions)) {
		answer, failed := k.evaluate(e, e.request.UserExpressions[name])
		if failed.Name != "" {
			answers[name] = wire.ErrorReply{Status: "error", Name: failed.Name, Value: failed.Value, Traceback: failed.Traceback}
			continue
		}
		answer.Status = "ok"
		if answer.Metadata == nil {
			answer.Metadata = map[string]any{}
		}
		answers[name] = answer
	}
	return answers
}

func (k *Kernel) evaluate(e *execution, text string) (expression, gonb.Reply) {
	parts, err := magic.Split(text)
	if err != nil {
		return expression{}, describe(err)
	}
	commands := parts[0].Commands
	if len(parts) == 1 && len(commands) == 0 {
		return k.evaluateGo(e, text)
	}
	if len(parts) > 1 || !parts[0].Go.IsBlank() {
		return expression{}, describe(fault.New(fault.Request, "ask for one or the other", "an expression of %%fsnet lines and Go"))
	}
	shown := &gathered{}
	for _, command := range commands {
		if err := k.magics.Run(e.context, command, shown); err != nil {
			return expression{}, describe(err)
		}
	}
	return shown.last(), gonb.Reply{}
}

// evaluateGo prints an expression.
func (k *Kernel) evaluateGo(e *execution, text string) (expression, gonb.Reply) {
	parsed, err := parser.ParseExpr(text)
	if err != nil {
		return expression{}, describe(fault.New(fault.Request, "write one Go expression, or a %fsnet line",
			"%q is not an expression (%v)", text, err))
	}
	var code strings.Builder // without comments, which would hide the bracket that follows
	if err := format.Node(&code, token.NewFileSet(), parsed); err != nil {
		return expression{}, describe(fault.Wrap(err, fault.Request, "write one Go expression", "%q", text))
	}
	child, err := k.gonb.get(e.context)
	if err != nil {
		return expression{}, describe(err)
	}
	shown := &gathered{}
	var reply gonb.Reply
	err = k.inTurn(e.context, e, func() (err error) {
		reply, err = k.runIn(child, e, gonb.Cell{
			Request: wire.NewMessage(k.session, "execute_request", nil), Publish: shown.take,
			Code: "%%\nfmt.Print(" + code.String() + ")\n",
		})
		return err
	})
	switch {
	case err != nil:
		return expression{}, describe(err)
	case reply.Name != "":
		return expression{}, reply
	}
	return shown.last(), gonb.Reply{}
}

// gathered keeps what is shown instead of publishing it; the last display counts, or else what was printed.
type gathered struct {
	mu      sync.Mutex
	printed strings.Builder
	shown   *expression
}

var _ magic.Output = (*gathered)(nil)

func (g *gathered) last() expression {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shown != nil {
		return *g.shown
	}
	return expression{Data: map[string]any{"text/plain": g.printed.String()}}
}

func (g *gathered) show(data, metadata map[string]any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown = &expression{Data: data, Metadata: metadata}
}

// take keeps one message of a Go cell.
func (g *gathered) take(m wire.Message) {
	switch m.Header.Type {
	case "stream":
		var s wire.Stream
		if m.Decode(&s) == nil && s.Name == "stdout" {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.printed.WriteString(s.Text)
		}
	case "display_data", "execute_result":
		var d wire.DisplayData
		if m.Decode(&d) == nil {
			g.show(d.Data, d.Metadata)
		}
	}
}

func (g *gathered) Display(p chart.Picture)          { g.show(p.Bundle(), p.Metadata()) }
func (g *gathered) Update(_ string, p chart.Picture) { g.Display(p) }
func (g *gathered) Result(p chart.Picture)           { g.Display(p) }
func (g *gathered) Page(p chart.Picture)             { g.Display(p) }
func (g *gathered) Clear(bool)                       {}
func (g *gathered) Silent() bool                     { return false }
func (g *gathered) Live(v ipywidgets.View)           { g.show(v.Data, v.Metadata) }
