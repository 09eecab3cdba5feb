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

// historyLength is how many cells are kept: more than anybody scrolls back.
const historyLength = 10_000

// History is the cells of this kernel, in order, and those of all kernels that keep them in the same file. The zero value keeps none.
type History struct {
	mu    sync.Mutex
	cells []Past
	file  *file
}

// Keep keeps cells between kernels, in a file that is made for its owner alone. Where it cannot be written to, they are remembered until
// the end.
func (h *History) Keep(path string) { h.file = &file{path: path} }

// Past is a cell that was run.
type Past struct {
	Session int // the number of its kernel; 0 is this one
	Count   int
	Code    string
	Result  string // the text of the cell's result, or ""
}

// Add takes up a cell that is run. An error is that it is not kept.
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

// Result adds what a cell gave, as Add does.
func (h *History) Result(count int, text string) error {
	if text == "" {
		return nil
	}
	h.mu.Lock()
	for at, cell := range slices.Backward(h.cells) { // cells of other shells may have begun since
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

// Find selects as a history_request says: the last n, the last n that match a pattern with * and ?, or a range of counts in a session. This
// session has the number 0, and those before it −1 and so on, or the number that they are found with.
func (h *History) Find(r HistoryRequest) []Past {
	h.mu.Lock()
	all := slices.Clone(h.cells)
	h.mu.Unlock()
	session := 0 // the number of this one in the file
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

func lastOf(cells []Past, n int) []Past {
	if n > 0 && n < len(cells) {
		return cells[len(cells)-n:]
	}
	return cells
}

// longestPattern is in bytes: compiling takes time.
const longestPattern = 1 << 16

// glob makes an expression of a pattern in which * stands for anything, also lines, and ? for one character.
func glob(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > longestPattern {
		return nil, errs.New(errs.Request, "shorten it", "a pattern of %d bytes", len(pattern))
	}
	text := regexp.QuoteMeta(strings.ToValidUTF8(pattern, "?"))
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, `.*`), `\?`, `.`)
	return regexp.Compile(`(?s)^` + text + `$`)
}

const (
	mostBytes    = 4 << 20  // of a file; beyond them the older half is left out
	longestKept  = 64 << 10 // bytes of a cell or a result
	mostSessions = 1 << 40  // what has a higher number is no kernel's
	lockPatience = 300 * time.Millisecond
)

// file keeps the cells of all kernels of a user, for the user alone: a record a line, in the order in which cells began. Each is written at
// once, so that a kernel that is killed loses the one at most that it was writing. Kernels take turns by a lock of the system's.
type file struct {
	path string

	mu      sync.Mutex
	session int // the number of this kernel's; 0: it has none yet
}

// record is a line: a session begins, a cell begins, or a cell has a result.
type record struct {
	Session int       `json:"session"`
	Began   time.Time `json:"began,omitzero"`
	Line    int       `json:"line,omitempty"`
	Code    *string   `json:"code,omitempty"`
	Result  string    `json:"result,omitempty"`
}

// add writes a record of this session.
func (f *file) add(r record) error {
	if (r.Code != nil && len(*r.Code) > longestKept) || len(r.Result) > longestKept {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	session := f.session
	err := f.locked(func(to *os.File, size int64, alone bool) error {
		var text []byte
		if session = f.session; session == 0 {
			session = last(f.read()) + 1
			text = line(record{Session: session, Began: time.Now().UTC().Truncate(time.Second)})
		}
		if end := make([]byte, 1); size > 0 {
			if _, err := to.ReadAt(end, size-1); err == nil && end[0] != '\n' { // somebody was killed here
				text = append([]byte("\n"), text...)
			}
		}
		r.Session = session
		text = append(text, line(r)...)
		if alone && size+int64(len(text)) > mostBytes {
			return f.shorten(text)
		}
		_, err := to.Write(text) // at once
		return err
	})
	if err == nil {
		f.session = session
	}
	return err
}

func line(r record) []byte {
	text, err := json.Marshal(r)
	if err != nil {
		return nil // a record has nothing that JSON has not
	}
	return append(text, '\n')
}

// last is the number of the last session.
func last(records []record) (session int) {
	for _, r := range records {
		session = max(session, r.Session)
	}
	return session
}

// shorten leaves out the older half, and adds a text.
func (f *file) shorten(more []byte) error {
	text := f.end(mostBytes / 2)
	return system.WritePrivate(f.path, append(text, more...))
}

// locked gives the file to one process at a time. Where that takes too long it goes on without, not alone: what is added is added by one
// write, so at worst two kernels that begin at that moment share a number, and it is done again where whoever has the lock has put another
// file in the place of this one meanwhile.
func (f *file) locked(do func(to *os.File, size int64, alone bool) error) error {
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
		if !alone && !late || !system.IsAt(to, f.path) { // another has it, or has shortened it
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

// end is the last bytes of the file, from the beginning of a line.
func (f *file) end(most int64) []byte {
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
	text, err := io.ReadAll(io.LimitReader(from, 2*mostBytes))
	if err != nil {
		return nil
	}
	if _, whole, found := bytes.Cut(text, []byte("\n")); skipped && found {
		return whole
	}
	return text
}

// read gives the records that can be read.
func (f *file) read() (list []record) {
	for text := range bytes.Lines(f.end(mostBytes)) {
		var r record
		if json.Unmarshal(text, &r) == nil && r.Session > 0 && r.Session < mostSessions {
			list = append(list, r)
		}
	}
	return list
}

// others are the cells of the other sessions, in the order in which they began, and the number of this session.
func (f *file) others() (cells []Past, session int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	records := f.read()
	if session = f.session; session == 0 {
		session = last(records) + 1
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
