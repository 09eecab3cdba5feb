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

// historyLength is the number of cells to keep, more than a user scrolls back.
const historyLength = 10_000

// History holds the cells of this kernel, in order, and after Keep also the cells of all kernels
// that share the file. The zero value keeps no file.
type History struct {
	mu    sync.Mutex
	cells []Past
	file  *file
}

// Keep makes the history last between kernels, in a file that only its owner can read. If the file
// is not writable, cells are remembered until the kernel ends. Keep comes before all other calls.
func (h *History) Keep(path string) { h.file = &file{path: path} }

// Past is a cell that has run.
type Past struct {
	Session int // the number of its kernel; 0 for this one
	Count   int
	Code    string
	Result  string // the text of the cell's result, or ""
}

// Add records a cell that starts, with its execution count. An error means that the file does not
// have it. Cells beyond maxRecord bytes are not for the file.
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

// Result records the result of the last cell with that count, unless text is empty. An error means
// that the file does not have it.
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

// Find selects cells as a history_request asks: the last n, the last n that match a pattern with *
// and ?, or a range of counts in a session. This session has the number 0; earlier ones have −1 and
// so on, or the number that Find returned with their cells.
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
		pattern, err := glob(r.Pattern)
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

// lastOf returns the last n cells; all of them if n is 0 or less.
func lastOf(cells []Past, n int) []Past {
	if n > 0 && n < len(cells) {
		return cells[len(cells)-n:]
	}
	return cells
}

// maxPattern is in bytes; compiling a pattern takes time.
const maxPattern = 1 << 16

// glob compiles a pattern in which * stands for any text, across lines, and ? for one character.
// The pattern must fit the whole text. A pattern longer than maxPattern is an error.
func glob(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, errs.New(errs.Request, "shorten it", "a pattern of %d bytes", len(pattern))
	}
	text := regexp.QuoteMeta(strings.ToValidUTF8(pattern, "?"))
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, `.*`), `\?`, `.`)
	return regexp.Compile(`(?s)^` + text + `$`)
}

const (
	maxBytes     = 4 << 20  // of a file; beyond that the older half is dropped
	maxRecord    = 64 << 10 // bytes of a cell or a result
	maxSession   = 1 << 40  // higher numbers are not a kernel's
	lockPatience = 300 * time.Millisecond
)

// file stores the cells of all kernels of a user, readable only by that user: one record per line,
// in the order in which cells started. Each is written at once, so a killed kernel loses at most
// the one it was writing. A file lock lets kernels take turns.
type file struct {
	path string

	mu      sync.Mutex
	session int // number of this kernel; 0: none yet
}

// record is one line: a session starts, a cell starts, or a cell has a result.
type record struct {
	Session int       `json:"session"`
	Began   time.Time `json:"began,omitzero"`
	Line    int       `json:"line,omitempty"`
	Code    *string   `json:"code,omitempty"`
	Result  string    `json:"result,omitempty"`
}

// add writes a record of this session, and before its first one that the session began. Code or a
// result longer than maxRecord is left out without an error.
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
		_, err := to.Write(text) // in one write
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
		return nil // a record always encodes
	}
	return append(text, '\n')
}

// lastSession returns the highest number of a session; 0 without records.
func lastSession(records []record) (session int) {
	for _, r := range records {
		session = max(session, r.Session)
	}
	return session
}

// shorten drops the older half of the file and appends more. The file is replaced, so the caller
// must be alone.
func (f *file) shorten(more []byte) error {
	text := f.tail(maxBytes / 2)
	return system.WritePrivate(f.path, append(text, more...))
}

// withLock calls do with the file open for one process at a time. After lockPatience it calls do
// without the lock, with alone false: since do appends with one write, the worst result is two
// kernels starting at that moment with the same number. If the lock's holder replaced the file
// meanwhile, it calls do again.
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
		if !alone && !late || !system.IsAt(to, f.path) { // another process has it, or has shortened it
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

// tail returns at most that many bytes from the end of the file, from the start of a line; nil if
// the file cannot be read.
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

// read returns the file's records that parse, oldest first.
func (f *file) read() (list []record) {
	for text := range bytes.Lines(f.tail(maxBytes)) {
		var r record
		if json.Unmarshal(text, &r) == nil && r.Session > 0 && r.Session < maxSession {
			list = append(list, r)
		}
	}
	return list
}

// others returns the cells of the other sessions, in the order in which they started, and the
// number of this session.
func (f *file) others() (cells []Past, session int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	records := f.read()
	if session = f.session; session == 0 {
		session = lastSession(records) + 1
	}
	at := map[[2]int]int{}
	for _, r := range records {
		key := [2]int{r.Session, r.Line}
		switch i, there := at[key]; {
		case r.Session == session || r.Line == 0:
		case r.Code != nil:
			at[key] = len(cells)
			cells = append(cells, Past{Session: r.Session, Count: r.Line, Code: *r.Code})
		case there:
			cells[i].Result = r.Result
		}
	}
	return slices.Clip(cells), session
}
