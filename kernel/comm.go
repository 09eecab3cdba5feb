package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"fsnetlab/fsnet/errs/boundary"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/widgets/ipywidgets"
)

// comms are the ways between widgets in a page and what they show. Those of FsNet's widgets end here; those that a page opened for
// GoNB's are passed on to it.
type comms struct {
	widgets *ipywidgets.Manager

	mu    sync.Mutex
	gonb  map[string]*gonb.Child     // whose a comm is
	views map[string]jupyter.Message // the headers of the cells that showed the live views last, by widget
}

func (k *Kernel) newComms() *comms {
	return &comms{
		widgets: ipywidgets.NewManager(commChannel{k}, ipywidgets.Options{
			Report: k.report, NewID: jupyter.NewID,
			Guard: func(doing string, work func()) error {
				return boundary.Do(k.options.Log, doing, func() error { work(); return nil })
			},
			Interval: updateInterval,
		}),
		gonb: map[string]*gonb.Child{}, views: map[string]jupyter.Message{},
	}
}

// commChannel publishes the widgets' messages, as answers to those that they answer.
type commChannel struct{ kernel *Kernel }

var _ ipywidgets.Channel = commChannel{}

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

// report says why a widget's message changed nothing.
func (k *Kernel) report(cause any, line string) {
	if m, ok := cause.(jupyter.Message); ok {
		k.loop.Explain(m, line)
	}
}

// Comm implements jupyter.Language: it takes a widget's message from a page.
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

// gonbTarget is the one target of comms that GoNB has.
const gonbTarget = "gonb_comm"

// foreignComm passes a message on to GoNB if it belongs to one of GoNB's comms. Any other comm belongs to a kernel that has ended, or was
// opened for a target that does not exist: the page is told that it is closed.
func (k *Kernel) foreignComm(m jupyter.Message, id, target string) {
	child := k.gonb.keeper.Current()
	k.comms.mu.Lock()
	if m.Header.Type == "comm_open" && child != nil && target == gonbTarget {
		k.comms.gonb[id] = child
	}
	theirs := child != nil && k.comms.gonb[id] == child // and not of one that has ended
	if m.Header.Type == "comm_close" || !theirs {
		delete(k.comms.gonb, id)
	}
	k.comms.mu.Unlock()
	switch {
	case theirs:
		child.Tell(m)
	case m.Header.Type != "comm_close":
		if m.Header.Type == "comm_open" {
			k.loop.Explain(m, fmt.Sprintf("the kernel has no comm target %q", target))
		} else {
			k.loop.Explain(m, "the kernel does not know this widget (was it restarted?): run its cell again")
		}
		k.loop.Publish(m, "comm_close", map[string]any{"comm_id": id, "data": map[string]any{}})
	}
}

// Comms implements jupyter.Language: the widgets that are alive, which a page asks for when it was reloaded or opened a second time.
func (k *Kernel) Comms(target string) map[string]string {
	list := map[string]string{}
	if target == "" || target == ipywidgets.Target {
		for _, id := range k.comms.widgets.Comms() {
			list[id] = ipywidgets.Target
		}
	}
	return list
}

func (o *output) Live(v ipywidgets.View) {
	o.flush()
	c := o.kernel.comms
	c.mu.Lock()
	c.views[v.Widget] = jupyter.Message{RawHeader: bytes.Clone(o.cell.Message.HeaderJSON())}
	c.mu.Unlock()
	o.publish("display_data", jupyter.DisplayData{Data: v.Data, Metadata: v.Metadata, Transient: jupyter.Transient{DisplayID: v.DisplayID}})
}

// viewsLimit is how long views may be drawn when the kernel ends. Jupyter waits five seconds for that.
const viewsLimit = time.Second

// endViews puts the last picture in the place of each live view, since what it shows ends with this process. Those that changed since it
// was drawn are drawn once more, as long as there is time.
func (k *Kernel) endViews() {
	limit := time.Now().Add(viewsLimit)
	for _, v := range k.comms.widgets.Close() {
		k.endView(v, time.Now().Before(limit))
	}
}

// endView puts the last picture in the place of a live view that has ended.
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
