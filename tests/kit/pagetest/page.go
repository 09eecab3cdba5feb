// Package pagetest is a browser's page for tests of live views. It receives the
// messages of widget channels and keeps the state of each model.
//
// Start with [Page]: a view gets one instead of a front end. Send simulates the
// user, and Value and Find look at the page.
package pagetest

import (
	"encoding/json"
	"maps"
	"sync"

	"fsnetlab/widgets/ipywidgets"
)

// Page is a channel that keeps what it receives. The zero value is an empty
// page. Its methods may be called from any goroutine.
type Page struct {
	mu     sync.Mutex
	models map[string]map[string]any
	bytes  int
}

var _ ipywidgets.Channel = (*Page)(nil)

// Send receives a message, as a browser does. It ignores messages other than
// state.
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
	for i, path := range body.Paths { // ours are always at the top level
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

// Value returns an entry of a model's state: []byte, or the decoded JSON. It
// returns nil if there is none.
func (p *Page) Value(model, name string) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.models[model][name]
}

// Find returns a model if fits returns true for its state. It tries them in no
// particular order. It returns "" if there is none.
func (p *Page) Find(fits func(state map[string]any) bool) (model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, state := range p.models {
		if fits(state) {
			return id
		}
	}
	return ""
}

// Bytes returns the bytes received since its last call, without the openings of
// models.
func (p *Page) Bytes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.bytes
	p.bytes = 0
	return n
}
