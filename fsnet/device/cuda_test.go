package device

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/xlaplugin"
)

// withPlugin makes xla:cuda's plugin a file with the given bytes, and the only one that is found beside those of this machine.
func withPlugin(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "pjrt_c_api_cuda_v0_plugin.so")
	check(t, os.WriteFile(path, []byte(content), 0o600))
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", dir+string(os.PathListSeparator)+os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"))
	return path
}

// Without NVIDIA's driver, xla:cuda is one clear line, auto chooses another
// backend and says why, and XLA_FLAGS doesn't change.
func TestOpen_CUDAWithoutDriver(t *testing.T) {
	if xlaplugin.CUDADriver() == nil {
		t.Skip("this machine has NVIDIA's driver")
	}
	withPlugin(t, "no library")
	flags := os.Getenv("XLA_FLAGS")
	_, err := Open(context.Background(), "xla:cuda")
	if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "no NVIDIA driver") || strings.Contains(err.Error(), "\n") {
		t.Errorf("backend=xla:cuda: %v", err)
	}
	d := must(Open(context.Background(), "auto"))
	defer d.Close()
	if d.Name == "xla:cuda" || !strings.Contains(d.Reason, "xla:cuda cannot be used: no NVIDIA driver") {
		t.Errorf("auto took %s: %s", d.Name, d.Reason)
	}
	if os.Getenv("XLA_FLAGS") != flags {
		t.Errorf("XLA_FLAGS became %q", os.Getenv("XLA_FLAGS"))
	}
}

// The user's flags override ours, a plugin that doesn't know ours is rejected,
// and XLA_FLAGS is restored afterwards.
func TestCUDAFlags_OfAPlugin(t *testing.T) {
	known := "\x00xla_gpu_deterministic_ops\x00\x00xla_gpu_autotune_level\x00"
	path := withPlugin(t, known)
	t.Setenv("XLA_FLAGS", "--xla_gpu_autotune_level=2")
	flags := must(CUDAFlags(path))
	if flags.Merged != "--xla_gpu_autotune_level=2 --xla_gpu_deterministic_ops=true" || len(flags.Overridden) != 1 {
		t.Errorf("%+v", flags)
	}
	restore := must(setCUDAEnvironment(path))
	if os.Getenv("XLA_FLAGS") != flags.Merged {
		t.Errorf("XLA_FLAGS = %q", os.Getenv("XLA_FLAGS"))
	}
	restore()
	if os.Getenv("XLA_FLAGS") != "--xla_gpu_autotune_level=2" {
		t.Errorf("afterwards XLA_FLAGS = %q", os.Getenv("XLA_FLAGS"))
	}
	if _, err := CUDAFlags(withPlugin(t, "another library, \x00xla_gpu_autotune_level\x00")); !errs.Is(err, errs.Unavailable) {
		t.Errorf("a plugin that does not know the flag of determinism: %v", err)
	}
	t.Setenv("XLA_FLAGS", filepath.Join(t.TempDir(), "gone"))
	if _, err := CUDAFlags(path); !errs.Is(err, errs.Request) {
		t.Errorf("a file of flags that is not there: %v", err)
	}
}

// Without a plugin, auto is Go and says why. A backend requested by name says
// how to get its plugin.
func TestOpen_WithoutPlugin(t *testing.T) {
	if _, err := Open(context.Background(), "xla:tpu"); !errs.Is(err, errs.Request) {
		t.Errorf("%v", err)
	}
	t.Setenv("FSNET_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", t.TempDir())
	for name, remedy := range map[string]string{"xla:cpu": "./install.sh fetches one", "xla:cuda": "./install.sh --cuda"} {
		if FindPlugin(name) != "" {
			t.Skip("NOT TESTED: a plugin is installed for the whole machine")
		}
		if _, err := Open(context.Background(), name); !errs.Is(err, errs.Unavailable) || !strings.Contains(errs.Of(err).Remedy, remedy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := must(Open(context.Background(), "auto"))
	defer d.Close()
	if d.Name != "go" || !strings.Contains(d.Reason, "xla:cpu has no plugin") {
		t.Errorf("%s: %s", d.Name, d.Reason)
	}
}

// must is what a call that must not fail returns.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
