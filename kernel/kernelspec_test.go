package kernel

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// Jupyter can read an installed kernelspec, with its logos, and InstallSpec can be
// repeated.
func TestInstallSpec_ReadableByJupyter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kernels", SpecName)
	command, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // again is no error
		if err := InstallSpec(dir, command, map[string]string{"FSNET_HOME": "/x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := CheckSpec(dir); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	argv := got["argv"].([]any)
	if argv[0] != command || argv[len(argv)-1] != "{connection_file}" || got["language"] != "go" || got["interrupt_mode"] != "message" ||
		got["display_name"] != "FsNet (Go)" || got["env"].(map[string]any)["FSNET_HOME"] != "/x" {
		t.Errorf("%s", text)
	}
	for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		image, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(image))
		if err != nil || config.Width != size || config.Height != size {
			t.Errorf("%s: %+v, %v", name, config, err)
		}
	}
	if image, err := os.ReadFile(filepath.Join(dir, "logo-svg.svg")); err != nil || !bytes.HasPrefix(image, []byte("<svg")) {
		t.Errorf("logo-svg.svg: %v", err)
	}
}

// The kernelspec of a wheel names its program relative to its own directory.
func TestCheckSpec_RelativeCommand(t *testing.T) {
	prefix := t.TempDir()
	dir := filepath.Join(prefix, "share", "jupyter", "kernels", SpecName)
	if err := InstallSpec(dir, ResourceDir+"/../../../../bin/fsnet", nil); err != nil {
		t.Fatal(err)
	}
	if err := CheckSpec(dir); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("without a program: %v", err)
	}
	if err := os.Mkdir(filepath.Join(prefix, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(prefix, "bin", "fsnet"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := CheckSpec(dir); err != nil {
		t.Error(err)
	}
}

// Another program's kernelspec of the same name isn't overwritten.
func TestInstallSpec_KeepsOtherKernels(t *testing.T) {
	for _, text := range []string{`{"argv": ["python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"]}`, `{}`, `none`} {
		dir := t.TempDir()
		file := filepath.Join(dir, "kernel.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := InstallSpec(dir, "/bin/fsnet", nil); !errs.Is(err, errs.Request) {
			t.Errorf("over %s: %v", text, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("beside %s lie %v, %v", text, entries, err)
		}
	}
}

// CheckSpec says what is wrong with an installed kernelspec.
func TestCheckSpec_SaysWhatIsWrong(t *testing.T) {
	if err := CheckSpec(t.TempDir()); !errs.Is(err, errs.NotFound) {
		t.Errorf("an empty directory: %v", err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"not JSON":       {"{", "not JSON"},
		"no command":     {"{}", "names no command"},
		"command gone":   {`{"argv":["/nonexistent/fsnet"]}`, "is gone"},
		"not a program":  {`{"argv":["/"]}`, "not a program"},
		"interrupt mode": {`{"argv":["/bin/sh"],"interrupt_mode":"signal"}`, "interrupt_mode"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := CheckSpec(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := InstallSpec(t.TempDir(), "fsnet", nil); !errs.Is(err, errs.Request) {
		t.Errorf("a relative command: %v", err)
	}
}
