package collection

import (
	"os"
	"path/filepath"
)

// folders are where data sets are looked for: here, $FSNET_DATA, and ../shared/data beside a checkout.
func folders() []string {
	list := []string{"."}
	if dir := os.Getenv("FSNET_DATA"); dir != "" {
		list = append(list, dir)
	}
	return append(list, filepath.Join("..", "shared", "data"))
}

// At is the file of a data set that is known by name, where one is at hand.
func At(name string) (path string, ok bool) {
	e, err := find(name)
	if err != nil {
		return "", false
	}
	path = e.at(folders())
	return path, path != ""
}

// at is the first file of that data set in the folders, or "".
func (e Entry) at(folders []string) string {
	for _, dir := range folders {
		for _, name := range e.files() {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path
			}
		}
	}
	return ""
}
