package gonb

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

// What GoNB has sent before its end is passed on before the cell is told of that, however far behind the kernel is.
func TestADeadGoNBsLastWordsArePassedOn(t *testing.T) {
	connection := jupyter.NewLocalConnection(filepath.Join(t.TempDir(), socketName))
	server, err := jupyter.Listen(connection, jupyter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := jupyter.DialStarting(t.Context(), connection)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	p, err := process.Start(exec.CommandContext(t.Context(), "sleep", "3600"))
	if err != nil {
		t.Fatal(err)
	}
	c := &Child{memory: newMemory(), process: p, client: client, heartbeat: process.NewHeartbeat(time.Hour, client.Ping), executing: process.NewLock(),
		pending: map[string]*pending{}, over: make(chan struct{})}
	c.readAll()
	go c.awaitEnd()

	var text, want strings.Builder
	behind := make(chan struct{})
	failed := make(chan error)
	request := client.Request("execute_request", nil)
	go func() {
		_, err := c.Execute(t.Context(), Cell{Request: request, Publish: func(m jupyter.Message) {
			<-behind
			var s jupyter.Stream
			if m.Decode(&s) == nil {
				text.WriteString(s.Text)
			}
		}})
		failed <- err
	}()
	for asked := ""; asked != request.Header.ID; { // the cell's number comes before it
		asked = (<-server.Shell.Messages()).Header.ID
	}
	say := func(stream, line string) {
		want.WriteString(line)
		server.IOPub.Publish(request.Answer("gonb", "stream", jupyter.Stream{Name: stream, Text: line}))
	}
	for i := range 500 {
		say("stdout", fmt.Sprintln("line", i))
	}
	say("stderr", "the last\n") // which is held back: it may be the error
	server.Close()
	p.Signal(syscall.SIGKILL)
	<-p.Done()
	close(behind)
	if err := <-failed; !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "signal: killed") {
		t.Error(err)
	}
	if text.String() != want.String() {
		t.Errorf("%d of %d bytes were passed on", text.Len(), want.Len())
	}
}
