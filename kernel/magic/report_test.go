package magic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/tests/kit/reporttest"
	"fsnetlab/widgets/chart"
)

// The page of two sessions is beside the notebook, with what stability found of them here, and looks at the test rows as the line says.
func TestReport(t *testing.T) {
	i, host, run := newTest(t)
	i.options.Directory = in(t.TempDir())
	found := chart.Stability{
		Dataset: "cohort", Done: 40, Planned: 40, Genes: []chart.StabilityGene{{Name: "CST3", Seen: 39, Word: "certain"}},
	}
	i.stabilities["leukemia"] = foundStability{host.status("leukemia").Config, found}
	out, err := run("%fsnet report leukemia other test=false")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(i.options.Directory(), "leukemia-report.html"))
	if err != nil {
		t.Fatal(err)
	}
	p := reporttest.Read(t, page)
	if len(p.Sections) != 20 || len(out.displays) != 1 ||
		!strings.Contains(out.displays[0].Text, "wrote leukemia-report.html (") || strings.Count(string(page), "CST3") == 0 {
		t.Errorf("%d sections, %v", len(p.Sections), out.displays)
	}
	for _, call := range host.calls {
		if strings.Contains(call, "evaluate") && strings.Contains(call, "test") {
			t.Errorf("it looked: %s", call)
		}
	}
	if _, err := run("%fsnet report leukemia output=again.html"); err != nil || host.calls[len(host.calls)-2] != "evaluate leukemia test" {
		t.Errorf("%v; %q", err, host.calls)
	}
	for line, words := range map[string]string{
		"%fsnet report leukemia output=no/such/directory/page.html": "directory that exists",
		"%fsnet report leukemia stability=none.json":                "fsnet stability --json wrote",
		"%fsnet report leukemia other stability=none.json":          "one session",
		"%fsnet report leukemia test=perhaps":                       "true or false",
	} {
		if _, err := run(line); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
