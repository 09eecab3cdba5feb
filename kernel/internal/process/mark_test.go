package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"fsnetlab/internal/alive"
)

// marked starts a program in a session of its own, with an environment, and without anybody who waits for its end.
func marked(t *testing.T, script string, environment ...string) (pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script+"\necho ready\nwhile :; do sleep 0.05; done")
	cmd.Env = append(os.Environ(), environment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it has ended already
		cmd.Wait()         //nolint:errcheck // it was killed
	})
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func needProcesses(t *testing.T) {
	t.Helper()
	if !Visible() {
		t.Skip("NOT TESTED: processes cannot be seen here")
	}
}

// All that has the mark ends, also what does not want to; what has another one, or is to be kept, stays.
func TestEndMarked(t *testing.T) {
	needProcesses(t)
	mine := "test-" + strconv.Itoa(os.Getpid()) + "-1"
	away := []int{
		marked(t, "", Mark+"="+mine),
		marked(t, "trap '' TERM INT HUP", Mark+"="+mine),
		marked(t, "", Mark+"="+mine, Keep+"=0"),
		marked(t, "sh -c 'sleep 600' &", Mark+"="+mine),
	}
	stay := []int{
		marked(t, "", Mark+"="+mine+"2"),
		marked(t, ""),
		marked(t, "", "X"+Mark+"="+mine, "OTHER="+Mark+"="+mine),
		marked(t, "", Mark+"="+mine, Keep+"=1"),
	}
	EndMarked(mine, 50*time.Millisecond)
	for i, pid := range away {
		if alive.Process(pid) {
			t.Errorf("number %d lives on", i)
		}
	}
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.Origin().Mark == mine && !p.Origin().Keep {
			t.Errorf("a child lives on: %+v", p)
		}
	}
	for i, pid := range stay {
		if !alive.Process(pid) {
			t.Errorf("number %d of those that are to stay was ended", i)
		}
	}
}

// Those of processes that are gone end, those of living ones stay.
func TestEndOrphans(t *testing.T) {
	needProcesses(t)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	prefix := "test-" + strconv.Itoa(os.Getpid()) + "-kernel-"
	dead, living := prefix+strconv.Itoa(gone.Process.Pid)+"-77", prefix+strconv.Itoa(os.Getpid())+"-77"
	orphan, kept := marked(t, "", Mark+"="+dead), marked(t, "", Mark+"="+dead, Keep+"=1")
	others := []int{marked(t, "", Mark+"="+living), marked(t, "", Mark+"="+prefix+"x-77"), marked(t, "", Mark+"=x"+dead)}
	EndOrphans(prefix, 50*time.Millisecond)
	if alive.Process(orphan) {
		t.Error("what a dead process has left lives on")
	}
	for i, pid := range append(others, kept) {
		if !alive.Process(pid) {
			t.Errorf("number %d of the others was ended", i)
		}
	}
}
