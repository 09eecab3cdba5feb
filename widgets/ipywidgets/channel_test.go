package ipywidgets_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"sync"
	"testing"

	"fsnetlab/widgets/ipywidgets"
)

// fakeChannel remembers what was sent.
type fakeChannel struct {
	mu   sync.Mutex
	sent []ipywidgets.Message
}

func (c *fakeChannel) Send(m ipywidgets.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, m)
}

// take gives what was sent since the last time.
func (c *fakeChannel) take() []ipywidgets.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := c.sent
	c.sent = nil
	return sent
}

// body is the data of a message.
type body struct {
	Method  string          `json:"method"`
	State   map[string]any  `json:"state"`
	Paths   [][]any         `json:"buffer_paths"`
	Content any             `json:"content"`
	States  map[string]body `json:"states"`
	Name    string          `json:"model_name"`
}

func read(t *testing.T, m ipywidgets.Message) body {
	t.Helper()
	var b body
	if err := json.Unmarshal(m.Data, &b); err != nil {
		t.Fatalf("%s: %v", m.Data, err)
	}
	return b
}

// bench is a manager whose models are called 1, 2, 3, …
type bench struct {
	*ipywidgets.Manager
	channel *fakeChannel

	mu    sync.Mutex
	lines []string
	count int
}

func newBench() *bench {
	b := &bench{channel: new(fakeChannel)}
	b.Manager = ipywidgets.NewManager(b.channel, ipywidgets.Options{Report: b.report, NewID: b.name})
	return b
}

func (b *bench) report(_ any, line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line)
}

func (b *bench) name() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	return strconv.Itoa(b.count)
}

// reports gives the lines since the last time.
func (b *bench) reports() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := b.lines
	b.lines = nil
	return lines
}

// tell is a front end's message to a model.
func (b *bench) tell(w *ipywidgets.Model, data string) bool {
	return b.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: w.ID(), Data: json.RawMessage(data), Cause: "asked"})
}

// number makes a model of a whole number from 0 to 10, which is a person's to change, and of another that is not.
func (b *bench) number(value int) *ipywidgets.Model {
	return ipywidgets.NewModel(b.Manager, ipywidgets.Module{Name: "number"}, map[string]ipywidgets.Entry{
		"max": {Value: 10}, "value": {Value: float64(value), Person: true, Check: func(v any) error {
			if n, ok := v.(float64); !ok || n != math.Trunc(n) || n < 0 || n > 10 {
				return fmt.Errorf("is not a whole number from 0 to 10")
			}
			return nil
		}},
	})
}

func set(w *ipywidgets.Model, value any) { w.Set(map[string]any{"value": value}) }

const press = `{"method":"custom","content":{"event":"click"}}`

func update(key string, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"method":"update","state":{%q:%s},"buffer_paths":[]}`, key, text)
}
