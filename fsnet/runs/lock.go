package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/alive"
	"fsnetlab/internal/flock"
)

// Holder is the process that has a run open, in the file "lock" of its directory.
type Holder struct {
	Process  int       `json:"process"`
	Parent   int       `json:"parent,omitempty"` // the process that started it
	Host     string    `json:"host"`
	Since    time.Time `json:"since"`
	Notebook string    `json:"notebook,omitempty"` // as the notebook server calls it
}

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

const lockName = "lock"

const (
	patience  = 100 * time.Millisecond // whoever lists the runs holds the lock for a moment
	lastWords = 3 * time.Second        // a host whose kernel was killed writes its checkpoints and ends within two
	lockPause = 5 * time.Millisecond
)

// lock takes the lock of a run directory, or says who has it.
func lock(path string) (*os.File, error) {
	name := filepath.Join(path, lockName)
	for end := time.Now().Add(patience); ; {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = flock.Exclusive(f)
		switch {
		case errors.Is(err, flock.ErrHeld):
			f.Close()
			if time.Now().After(end) {
				if h := holder(path); !h.ends() || time.Now().After(end.Add(lastWords)) {
					return nil, held(path)
				}
			}
			time.Sleep(lockPause)
			continue
		case err == nil && !flock.IsAt(f, name): // it was removed in between
			f.Close()
			continue
		case err != nil && !errors.Is(err, flock.ErrUnsupported):
			f.Close()
			return nil, err
		}
		return f, sign(f)
	}
}

// ends reports whether a process is about to end, since the one that started it has: a kernel that was killed, and restarted before its
// host had noticed.
func (h Holder) ends() bool {
	here, err := os.Hostname()
	return err == nil && h.Host == here && h.Parent > 1 && !alive.Process(h.Parent)
}

// held is the error of a run that somebody else has open.
func held(path string) error {
	return fault.New(fault.Busy, "take another name, or open it with read_only=true to look at it and to fork it", "session %q is open elsewhere: in %s", filepath.Base(path), holder(path))
}

// sign writes who holds the lock. A full disk does not matter: the lock is held all the same.
func sign(f *os.File) error {
	h := Holder{Process: os.Getpid(), Parent: os.Getppid(), Since: time.Now().Truncate(time.Second), Notebook: os.Getenv("JPY_SESSION_NAME")}
	h.Host, _ = os.Hostname() //nolint:errcheck // "" is unknown
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(append(text, '\n'), 0) //nolint:errcheck // see above
	}
	return nil
}

// holder reads who holds a lock.
func holder(path string) Holder {
	var h Holder
	f, err := os.Open(filepath.Join(path, lockName))
	if err != nil {
		return h
	}
	defer f.Close()
	if text, err := io.ReadAll(io.LimitReader(f, 4096)); err == nil {
		_ = json.Unmarshal(text, &h) //nolint:errcheck // an empty file names nobody
	}
	return h
}

// isHeld looks at a lock without taking it for longer than a moment.
func isHeld(path string) bool {
	f, err := os.Open(filepath.Join(path, lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock.Shared(f), flock.ErrHeld)
}
