package system

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// A process is alive until it has ended, waited for or not. 0 and negative
// numbers are no processes.
func TestAlive_Processes(t *testing.T) {
	if !Alive(os.Getpid()) || !Alive(1) || Alive(0) || Alive(-1) {
		t.Error("this process and the first one run, 0 and -1 are none")
	}
	cmd := exec.Command("/bin/sh", "-c", "read line")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if !Alive(pid) {
		t.Error("a process that reads is said not to run")
	}
	in.Close()
	if _, err := os.Stat("/proc/self/stat"); err == nil { // before it is waited for
		for end := time.Now().Add(time.Minute); Alive(pid); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("a process that has ended is said to run")
			}
		}
	}
	cmd.Wait() //nolint:errcheck // how it ended is of no interest
	if Alive(pid) {
		t.Error("a process that was waited for is said to run")
	}
}
