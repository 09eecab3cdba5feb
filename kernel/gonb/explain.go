package gonb

import (
	"bytes"
	"os"
	"path/filepath"
)

// ExplainDirectory is the directory for gopls: a module like the one that cells are compiled in. changed are the files of it that were
// written anew since the last call, such as go.mod after a cell has got another module.
func (w *Workspace) ExplainDirectory() (dir string, changed []string, err error) {
	dir = filepath.Join(w.directory.Path, "explain")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	from := w.gonbModule()
	for _, name := range []string{"go.mod", "go.sum", "go.work", "go.work.sum"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if from == "" || err != nil {
			if name != "go.mod" {
				continue
			}
			text = []byte(w.module())
		}
		file := filepath.Join(dir, name)
		if had, err := os.ReadFile(file); err == nil && bytes.Equal(had, text) {
			continue
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return "", nil, err
		}
		changed = append(changed, name)
	}
	return dir, changed, nil
}

// WriteExplained writes a file of that directory.
func (w *Workspace) WriteExplained(name, text string) error {
	dir, _, err := w.ExplainDirectory()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
}

// ExplainEnvironment is that of the cells, with the real go and a user's own flags.
func (w *Workspace) ExplainEnvironment() []string {
	// What a killed go command leaves is removed with the workspace.
	return append(append(environmentWithout("PATH", "GOWORK", "TMPDIR"), w.caches...), "TMPDIR="+w.temp(), "PATH="+filepath.Dir(w.Tools.Go)+
		string(os.PathListSeparator)+os.Getenv("PATH"))
}

// gonbModule is the directory in which GoNB compiles, or "".
func (w *Workspace) gonbModule() string {
	found, err := filepath.Glob(filepath.Join(w.temp(), "gonb_*", "go.mod"))
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[0])
}
