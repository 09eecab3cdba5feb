package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
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

// oddHost is a host that answers with what none should: a feature with more counts than bins. Its run waits to be paused.
type oddHost struct{ paused chan struct{} }

func (oddHost) feature(context.Context, session.FeatureRequest) (session.Feature, error) {
	return session.Feature{Name: "g", Bins: session.Bins{Edges: []float64{0}, Counts: [][]int{{3, 4}}}}, nil
}

func (h oddHost) run(context.Context, session.RunRequest) (session.Status, error) {
	<-h.paused
	return session.Status{Session: "leukemia", State: session.Paused}, nil
}

func (h oddHost) pause(context.Context, session.NameRequest) (session.Status, error) {
	close(h.paused)
	return session.Status{Session: "leukemia", State: session.Paused}, nil
}

func (oddHost) Watch(ctx context.Context, _ session.WatchRequest, tell func(session.Update)) error {
	tell(session.Update{})
	<-ctx.Done()
	return nil
}

// beOdd serves until its kernel ends it; the socket is behind --socket.
func beOdd(args []string) int {
	listener, err := host.Listen(args[slices.Index(args, "--socket")+1])
	if err != nil {
		return 1
	}
	fmt.Println("ready odd")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	h, verbs := oddHost{make(chan struct{})}, session.Handlers{}
	session.Handle(verbs, session.VerbFeature, h.feature)
	session.Handle(verbs, session.VerbRun, h.run)
	session.Handle(verbs, session.VerbPause, h.pause)
	return errs.ExitStatus(host.Serve(ctx, listener, session.Server{Verbs: verbs, Watch: h.Watch}, nil))
}

// A chart that panics, over what a host should not have sent, is one error of its cell, and the cells after it are run.
func TestAChartThatPanics(t *testing.T) {
	var log journal
	l := startLab(t, Options{NoGo: true, Host: []string{testBinary(), "odd"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	l.Fails("%fsnet feature leukemia g\n%fsnet version",
		"%fsnet feature failed unexpectedly in chart.", ".go:", "index out of range", "report it")
	if text := log.take(); !strings.Contains(text, "calls=") || !strings.Contains(text, "chart.") {
		t.Errorf("the log has no calls: %q", text)
	}
	l.OK("%fsnet version")
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
