package xlaplugin

import (
	"os"
	"path/filepath"
	"testing"
)

// lay makes empty files below a directory and returns the path of the first.
func lay(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, nil, 0o600))
	}
	return filepath.Join(root, names[0])
}

// Libraries are found where the plugin looks for them.
func TestCUDALibraries_WhereThePluginLooks(t *testing.T) {
	for _, test := range []struct {
		name, plugin, library, wanted, data string
		major                               int
	}{
		{"ours, CUDA 13", "plugin/pjrt_c_api_cuda_v1_plugin.so", "nvidia/cu13/lib/libcublas.so.13", "libcublas.so.13", "nvidia/cu13", 13},
		{"ours, cuDNN", "plugin/pjrt_c_api_cuda_v1_plugin.so", "nvidia/cudnn/lib/libcudnn.so.9", "libcudnn.so.9", "", 13},
		{"in a Python environment", "site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so", "site-packages/nvidia/cu13/lib/libcublas.so.13",
			"libcublas.so.13", "site-packages/nvidia/cu13", 13},
		{"CUDA 12", "site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so", "site-packages/nvidia/cublas/lib/libcublas.so.12",
			"libcublas.so.12", "", 12},
		{"go-xla's installer", "go-xla/nvidia/pjrt_c_api_cuda_plugin.so", "go-xla/nvidia/cu13/lib/libcublas.so.13", "libcublas.so.13",
			"go-xla/nvidia/cu13", 13},
	} {
		t.Run(test.name, func(t *testing.T) {
			plugin := lay(t, test.plugin, test.library)
			root := plugin[:len(plugin)-len(test.plugin)]
			if got := CUDAMajor(plugin); got != test.major {
				t.Errorf("CUDA %d, want %d", got, test.major)
			}
			want := ""
			if test.data != "" {
				want = filepath.Join(root, test.data)
			}
			if got := CUDADataDirectory(plugin); got != want {
				t.Errorf("data in %q, want %q", got, want)
			}
			found := 0
			for _, l := range find(plugin) {
				if l.Path == "" {
					continue
				}
				found++
				if l.Name != test.wanted || l.Path != filepath.Join(root, test.library) {
					t.Errorf("%s at %s", l.Name, l.Path)
				}
			}
			if found != 1 {
				t.Errorf("found %d libraries, want 1", found)
			}
		})
	}
}

// A file that isn't a library has an error. A plugin without libraries next to
// it has no CUDA directory.
func TestCUDALibraries_NotALibrary(t *testing.T) {
	plugin := lay(t, "plugin/p.so", "nvidia/cu13/lib/libcublas.so.13")
	for _, l := range CUDALibraries(plugin) {
		if l.Name == "libcublas.so.13" && l.Path != "" && l.Err == nil {
			t.Errorf("an empty file was loaded: %+v", l)
		}
	}
	if CUDADirectory(filepath.Join(t.TempDir(), "p.so")) != "" {
		t.Error("libraries beside a plugin that has none")
	}
}
