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
	for value, flag := range map[string]string{"--xla_dump_hlo_as_text=false --xla_no_such_flag=1": "--xla_no_such_flag=1", "-xla_dump_hlo_as_text": "-xla_dump_hlo_as_text"} {
		t.Setenv("XLA_FLAGS", value)
		for _, name := range []string{"xla:cpu", "auto"} {
			d, err := Open(t.Context(), name)
			if err == nil {
				d.Close()
			}
			if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), flag) || !strings.Contains(err.Error(), "unset XLA_FLAGS") {
				t.Errorf("%s, %s: %v", name, value, err)
			}
		}
	}
}
