package devicetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fsnetlab/fsnet/device"
)

// dumping is an environment variable. It says that this process is the child of
// [Optimised].
const dumping = "FSNET_TEST_DUMP"

// AsCard opens XLA on the processor under the name of a GPU's backend. What
// that name selects (layouts, loops of known counts) is then as on a GPU, but
// programs run on the processor. It skips the test if there is no plugin.
func AsCard(t testing.TB) *device.Device {
	t.Helper()
	if device.FindPlugin("xla:cpu") == "" {
		t.Skip("SKIPPED: no plugin for xla:cpu (./install.sh installs one)")
	}
	d, err := device.Open(context.Background(), "xla:cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	d.Name = "xla:cuda"
	return d
}

// Optimised runs the calling test again in a child process, where it calls
// work. It returns what XLA made of the programs compiled there, by name. In
// the child it returns nil.
func Optimised(t *testing.T, work func()) map[string]string {
	t.Helper()
	if os.Getenv(dumping) != "" {
		work()
		return nil
	}
	folder := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), dumping+"=1", device.ProgramsVariable+"=off",
		xlaFlags+"="+unoptimisedFlags+" --xla_dump_hlo_as_text --xla_dump_to="+folder)
	if out, err := child.CombinedOutput(); err != nil || strings.Contains(string(out), "--- SKIP") {
		t.Fatalf("the child: %v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*after_optimizations.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("XLA wrote no programs: %v", err)
	}
	programs := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		programs[filepath.Base(file)] = string(text)
	}
	return programs
}

var (
	loop   = regexp.MustCompile(`(?m)^.* while\(.*$`)
	single = regexp.MustCompile(`s32\[128,\d+\]\S* parameter\(`) // the rows of 128 steps
)

// KnowsCounts fails the test if XLA doesn't know the count of a loop, unless
// its program has room for 128 steps and makes a single one. Some program whose
// file name contains name must have a loop of known count.
func KnowsCounts(t *testing.T, programs map[string]string, name string) {
	t.Helper()
	found := len(programs) == 0 // in the child
	for file, program := range programs {
		for _, line := range loop.FindAllString(program, -1) {
			switch known := strings.Contains(line, `"known_trip_count":{"n":"`); {
			case known:
				found = found || strings.Contains(file, name)
			case !single.MatchString(program):
				t.Errorf("%s: XLA does not know the count of %.200s", file, line)
			}
		}
	}
	if !found {
		t.Errorf("no loop of known count in a program %q", name)
	}
}
