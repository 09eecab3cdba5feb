package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/widgets/ipywidgets"
)

// comms connects widgets in pages to the programs that own them. FsNet's
// widgets belong to this kernel, and GoNB's widgets to GoNB.
type comms struct {
	widgets *ipywidgets.Manager

	mu    sync.Mutex
	gonb  map[string]*gonb.Child     // by comm id
	views map[string]jupyter.Message // by widget: the header of the cell that showed the live view last
}

// newComms returns comms without widgets. If a widget panics, only the work it
// was part of ends. An error about a message is explained to the page that sent
// it.
func (k *Kernel) newComms() *comms {
	return &comms{
		widgets: ipywidgets.NewManager(commChannel{k}, ipywidgets.Options{
			NewID: jupyter.NewID,
			Report: func(cause any, line string) {
				if m, ok := cause.(jupyter.Message); ok {
					k.loop.Explain(m, line)
				}
			},
			Guard: func(doing string, work func()) error {
				return errs.Guard(k.options.Log.Error, doing, func() error { work(); return nil })
			},
			Interval: updateInterval,
		}),
		gonb: map[string]*gonb.Child{}, views: map[string]jupyter.Message{},
	}
}

// commChannel publishes the widgets' messages as answers to the messages that
// caused them.
type commChannel struct{ kernel *Kernel }

var _ ipywidgets.Channel = commChannel{}

// Send implements ipywidgets.Channel.
func (c commChannel) Send(m ipywidgets.Message) {
	content := map[string]any{"comm_id": m.Comm, "data": m.Data}
	if m.Kind == ipywidgets.Open {
		content["target_name"] = m.Target
	}
	cause, _ := m.Cause.(jupyter.Message)
	c.kernel.loop.Relay(cause, jupyter.Message{
		Header: jupyter.Header{Type: string(m.Kind)}, Content: jupyter.Content(content), Metadata: m.Metadata, Buffers: m.Buffers,
	})
}

// Comm implements jupyter.Language. It handles a message from a widget in a
// page.
func (k *Kernel) Comm(m jupyter.Message) error {
	var content struct {
		ID     string          `json:"comm_id"`
		Target string          `json:"target_name"`
		Data   json.RawMessage `json:"data"`
	}

	if err := m.Decode(&content); err != nil {
		return err
	}

	if !k.comms.widgets.Receive(ipywidgets.Message{
		Kind: ipywidgets.Kind(m.Header.Type), Comm: content.ID, Target: content.Target, Data: content.Data, Buffers: m.Buffers, Cause: m,
	}) {
		k.foreignComm(m, content.ID, content.Target)
	}

	return nil
}

// gonbTarget is the only comm target that GoNB knows.
const gonbTarget = "gonb_comm"

// foreignComm passes on a message if it belongs to one of GoNB's comms. It
// closes any other comm, because the comm's kernel has ended or its target
// doesn't exist.
func (k *Kernel) foreignComm(m jupyter.Message, id, target string) {
	child := k.gonb.keeper.Current()

	k.comms.mu.Lock()
	if m.Header.Type == "comm_open" && child != nil && target == gonbTarget {
		k.comms.gonb[id] = child
	}
	theirs := child != nil && k.comms.gonb[id] == child // false for a comm of an earlier GoNB
	if m.Header.Type == "comm_close" || !theirs {
		delete(k.comms.gonb, id)
	}
	k.comms.mu.Unlock()

	switch {
	case theirs:
		child.Relay(m)
	case m.Header.Type != "comm_close":
		if m.Header.Type == "comm_open" {
			k.loop.Explain(m, fmt.Sprintf("the kernel has no comm target %q", target))
		} else {
			k.loop.Explain(m, "the kernel does not know this widget (was it restarted?): run its cell again")
		}
		k.loop.Publish(m, "comm_close", map[string]any{"comm_id": id, "data": map[string]any{}})
	}
}

// Comms implements jupyter.Language. It lists the live widgets, for a page that
// was reloaded or opened a second time.
func (k *Kernel) Comms(target string) map[string]string {
	list := map[string]string{}
	if target == "" || target == ipywidgets.Target {
		for _, id := range k.comms.widgets.Comms() {
			list[id] = ipywidgets.Target
		}
	}
	return list
}

// Live implements magic.Output. It records the cell, because endView updates
// the view's displays in the name of that cell.
func (e *execution) Live(v ipywidgets.View) {
	e.flush()

	c := e.kernel.comms
	c.mu.Lock()
	c.views[v.Widget] = jupyter.Message{RawHeader: bytes.Clone(e.cell.Message.HeaderJSON())}
	c.mu.Unlock()

	e.publish("display_data", jupyter.DisplayData{Data: v.Data, Metadata: v.Metadata, Transient: jupyter.Transient{DisplayID: v.DisplayID}})
}

// viewsLimit bounds how long drawing views may take when the kernel ends.
// Jupyter waits five seconds for the kernel.
const viewsLimit = time.Second

// endViews replaces each live view by its last picture, because the views end
// with this process. It redraws changed views as long as there is time.
func (k *Kernel) endViews() {
	limit := time.Now().Add(viewsLimit)
	for _, v := range k.comms.widgets.Close() {
		k.endView(v, time.Now().Before(limit))
	}
}

// endView replaces a live view that has ended by its last picture. With draw,
// it redraws the picture if the view has changed. It does nothing for a view
// that no cell has shown.
func (k *Kernel) endView(v ipywidgets.Shown, draw bool) {

	k.comms.mu.Lock()
	cell, shown := k.comms.views[v.Widget]
	delete(k.comms.views, v.Widget)
	k.comms.mu.Unlock()

	if !shown {
		return
	}

	last := v.Last(draw)
	metadata := last.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	for _, id := range v.Displays {
		k.loop.Publish(cell, "update_display_data", jupyter.DisplayData{Data: last.Data, Metadata: metadata, Transient: jupyter.Transient{DisplayID: id}})
	}
}
