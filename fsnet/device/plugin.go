package device

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/internal/installation"
)

// PluginDirectories lists where PJRT plugins are looked for, in order.
func PluginDirectories() []string {
	var list []string
	if path := os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"); path != "" {
		list = append(list, filepath.SplitList(path)...)
	}
	if dir := installation.Prefix(); dir != "" {
		list = append(list, filepath.Join(dir, "share", "fsnetlab", "pjrt"))
	}
	if dir := installation.Home(); dir != "" {
		list = append(list, filepath.Join(dir, "pjrt"), filepath.Join(dir, "cuda", "plugin"))
	}
	if user, err := os.UserHomeDir(); err == nil {
		list = append(list, filepath.Join(user, ".local", "lib", "go-xla"))
	}
	return append(list, "/usr/local/lib/go-xla")
}

// FindPlugin is the path of the PJRT plugin for xla:cpu or xla:cuda, or "". The newest name in the first directory that has one wins.
func FindPlugin(name string) string {
	kind := strings.TrimPrefix(name, "xla:")
	for _, dir := range PluginDirectories() {
		found, err := filepath.Glob(filepath.Join(dir, "pjrt_c_api_"+kind+"*plugin.*"))
		if err != nil {
			continue
		}
		found = slices.DeleteFunc(found, func(path string) bool {
			return !slices.Contains([]string{".so", ".dylib"}, filepath.Ext(path))
		})
		if len(found) > 0 {
			return slices.Max(found)
		}
	}
	return ""
}
