package kernel

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/widgets/ipywidgets"
)

// journal is a log that several goroutines write.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// take gives what was written since the last time.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.text.Reset()
	return j.text.String()
}

// What a widget does fails alone, and says so where the page shows it.
func TestAWidgetThatPanics(t *testing.T) {
	var log journal
	l := startLab(t, Options{NoGo: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	button := ipywidgets.NewModel(l.kernel.comms.widgets, ipywidgets.Module{Name: "button"}, nil)
	button.OnMessage(func(json.RawMessage) { panic("out of order") })
	press := l.Begun("shell", "comm_msg",
		map[string]any{"comm_id": button.ID(), "data": map[string]any{"method": "custom", "content": map[string]any{"event": "click"}}})
	l.Until(press, fronttest.Says("what button does failed unexpectedly in kernel.TestAWidgetThatPanics"))
	if !strings.Contains(log.take(), "calls=") {
		t.Error("the log has no calls")
	}
	l.OK("%fsnet version")
}
