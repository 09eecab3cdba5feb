package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/session"
)

// beAsker is a program of a cell. It waits for the file "go" in a directory, runs the session leukemia, and writes how that ended, and what
// it is told when it asks for a picture, a line or the session that is used next.
func beAsker(dir, other string) int {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	ctx := context.Background()
	client, err := session.Dial(ctx, os.Getenv("FSNET_SOCKET"))
	say := func(name string, what any) {
		text := filepath.Join(dir, name)
		os.WriteFile(text+".part", fmt.Append(nil, what), 0o600)
		os.Rename(text+".part", text)
	}
	if err != nil {
		say("ended", err)
		return 1
	}
	say("picture", client.Call(ctx, "view", json.RawMessage(`{"view":"status","session":"leukemia"}`), nil))
	say("line", client.Call(ctx, "input", json.RawMessage(`{"prompt":"name: "}`), nil))
	if other != "" {
		_, err := session.VerbFork.Call(ctx, client, session.ForkRequest{Session: "leukemia", As: other})
		say("fork", err)
	}
	_, err = session.On(client, "leukemia").Run(ctx, session.Until{})
	say("ended", err)
	return 0
}

// said waits for what an asker writes.
func (l *lab) said(dir, name string) string {
	l.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return string(text)
		}
		if time.Now().After(end) {
			l.Fatalf("the program does not say %q", name)
		}
	}
}

// A program that one cell left running draws nothing under the next one, and that one's interrupt does not pause its run. What a cell has
// started itself is its own, wherever it went.
func TestAProgramAsksForItsOwnCell(t *testing.T) {
	needProcesses(t)
	l := newGoLab(t)
	asker := func(dir, other string) string {
		return fmt.Sprintf("(setsid %s asker %s '%s' </dev/null >/dev/null 2>&1 &)", testBinary(), dir, other)
	}
	earlier := t.TempDir()
	l.ok(openLong + "\n!" + asker(earlier, "other"))
	later := l.begin("!touch " + earlier + "/go; echo ready; sleep 600")
	if err := later.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"picture", "line"} {
		if said := l.said(earlier, name); !strings.Contains(said, "its cell has ended, so there is nowhere to ") {
			t.Errorf("asked for a %s it says %q", name, said)
		}
	}
	if said := l.said(earlier, "fork"); said != "<nil>" {
		t.Errorf("its fork: %s", said)
	}
	client, err := session.Dial(t.Context(), l.kernel.cells.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Disconnect()
	now := func() session.Status {
		s, err := session.On(client, "leukemia").Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	advances := func(from int) {
		t.Helper()
		for end := time.Now().Add(limit); now().Step <= from; {
			if s := now(); time.Now().After(end) {
				t.Fatalf("the run stands at step %d, %s", s.Step, s.State)
			}
		}
	}
	advances(0)
	time.Sleep(3 * updateInterval) // for a picture of its progress
	l.askControl("interrupt_request", nil)
	r := l.finish(later)
	if len(r.texts()) > 0 {
		t.Errorf("under the next cell it draws %q", r.texts())
	}
	advances(now().Step)
	if _, err := os.Stat(filepath.Join(earlier, "ended")); err == nil {
		t.Errorf("the interrupt of another cell ended the run: %s", l.said(earlier, "ended"))
	}
	if current := l.kernel.magics.Current(); current != "leukemia" {
		t.Errorf("the session used last is %q", current)
	}
	l.ok("%fsnet pause leukemia")
	l.said(earlier, "ended")

	own := t.TempDir()
	running := l.begin("!" + asker(own, "") + "; touch " + own + "/go; while [ ! -e " + own + "/ended ]; do sleep 0.05; done; echo ready")
	if err := running.Until(l.context(), containing("steps/s")); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	r = l.finish(running)
	if texts := strings.Join(r.texts(), "\n"); !strings.Contains(texts, "leukemia paused") {
		t.Errorf("under its own cell it draws %q", texts)
	}
	if said := l.said(own, "picture"); said != "<nil>" {
		t.Errorf("its picture: %s", said)
	}
}
