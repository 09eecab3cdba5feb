package jupyter

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// historyLength is the number of cells to keep. It is more than a user scrolls
// back.
const historyLength = 10_000

// History holds the cells of this kernel in order. After Keep, it also returns
// the cells of all kernels that share the file. The zero value keeps no file.
type History struct {
	mu    sync.Mutex
	cells []Past
	file  *file
}

// Keep makes the history last between kernels, in a file that only its owner
// can read. If the file isn't writable, cells are remembered until the kernel
// ends. The caller must call Keep before any other method.
func (h *History) Keep(path string) { h.file = &file{path: path} }

// Past is a cell that has run.
type Past struct {
	Session int // number of the cell's kernel; 0 means this kernel
	Count   int
	Code    string
	Result  string // text of the cell's result; "" if it has none
}

// Add records a cell that starts, with its execution count. An error means that
// the cell isn't in the file. Cells longer than maxRecord bytes are never
// written to the file, and that is no error.
func (h *History) Add(count int, code string) error {
	h.mu.Lock()
	if len(h.cells) == historyLength {
		h.cells = slices.Delete(h.cells, 0, historyLength/10)
	}
	h.cells = append(h.cells, Past{Count: count, Code: code})
	h.mu.Unlock()

	if h.file == nil {
		return nil
	}
	return h.file.add(record{Line: count, Code: &code})
}

// Result records the result of the latest cell with that count. It does nothing
// if text is empty. An error means that the result isn't in the file.
func (h *History) Result(count int, text string) error {
	if text == "" {
		return nil
	}
	h.mu.Lock()
	for at, cell := range slices.Backward(h.cells) { // cells of other shells may have started since
		if cell.Count == count {
			h.cells[at].Result = text
			break
		}
	}
	h.mu.Unlock()

	if h.file == nil {
		return nil
	}
	return h.file.add(record{Line: count, Result: text})
}

// Find selects cells as a history_request asks: the last n, the last n that
// match a pattern with * and ?, or a range of counts in a session. This session
// has the number 0. You name earlier ones by −1, −2 and so on, or by the number
// that Find returned with their cells.
func (h *History) Find(r HistoryRequest) []Past {
	h.mu.Lock()
	all := slices.Clone(h.cells)
	h.mu.Unlock()
	session := 0 // number of this session in the file
	if h.file != nil && (r.Access != "range" || r.Session != 0) {
		var others []Past
		others, session = h.file.others()
		all = append(others, all...)
	}

	switch r.Access {
	case "tail":
		return lastOf(all, r.N)
	case "search":
		var found []Past
		seen := map[string]bool{}
		pattern, err := compileGlob(r.Pattern)
		if err != nil {
			return nil
		}
		for _, cell := range slices.Backward(all) {
			if !pattern.MatchString(cell.Code) || (r.Unique && seen[cell.Code]) {
				continue
			}
			seen[cell.Code] = true
			found = append(found, cell)
		}
		slices.Reverse(found)
		return lastOf(found, r.N)
	case "range":
		wanted := r.Session
		if wanted < 0 {
			wanted += session
		}
		if wanted == session {
			wanted = 0
		}
		return slices.DeleteFunc(all, func(c Past) bool {
			return c.Session != wanted || c.Count < r.Start || (r.Stop > 0 && c.Count >= r.Stop) || (r.Session < 0 && wanted <= 0)
		})
	}
	return nil
}

// lastOf returns the last n cells, or all of them if n is 0 or less.
func lastOf(cells []Past, n int) []Past {
	if n > 0 && n < len(cells) {
		return cells[len(cells)-n:]
	}
	return cells
}

// maxPattern bounds a search pattern, in bytes, because compiling takes time.
const maxPattern = 1 << 16

// compileGlob compiles a pattern that must match the whole text. * stands for any
// text, across lines, and ? for one character. It returns an error if the
// pattern is longer than maxPattern.
func compileGlob(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, errs.New(errs.Request, "shorten it", "a pattern of %d bytes", len(pattern))
	}
	text := regexp.QuoteMeta(strings.ToValidUTF8(pattern, "?"))
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, `.*`), `\?`, `.`)
	return regexp.Compile(`(?s)^` + text + `$`)
}

const (
	maxBytes     = 4 << 20  // of a file; a longer file loses its older half
	maxRecord    = 64 << 10 // of a cell or a result, in bytes
	maxSession   = 1 << 40  // no kernel writes a higher number
	lockPatience = 300 * time.Millisecond
)

// file stores the cells of all kernels of a user, readable only by that user.
// It has one record per line, in the order of the cells' starts. Each record is
// written at once, so a killed kernel loses at most the one it was writing. A
// file lock keeps kernels from writing at the same time.
type file struct {
	path string

	mu      sync.Mutex
	session int // number of this kernel; 0 if it has none yet
}

