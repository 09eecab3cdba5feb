// Package pagetest is the page of a browser for tests of live views: it takes what a kernel sends over widget channels and keeps the state
// of each model.
//
// A [Page] is given to a view in the front end's place; Send plays what a person does, Value and Find look at what the page would show.
package pagetest

import (
	"encoding/json"
	"maps"
	"sync"

	"fsnetlab/widgets/ipywidgets"
)

// Page is a channel whose other end remembers. The zero value is an empty page; it may be used by many goroutines at once.
type Page struct {
	mu     sync.Mutex
	models map[string]map[string]any
	bytes  int
}

var _ ipywidgets.Channel = (*Page)(nil)

// Send takes in a message, as a browser does. What is not a state is passed over.
func (p *Page) Send(m ipywidgets.Message) {
	var body struct {
		State map[string]any `json:"state"`
		Paths [][]any        `json:"buffer_paths"`
	}
	if json.Unmarshal(m.Data, &body) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Kind != ipywidgets.Open {
		p.bytes += len(m.Data)
		for _, b := range m.Buffers {
			p.bytes += len(b)
		}
	}
	for i, path := range body.Paths { // ours are always at the top of a state
		body.State[path[0].(string)] = m.Buffers[i]
	}
	if p.models == nil {
		p.models = map[string]map[string]any{}
	}
	if p.models[m.Comm] == nil {
		p.models[m.Comm] = map[string]any{}
	}
	maps.Copy(p.models[m.Comm], body.State)
}

// Value is one entry of a model's state as the page has it: []byte, or what JSON says; nil where there is none.
func (p *Page) Value(model, name string) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.models[model][name]
}

// Find is the first model, in no order, whose state is as wanted; "" where there is none.
func (p *Page) Find(wanted func(state map[string]any) bool) (model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, state := range p.models {
		if wanted(state) {
			return id
		}
	}
	return ""
}

// Bytes is how much it was sent since it was last asked, without the openings of models.
func (p *Page) Bytes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.bytes
	p.bytes = 0
	return n
}
