package kernel

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// page is a page that shows widgets: it speaks over comms as JupyterLab does.
type page struct {
	*lab
	models map[string]map[string]any // states by model
}

// open shows the panel of a session and takes the page's view of it.
func (l *lab) openPanel(code string) (*page, jupyter.DisplayData) {
	l.Helper()
	var d jupyter.DisplayData
	shown := l.OK(code).Of("display_data")
	if err := shown[len(shown)-1].Decode(&d); err != nil {
		l.Fatal(err)
	}
	p := &page{lab: l}
	p.load()
	return p, d
}

// comm sends one message and gives all that answers it.
func (p *page) comm(messageType, id string, content map[string]any) fronttest.Answer {
	p.Helper()
	content["comm_id"] = id
	e := p.Begun("shell", messageType, content)
	p.Until(e, func(m jupyter.Message) bool { return fronttest.State(m) == "idle" })
	return e.Now()
}

// load asks for everything, as a page that was opened or reloaded.
func (p *page) load() {
	p.Helper()
	p.comm("comm_open", "control", map[string]any{"target_name": ipywidgets.ControlTarget, "data": map[string]any{}})
	answers := p.comm("comm_msg", "control", map[string]any{"data": map[string]any{"method": "request_states"}})
	p.comm("comm_close", "control", map[string]any{"data": map[string]any{}})
	p.models = map[string]map[string]any{}
	for _, m := range answers.Of("comm_msg") {
		var content struct {
			Data struct {
				States map[string]struct {
					State map[string]any `json:"state"`
				} `json:"states"`
			} `json:"data"`
		}
		if m.Decode(&content) == nil {
			for id, each := range content.Data.States {
				p.models[id] = each.State
			}
		}
	}
}

// panel is the model of the panel.
func (p *page) panel() string {
	p.Helper()
	for id, state := range p.models {
		if state["_anywidget_id"] == "fsnet-panel" {
			return id
		}
	}
	p.Fatal("there is no panel")
	return ""
}

// press sends what a button of the panel does.
func (p *page) press(content map[string]any) {
	p.Helper()
	p.comm("comm_msg", p.panel(), map[string]any{"data": map[string]any{"method": "custom", "content": content}})
}

func (p *page) step(n int) {
	p.Helper()
	p.press(map[string]any{"do": "step", "n": n})
}

// until loads again and again until some model has this text in an entry.
func (p *page) until(text string) {
	p.Helper()
	p.await(func() bool {
		p.load()
		for _, state := range p.models {
			if shown := fmt.Sprint(state["head"], state["facts"], state["message"]); strings.Contains(shown, text) {
				return true
			}
		}
		return false
	}, "no model says %q", text)
}

// %fsnet panel shows a live view whose models are in the page, with a picture
// and text for readers without widgets.
func TestKernel_PanelIsALiveView(t *testing.T) {
	l := newLab(t)
	p, d := l.openPanel(openShort + "\n%fsnet panel")
	view, _ := d.Data[ipywidgets.MIMEView].(map[string]any)
	root, _ := view["model_id"].(string)
	if p.models[root] == nil || p.models[root]["_anywidget_id"] != "fsnet-panel" {
		t.Fatalf("the view %v is of no panel", view)
	}
	if png, _ := d.Data[chart.MIMEPNG].(string); len(png) < 1000 ||
		!strings.Contains(d.Data["text/plain"].(string), "step 0") || d.Transient.DisplayID == "" {
		t.Errorf("beside it stand %d bytes of PNG and %q, as %q", len(png), d.Data["text/plain"], d.Transient.DisplayID)
	}

	// Everything that the browser may ask for is listed.
	var info jupyter.CommInfoReply
	if err := l.Ask("comm_info_request", map[string]any{"target_name": ipywidgets.Target}).Reply.Decode(&info); err != nil {
		t.Fatal(err)
	}
	if len(info.Comms) != len(p.models) || info.Comms[root].Target == "" {
		t.Errorf("%d comms for %d models", len(info.Comms), len(p.models))
	}
	if err := l.Ask("comm_info_request", map[string]any{"target_name": "other"}).Reply.Decode(&info); err != nil ||
		len(info.Comms) != len(p.models) {
		t.Errorf("comms of another target: %v, %v", info.Comms, err) // decoded on top: none came
	}

	p.step(10)
	p.until("step 10 of")
	if shown := l.OK("%fsnet status").Texts(); !strings.Contains(shown[0], "step 10 ") {
		t.Errorf("the session is at %q", shown)
	}
	l.OK("%fsnet step 2")
	p.until("step 12 of") // what a cell does is seen

	before := len(p.models)
	l.OK("%fsnet panel\n%fsnet panel")
	if p.load(); len(p.models) != before {
		t.Errorf("%d models of three views, %d of one", len(p.models), before)
	}
}

