package kernel

import (
	"bytes"
	"encoding/json"
	"strings"
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
			Report: k.explainComm, NewID: jupyter.NewID,
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
	message := jupyter.NewMessage(c.kernel.session, string(m.Kind), content)
	if cause, ok := m.Cause.(jupyter.Message); ok {
		message = cause.Answer(c.kernel.session, string(m.Kind), content)
	}
	message.Metadata, message.Buffers = m.Metadata, m.Buffers
	c.kernel.server.IOPub.Publish(message)
}

// comm takes a widget's message from a page, whether or not a cell runs.
func (k *Kernel) comm(m jupyter.Message) {
	k.publish(m, "status", jupyter.Status{State: "busy"})
	var content struct {
		ID     string          `json:"comm_id"`
		Target string          `json:"target_name"`
		Data   json.RawMessage `json:"data"`
	}
	err := m.Decode(&content)
	if err == nil {
		err = boundary.Do(k.options.Log, m.Header.Type, func() error {
			if !k.comms.widgets.Receive(ipywidgets.Message{
				Kind: ipywidgets.Kind(m.Header.Type), Comm: content.ID, Target: content.Target, Data: content.Data, Buffers: m.Buffers, Cause: m,
			}) {
				k.foreignComm(m, content.ID)
			}
			return nil
		})
	}
	if err != nil {
		k.explainComm(m, err.Error())
	}
	k.publish(m, "status", jupyter.Status{State: "idle"})
	k.sayBusy()
}

// refuseComm explains a widget's message that is not taken.
func (k *Kernel) refuseComm(m jupyter.Message, err error) {
	k.publish(m, "status", jupyter.Status{State: "busy"})
	k.explainComm(m, err.Error())
	k.publish(m, "status", jupyter.Status{State: "idle"})
	k.sayBusy()
}

// foreignComm passes a message on to GoNB, if it is of one of its comms. Any other comm is of a kernel that has ended: the page is told
// so and nothing else happens.
func (k *Kernel) foreignComm(m jupyter.Message, id string) {
	child := k.gonb.keeper.Current()
	k.comms.mu.Lock()
	if m.Header.Type == "comm_open" && child != nil {
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
		k.explainComm(m, "the kernel does not know this widget (was it restarted?): run its cell again")
		k.publish(m, "comm_close", map[string]any{"comm_id": id, "data": map[string]any{}})
	}
}

// explainComm says in one line why a widget's message changed nothing. JupyterLab shows it in its log console.
func (k *Kernel) explainComm(cause any, line string) {
	if m, ok := cause.(jupyter.Message); ok {
		k.publish(m, "stream", jupyter.Stream{Name: "stderr", Text: strings.TrimSuffix(line, "\n") + "\n"})
	}
}

// commInfo lists the widgets that are alive, which a page asks for when it was reloaded or opened a second time.
func (k *Kernel) commInfo(m jupyter.Message) (string, any) {
	var request struct {
		Target string `json:"target_name"`
	}
	if err := m.Decode(&request); err != nil {
		return badRequest("comm_info_reply", err)
	}
	reply := jupyter.CommInfoReply{Status: "ok", Comms: map[string]any{}}
	if request.Target == "" || request.Target == ipywidgets.Target {
		for _, id := range k.comms.widgets.Comms() {
			reply.Comms[id] = map[string]any{"target_name": ipywidgets.Target}
		}
	}
	return "comm_info_reply", reply
}

func (o *output) Live(v ipywidgets.View) {
	o.flush()
	c := o.kernel.comms
	c.mu.Lock()
	c.views[v.Widget] = jupyter.Message{RawHeader: bytes.Clone(o.parent.HeaderJSON())}
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
		k.publish(cell, "update_display_data", jupyter.DisplayData{Data: last.Data, Metadata: metadata, Transient: jupyter.Transient{DisplayID: id}})
	}
}
