package replica_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/replica"
)

// A process that is started on a core stays there, and the process that started it does not.
func TestOnCore(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: workers are pinned on Linux only")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := replica.AllowedCores()
	if len(all) == 0 || !slices.IsSorted(all) {
		t.Fatalf("cores %v", all)
	}
	for _, core := range append([]int{-1}, all...) {
		c := as("cores")
		var out strings.Builder
		c.Stdout = &out
		if err := replica.OnCore(core, c.Start); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintln([]int{core})
		if core < 0 {
			want = fmt.Sprintln(all)
		}
		if out.String() != want {
			t.Errorf("on core %d a process may run on %s", core, out.String())
		}
		if now := replica.AllowedCores(); !slices.Equal(now, all) {
			t.Fatalf("this thread may run on %v, before it was %v", now, all)
		}
	}
}
