package device

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// A flag that XLA doesn't know is an error that names it. XLA itself would end
// the process.
func TestOpen_UnknownFlag(t *testing.T) {
	if FindPlugin("xla:cpu") == "" {
		t.Skip("SKIPPED: xla:cpu is NOT TESTED, since it is not at hand")
	}
	t.Setenv("XLA_FLAGS", "--xla_dump_hlo_as_text=false --xla_no_such_flag=1")
	for _, name := range []string{"xla:cpu", "auto"} {
		d, err := Open(t.Context(), name)
		if err == nil {
			d.Close()
		}
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "--xla_no_such_flag=1") || !strings.Contains(err.Error(), "unset XLA_FLAGS") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