// The panel's button ends a cell that waits for a run.
func TestKernel_PanelPausesACell(t *testing.T) {
	l := newLab(t)
	p, _ := l.openPanel(openLong + "\n%fsnet panel")
	e := l.Begin("%fsnet run")
	l.Until(e, fronttest.Of("display_data"))
	p.step(1) // is refused, and says why
	p.until("pause it first")
	p.press(map[string]any{"do": "pause"})
	if r := l.Finish(e); r.Status != "ok" || !strings.Contains(r.Texts()[0], "paused") {
		t.Errorf("the cell ended with %s, %q", r.Status, r.Texts())
	}
}

// A message to an unknown comm is answered with one line and the comm's close;
// the close of one isn't answered.
func TestKernel_ForeignComms(t *testing.T) {
	l := newLab(t)
	p := &page{lab: l}
	for messageType, want := range map[string]string{"comm_msg": "does not know", "comm_open": "no comm target"} {
		answers := p.comm(messageType, "nosuch", map[string]any{"data": map[string]any{"method": "update"}, "target_name": "other"})
		if lines := answers.Of("stream"); len(lines) != 1 || !fronttest.Says(want)(lines[0]) || len(answers.Of("comm_close")) != 1 {
			t.Errorf("%s of an unknown comm: %s", messageType, answers.Types())
		}
	}
	if answers := p.comm("comm_close", "nosuch", map[string]any{"data": map[string]any{}}); len(answers.Published) != 2 {
		t.Errorf("a farewell of an unknown comm is answered by %s", answers.Types())
	}
	l.Fails("%fsnet panel nosuch", "nosuch")
	l.OK("%fsnet version")
}

// If the host hangs, the kernel still answers a shutdown at once, however many
// views were shown. Their pictures are those of the last step.
func TestKernel_ShutdownDrawsNothing(t *testing.T) {
	l := newLab(t)
	p, _ := l.openPanel(openShort + "\n%fsnet panel")
	l.OK("%fsnet matrix live=true\n%fsnet table\n%fsnet anneal")
	const showings = 40
	cell := l.Begin(strings.Repeat("%fsnet panel\n", showings))
	shown := l.Finish(cell)
	ids := map[string]bool{}
	for _, m := range shown.Of("display_data") {
		var d jupyter.DisplayData
		if err := m.Decode(&d); err != nil {
			t.Fatal(err)
		}
		ids[d.Transient.DisplayID] = true
	}
	if len(ids) != showings {
		t.Fatalf("%d displays", len(ids))
	}
	p.step(10)
	p.until("step 10 of")
	if err := syscall.Kill(l.hostID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	e, err := l.StartControl("shutdown_request", jupyter.Shutdown{})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-e.Replied():
	case <-time.After(35 * time.Second): // each picture that it drew first would take a second
		t.Fatal("it is not answered")
	}
	err = cell.Until(l.Soon(), func(m jupyter.Message) bool {
		var last jupyter.DisplayData
		if m.Header.Type == "update_display_data" && m.Decode(&last) == nil && strings.Contains(last.Data["text/plain"].(string), "step 10 ") {
			if png, _ := last.Data[chart.MIMEPNG].(string); len(png) < 1000 || last.Data[ipywidgets.MIMEView] != nil {
				t.Errorf("%d bytes of PNG take the place of the live view %v", len(png), last.Data[ipywidgets.MIMEView])
			}
			delete(ids, last.Transient.DisplayID)
		}
		return len(ids) == 0
	})
	if err != nil {
		t.Fatalf("%d displays keep their live view: %v", len(ids), err)
	}
	l.awaitEnd()
}

// Of a view that is shown again and again, the kernel keeps one picture, and no
// code of the cells that show it.
func TestKernel_KeepsAViewOnce(t *testing.T) {
	l := newLab(t)
	l.OK(openShort)
	for range 20 {
		l.OK("%fsnet panel" + strings.Repeat("\n", 2000))
		l.OK("%fsnet table")
	}
	c := l.kernel.comms
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.views) != 2 {
		t.Errorf("%d views are kept of two", len(c.views))
	}
	for _, cell := range c.views {
		if len(cell.RawHeader) > 2000 || cell.Content != nil || cell.Identities != nil {
			t.Errorf("the whole cell is kept: %d bytes", len(cell.RawHeader)+len(cell.Content))
		}
	}
}

// A widget's panic fails alone, and is told where the page shows the widget.
func TestKernel_WidgetPanics(t *testing.T) {
	var log strings.Builder
	l := startLab(t, Options{NoGo: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	button := ipywidgets.NewModel(l.kernel.comms.widgets, ipywidgets.Module{Name: "button"}, nil)
	button.OnMessage(func(json.RawMessage) { panic("out of order") })
	press := l.Begun("shell", "comm_msg",
		map[string]any{"comm_id": button.ID(), "data": map[string]any{"method": "custom", "content": map[string]any{"event": "click"}}})
	l.Until(press, fronttest.Says("what button does failed unexpectedly in kernel.TestKernel_WidgetPanics"))
	if !strings.Contains(log.String(), "calls=") {
		t.Error("the log has no calls")
	}
	l.OK("%fsnet version")
}
