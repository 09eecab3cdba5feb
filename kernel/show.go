package kernel

import (
	"context"
	"encoding/json"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
)

const (
	// mostShown bounds what a cell shows at once, in bytes of JSON. Package widgets, which bounds the values themselves, says so in words.
	mostShown = 32 << 20
	// shownPrefix keeps the names that cells give to displays apart from the kernel's own.
	shownPrefix = "shown-"
	longestID   = 200
)

// show shows a value of a Go cell below it: {"data":{"text/plain":…, …}, "metadata":{…}, "id":…}, or what a session answered, as the view
// that draws it: {"view":"selection", "value":…}. With an id later values take its place, in this cell and in earlier ones.
func (k *Kernel) show(ctx context.Context, params json.RawMessage) (any, error) {
	var value struct {
		Data     map[string]any  `json:"data"`
		Metadata map[string]any  `json:"metadata"`
		ID       string          `json:"id"`
		View     string          `json:"view"`
		Value    json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(params, &value); err != nil {
		return nil, fault.Wrap(err, fault.Request, `send {"data":{"text/plain":"…"}}`, "the parameters of a value to show")
	}
	if value.View != "" {
		picture, err := magic.Picture(value.View, value.Value)
		if err != nil {
			return nil, err
		}
		value.Data, value.Metadata = picture.Bundle(), picture.Metadata()
	}
	text, ok := value.Data[chart.MIMEText].(string)
	switch {
	case !ok:
		return nil, fault.New(fault.Request, `send {"data":{"text/plain":"…"}}`, "a value to show has no text/plain")
	case len(value.ID) > longestID:
		return nil, fault.New(fault.Request, "shorten it", "the name of a display has %d bytes, more than %d", len(value.ID), longestID)
	}
	e := k.cellOf(ctx)
	if e == nil {
		return nil, k.nobody(ctx, "to show anything")
	}
	if value.Metadata == nil {
		value.Metadata = map[string]any{}
	}
	data := jupyter.DisplayData{Data: value.Data, Metadata: value.Metadata}
	k.server.IOPub.Pace() // a cell may show faster than anybody reads
	if value.ID == "" {
		e.flush()
		e.publish("display_data", data)
		return struct{}{}, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.console != nil {
		e.rewrite(chart.Picture{Text: text})
		return struct{}{}, nil
	}
	data.Transient.DisplayID = shownPrefix + value.ID
	e.update(data.Transient.DisplayID, data)
	return struct{}{}, nil
}
