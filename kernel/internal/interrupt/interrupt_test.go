package interrupt

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"fsnetlab/kernel/internal/process"
)

// A program that was begun a moment before the interrupt is not taken for one that was begun to clean up, which nobody would end.
func TestWhatRunsAtTheInterruptIsEnded(t *testing.T) {
	if !process.Visible() {
		t.Skip("NOT TESTED: the system does not show other processes")
	}
	const mark = "what runs at the interrupt"
	r := New(-1, mark)
	r.begun = process.Now() // moments are hundredths of a second: what is begun now may be of the same one
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "trap 'sleep 600' INT; sleep 600 & echo begun; wait")
	cmd.Env = append(os.Environ(), process.Mark+"="+mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if left := r.Round(nil, false); left < 2 {
		t.Errorf("%d programs are found", left)
	}
	for _, q := range r.targets {
		if q.cleanUp {
			t.Errorf("%s is taken for one that cleans up", q.Name())
		}
	}
	r.Round(nil, true)
	cmd.Wait() //nolint:errcheck // it was killed
}
