package kernel

import (
	"context"
	"path/filepath"
	"testing"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/widgets/chart"
)

// updating is a language whose cells update a display faster than it is shown, and then say nothing more.
type updating struct{ jupyter.Language }

func (updating) Execute(c *jupyter.Cell) error {
	o := &execution{cell: c}
	for _, text := range []string{"1", "2", "3"} {
		o.Update("a", chart.Picture{Text: text})
	}
	<-c.Context.Done()
	return nil
}

func (updating) Comms(string) map[string]string { return nil }

func (updating) Shutdown() {}

// The last update of a display is shown even if nothing follows it.
func TestKernel_ShowsLastUpdate(t *testing.T) {
	dir := t.TempDir()
	c, file := jupyter.NewLocalConnection(filepath.Join(dir, "k")), filepath.Join(dir, "kernel.json")
	if err := c.Write(file); err != nil {
		t.Fatal(err)
	}
	k, err := jupyter.New(file, jupyter.KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.Run(ctx, updating{})
	}()
	defer func() {
		end()
		<-ended
	}()
	l := fronttest.NewLab(t, c)
	running := l.Begin("update")
	l.Until(running, func(m jupyter.Message) bool {
		var shown jupyter.DisplayData
		return m.Header.Type == "update_display_data" && m.Decode(&shown) == nil && shown.Data["text/plain"] == "3"
	})
	l.Interrupt()
	l.Wait(running)
}
