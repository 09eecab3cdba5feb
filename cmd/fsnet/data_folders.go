package main

import (
	"os"
	"path/filepath"
)

// dataFolders are where data sets are looked for: here, $FSNET_DATA, and ../shared/data beside a checkout.
func dataFolders() []string {
	list := []string{"."}
	if dir := os.Getenv("FSNET_DATA"); dir != "" {
		list = append(list, dir)
	}
	return append(list, filepath.Join("..", "shared", "data"))
}

// collectedAt is the file of a data set that is known by name, where one is at hand.
func collectedAt(name string) (path string, ok bool) {
	e, err := findCollected(name)
	if err != nil {
		return "", false
	}
	path = e.at(dataFolders())
	return path, path != ""
}

// at is the first file of that data set in the folders, or "".
func (e collected) at(folders []string) string {
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
