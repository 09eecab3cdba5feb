package xlaplugin

import (
	"os"
	"path/filepath"
	"strings"
)

// Library is one of NVIDIA's libraries.
type Library struct {
	Name     string // by which the plugin looks for it, such as libcublas.so.13
	Required bool   // without it no step can be compiled
	Path     string // "" where the system's own search found it
	Err      error  // nil where it is loaded
}

// names in the order in which they need each other. The list is JAX's, for the two versions of CUDA that it has plugins for.
func names(major int) []Library {
	own, sparse, solver, fft := ".so.13", ".so.12", ".so.12", ".so.12"
	if major == 12 {
		own, sparse, solver, fft = ".so.12", ".so.12", ".so.11", ".so.11"
	}
	return []Library{
		{Name: "libcudart" + own},
		{Name: "libnvrtc" + own},
		{Name: "libnvJitLink" + own},
		{Name: "libcublasLt" + own, Required: true},
		{Name: "libcublas" + own, Required: true},
		{Name: "libnccl.so.2"},
		{Name: "libcupti" + own},
		{Name: "libcusparse" + sparse},
		{Name: "libcusolver" + solver},
		{Name: "libcufft" + fft},
		{Name: "libnvshmem_host.so.3"},
		{Name: "libcudnn.so.9", Required: true},
	}
}

// CUDADirectory is where NVIDIA's libraries for a plugin lie: the directory nvidia one or two above it, as the plugin itself looks for them,
// or "". The plugin is a path without symbolic links.
func CUDADirectory(plugin string) string {
	dir := filepath.Dir(plugin)
	for _, up := range []string{"..", "../.."} {
		root := filepath.Join(dir, up, "nvidia")
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			return root
		}
	}
	return ""
}

// CUDAMajor is the version of CUDA, 12 or 13, that a plugin was built for: by its libraries, else by its path, else 13.
func CUDAMajor(plugin string) int {
	root := CUDADirectory(plugin)
	if root != "" {
		if _, err := os.Stat(filepath.Join(root, "cu13")); err == nil {
			return 13
		}
		if _, err := os.Stat(filepath.Join(root, "cublas")); err == nil {
			return 12
		}
	}
	if strings.Contains(plugin, "cuda12") {
		return 12
	}
	return 13
}

// CUDADataDirectory holds ptxas and libdevice, which XLA compiles with, or is "".
func CUDADataDirectory(plugin string) string {
	root := CUDADirectory(plugin)
	if root == "" {
		return ""
	}
	for _, name := range []string{"cu13", "cuda_nvcc"} {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil && info.IsDir() {
			return filepath.Join(root, name)
		}
	}
	return ""
}

// find says where the libraries of a plugin lie, without loading them: Path is "" for those that only the system can know.
func find(plugin string) []Library {
	root := CUDADirectory(plugin)
	list := names(CUDAMajor(plugin))
	for i := range list {
		if root == "" {
			continue
		}
		if found, err := filepath.Glob(filepath.Join(root, "*", "lib", list[i].Name)); err == nil && len(found) > 0 {
			list[i].Path = found[0]
		}
	}
	return list
}

// CUDALibraries loads them, each from near the plugin or else from where the system looks ($LD_LIBRARY_PATH, /etc/ld.so.conf).
func CUDALibraries(plugin string) []Library {
	list := find(plugin)
	for i, l := range list {
		if l.Path != "" {
			list[i].Err = load(l.Path)
		}
		if l.Path == "" || list[i].Err != nil {
			if err := load(l.Name); err == nil {
				list[i].Path, list[i].Err = "", nil
			} else if list[i].Err == nil {
				list[i].Err = err
			}
		}
	}
	return list
}
