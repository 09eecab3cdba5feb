package xlaplugin

import (
	"os"
	"path/filepath"
	"strings"
)

// Library is one of NVIDIA's libraries.
type Library struct {
	Name     string // the plugin looks for this name, such as libcublas.so.13
	Required bool   // no step compiles without it
	Path     string // "" if the system's own search found it
	Err      error  // nil if it is loaded
}

// names lists the libraries in the order of their dependencies. The list is
// JAX's, for the two versions of CUDA that JAX has plugins for.
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

// CUDADirectory returns the directory with NVIDIA's libraries for a plugin.
// Like the plugin it looks for a folder nvidia one or two levels above. If it
// does not find one, it returns "". plugin must be a path without symbolic
// links.
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

// CUDAMajor returns the version of CUDA that a plugin was built for, 12 or 13.
// It determines the version from the plugin's libraries or else from its path.
// If neither shows it, it returns 13.
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

// CUDADataDirectory returns the directory with ptxas and libdevice, which XLA
// needs to compile. If it does not exist, it returns "".
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

// find locates a plugin's libraries without loading them. If only the search of
// the system can find a library, its Path is "".
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

// CUDALibraries loads a plugin's libraries. It looks for each near the plugin,
// and otherwise lets the system search ($LD_LIBRARY_PATH, /etc/ld.so.conf). It
// returns all of them. If a library cannot be loaded, its Err says why.
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
