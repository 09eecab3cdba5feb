package system

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Holder describes the process that holds a lock. It is written in the lock's
// file.
type Holder struct {
	Process  int       `json:"process"`            // its number
	Parent   int       `json:"parent,omitempty"`   // the process that started it
	Host     string    `json:"host"`               // name of the machine
	Since    time.Time `json:"since"`              // when it took the lock
	Notebook string    `json:"notebook,omitempty"` // as the notebook server names it
}

// String describes the holder for a message. It names the notebook or, if there
// is none, the process, then the machine if it is another one, and the time
// since when it has held the lock.
func (h Holder) String() string {
	who := fmt.Sprintf("process %d", h.Process)
	if h.Notebook != "" {
		who = fmt.Sprintf("the notebook %s (process %d)", filepath.Base(h.Notebook), h.Process)
	}
	if here, err := os.Hostname(); err == nil && h.Host != here && h.Host != "" {
		who += " on " + h.Host
	}
	if !h.Since.IsZero() {
		who += " since " + h.Since.Local().Format(time.DateTime)
	}
	return who
}

// ends reports whether the holder is about to end because its parent has ended.
// This happens if a kernel is killed and restarted before its host notices.
func (h Holder) ends() bool {
	here, err := os.Hostname()
	return err == nil && h.Host == here && h.Parent > 1 && !Alive(h.Parent)
}

// writeHolder writes the holder into the lock's file. If the disk is full, the
// file stays empty, but the lock holds.
func writeHolder(f *os.File) error {
	h := Holder{Process: os.Getpid(), Parent: os.Getppid(), Since: time.Now().Truncate(time.Second), Notebook: os.Getenv("JPY_SESSION_NAME")}
	h.Host, _ = os.Hostname() //nolint:errcheck // "" means unknown
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(append(text, '\n'), 0) //nolint:errcheck // see above
	}
	return nil
}

// HolderOf reads the holder of a lock. If the file is missing or damaged, the
// Holder is empty.
func HolderOf(name string) Holder {
	var h Holder
	f, err := os.Open(name)
	if err != nil {
		return h
	}
	defer f.Close()
	if text, err := io.ReadAll(io.LimitReader(f, 4096)); err == nil {
		_ = json.Unmarshal(text, &h) //nolint:errcheck // see above
	}
	return h
}
