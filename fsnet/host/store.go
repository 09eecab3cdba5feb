package host

import (
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// store knows where the checkpoints of a session are while the session is being
// opened.
type store struct {
	directory *runs.Directory // nil while no checkpoints are written
	path      string          // run directory that contains files
	files     []runs.File     // existing checkpoints, newest first
	// later acquires the directory after the replaced session has released it.
	later   func() (*runs.Directory, error)
	clear   bool   // the existing files belong to a session that is being replaced
	parent  string // run directory of the session it is forked from at step, or ""
	step    int
	problem string // why no checkpoints are written, or ""
}

// store finds the run directory of a session and locks it. It does not lock the
// directory of a read-only session, or one that a replaced session still holds.
// If another process has it open, the error names the holder. If the directory
// cannot be created, the session runs without one, and its status says so.
func (h *Host) store(o opening) (*store, error) {
	st := &store{clear: o.replace}
	switch {
	case h.options.Resume == nil:
		return st, nil
	case o.readOnly:
		path, err := runs.Find(o.directory, o.name)
		if err != nil {
			return nil, err
		}
		st.path = path
		st.files, err = runs.Files(path)
		return st, err
	// The replaced session has the lock, and must keep it until the new one
	// is open.
	case o.replace && h.autosaves(o.name):
		st.later = func() (*runs.Directory, error) { return runs.Acquire(o.directory, o.name) }
		return st, nil
	}
	directory, err := runs.Acquire(o.directory, o.name)
	if errs.Is(err, errs.Busy) {
		return nil, err
	}
	if err != nil {
		st.problem = saveWarning(err)
		return st, nil
	}
	st.directory, st.path = directory, directory.Path
	if st.files, err = directory.Files(); err != nil {
		st.release()
		return nil, err
	}
	return st, nil
}

// autosaves reports whether an open session of that name holds the lock of
// its run directory.
func (h *Host) autosaves(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[name]
	return s != nil && s.autosaver.Load() != nil
}

// runPath returns the directory of a session's checkpoints, or "".
func (s *live) runPath() string {
	if w := s.autosaver.Load(); w != nil {
		return w.directory.Path
	}
	return s.path
}

// paths returns the paths of the checkpoints, newest first.
func (st *store) paths() []string {
	var paths []string
	for _, f := range st.files {
		paths = append(paths, f.Path)
	}
	return paths
}

// autosave makes a session write its checkpoints. If that is not possible, the
// status of the session says why. The files of a replaced session are kept
// until the first new one is written. A fork shares the files of its parent.
// The caller must have the turn of the session.
func (st *store) autosave(s *live) {
	if st.later != nil {
		directory, err := st.later()
		if err != nil {
			st.problem = saveWarning(err)
		}
		st.directory = directory
	}
	if st.directory == nil {
		s.unsaved = st.problem
		return
	}
	if st.clear {
		if err := st.directory.Replace(); err != nil {
			s.unsaved = saveWarning(err)
			st.release()
			return
		}
	}
	if st.parent != "" {
		// Without the files of its parent the fork is still complete. They only
		// make it faster to reach past steps.
		if err := st.directory.Share(st.parent, st.step); err != nil {
			s.log.Warn("a fork does not share its parent's checkpoints", "error", err)
		}
	}

	var resumed *session.Status
	if len(st.files) > 0 && !st.clear {
		resumed = new(s.training.Status())
	}
	s.autosave(st.directory, resumed)
}

// release releases the run directory if the session could not be opened.
func (st *store) release() {
	if st.directory != nil {
		st.directory.Release() //nolint:errcheck // nothing was written
		st.directory = nil
	}
}