// record is one line. It says that a session starts, that a cell starts, or
// what a cell's result is.
type record struct {
	Session int       `json:"session"`
	Began   time.Time `json:"began,omitzero"`
	Line    int       `json:"line,omitempty"`
	Code    *string   `json:"code,omitempty"`
	Result  string    `json:"result,omitempty"`
}

// add writes a record of this session. Before the first one, it writes that the
// session began. It skips code and results that are longer than maxRecord,
// without an error.
func (f *file) add(r record) error {
	if (r.Code != nil && len(*r.Code) > maxRecord) || len(r.Result) > maxRecord {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	session := f.session
	err := f.withLock(func(to *os.File, size int64, alone bool) error {
		var text []byte
		if session = f.session; session == 0 {
			session = lastSession(f.read()) + 1
			text = encode(record{Session: session, Began: time.Now().UTC().Truncate(time.Second)})
		}
		if end := make([]byte, 1); size > 0 {
			if _, err := to.ReadAt(end, size-1); err == nil && end[0] != '\n' { // a kernel was killed while writing
				text = append([]byte("\n"), text...)
			}
		}

		r.Session = session
		text = append(text, encode(r)...)
		if alone && size+int64(len(text)) > maxBytes {
			return f.shorten(text)
		}
		_, err := to.Write(text) // in one write, so that records of two kernels don't mix
		return err
	})

	if err == nil {
		f.session = session
	}
	return err
}

// encode returns the line of a record.
func encode(r record) []byte {
	text, err := json.Marshal(r)
	if err != nil {
		return nil // can't happen: every record encodes
	}
	return append(text, '\n')
}

// lastSession returns the highest session number, or 0 if there are no records.
func lastSession(records []record) (session int) {
	for _, r := range records {
		session = max(session, r.Session)
	}
	return session
}

// shorten drops the older half of the file and appends more. It replaces the
// file, so the caller must hold the lock.
func (f *file) shorten(more []byte) error {
	text := f.tail(maxBytes / 2)
	return system.WritePrivate(f.path, append(text, more...))
}

// withLock calls do with the file open for one process at a time. After
// lockPatience it calls do without the lock, and alone is false. Because do
// appends with a single write, the worst that can happen then is that two
// kernels starting at that moment get the same number. If the lock's holder has
// replaced the file in the meantime, withLock calls do again.
func (f *file) withLock(do func(to *os.File, size int64, alone bool) error) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	for end := time.Now().Add(lockPatience); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
			return errors.New(f.path + " is not a regular file")
		}
		to, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}

		alone := !errors.Is(system.LockExclusive(to), system.ErrHeld)
		late := time.Now().After(end)
		if !alone && !late || !system.IsAt(to, f.path) { // another process holds the lock, or has shortened the file
			to.Close()
			if time.Now().After(end.Add(lockPatience)) {
				return errors.New(f.path + " is replaced again and again")
			}
			continue
		}

		size := int64(0)
		if info, err := to.Stat(); err == nil {
			size = info.Size()
		}

		err = do(to, size, alone)
		replaced := !alone && !system.IsAt(to, f.path)
		if err = errors.Join(err, to.Close()); !replaced || err != nil {
			return err
		}
	}
}

// tail returns at most most bytes from the end of the file, beginning at the
// start of a line. It returns nil if the file can't be read.
func (f *file) tail(most int64) []byte {
	info, err := os.Stat(f.path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}

	from, err := os.Open(f.path)
	if err != nil {
		return nil
	}
	defer from.Close()

	skipped := info.Size() > most
	if skipped {
		if _, err := from.Seek(-most, io.SeekEnd); err != nil {
			return nil
		}
	}

	text, err := io.ReadAll(io.LimitReader(from, 2*maxBytes))
	if err != nil {
		return nil
	}

	if _, whole, found := bytes.Cut(text, []byte("\n")); skipped && found {
		return whole
	}
	return text
}

// read returns the file's valid records, oldest first.
func (f *file) read() (list []record) {
	for text := range bytes.Lines(f.tail(maxBytes)) {
		var r record
		if json.Unmarshal(text, &r) == nil && r.Session > 0 && r.Session < maxSession {
			list = append(list, r)
		}
	}
	return list
}

// others returns the cells of the other sessions in the order in which they
// started, and the number of this session.
func (f *file) others() (cells []Past, session int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	records := f.read()
	if session = f.session; session == 0 {
		session = lastSession(records) + 1
	}

	places := map[[2]int]int{}
	for _, r := range records {
		key := [2]int{r.Session, r.Line}
		switch i, there := places[key]; {
		case r.Session == session || r.Line == 0:
		case r.Code != nil:
			places[key] = len(cells)
			cells = append(cells, Past{Session: r.Session, Count: r.Line, Code: *r.Code})
		case there:
			cells[i].Result = r.Result
		}
	}
	return slices.Clip(cells), session
}
