package kernel

import (
	"maps"
	"slices"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// expression is the answer to one user expression, as a display has it.
type expression struct {
	Status   string         `json:"status"`
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// expressions answers what a request asks for besides its code: what a %fsnet line shows. Each has its own answer; an error is that one's
// only.
func (k *Kernel) expressions(e *execution) map[string]any {
	answers := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(e.request.UserExpressions)) {
		answer, failed := k.evaluate(e, e.request.UserExpressions[name])
		if failed.Name != "" {
			answers[name] = jupyter.ErrorReply{Status: "error", Name: failed.Name, Value: failed.Value, Traceback: failed.Traceback}
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
	if len(commands) == 0 || len(parts) > 1 || !parts[0].Go.IsBlank() {
		return expression{}, describe(errs.New(errs.Request, "ask for what a %fsnet line shows", "%.60q is no %%fsnet line", text))
	}
	shown := &gathered{shown: expression{Data: map[string]any{"text/plain": ""}}}
	for _, command := range commands {
		if err := k.magics.Run(e.context, command, shown); err != nil {
			return expression{}, describe(err)
		}
	}
	return shown.last(), gonb.Reply{}
}

// gathered keeps what is shown instead of publishing it; the last display counts.
type gathered struct {
	mu    sync.Mutex
	shown expression
}

var _ magic.Output = (*gathered)(nil)

func (g *gathered) last() expression {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shown
}

func (g *gathered) show(data, metadata map[string]any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown = expression{Data: data, Metadata: metadata}
}

func (g *gathered) Display(p chart.Picture)          { g.show(p.Bundle(), p.Metadata()) }
func (g *gathered) Update(_ string, p chart.Picture) { g.Display(p) }
func (g *gathered) Result(p chart.Picture)           { g.Display(p) }
func (g *gathered) Page(p chart.Picture)             { g.Display(p) }
func (g *gathered) Clear(bool)                       {}
func (g *gathered) Silent() bool                     { return false }
func (g *gathered) Live(v ipywidgets.View)           { g.show(v.Data, v.Metadata) }
