package xlaplugin

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"fsnetlab/internal/system"
)

// StoreLimit is how many bytes a store holds at most. The programs that were used longest ago go first.
const StoreLimit = 512_000_000

// Store is a directory with a file for each program, named by its key. Any number of processes may use it.
type Store struct {
	path  string
	limit int64
}

// Key says what a program was compiled from, and with what.
type Key [sha256.Size]byte

// OpenStore makes the directory where there is none. It refuses one that is not the caller's alone.
func OpenStore(path string) (*Store, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", path)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("%s belongs to another user", path)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s can be written by others (%v)", path, info.Mode().Perm())
	}
	return &Store{path: path, limit: StoreLimit}, nil
}

// file is where a program is or would be.
func (s *Store) file(key Key) string { return filepath.Join(s.path, hex.EncodeToString(key[:])) }

// sum is what stands before a program in its file: a file that was cut short, damaged, or is another program's is found out by it.
func sum(key Key, program []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(key[:])
	h.Write(program)
	return [sha256.Size]byte(h.Sum(nil))
}

// Read is the program of a key, nil where there is none that is whole.
func (s *Store) Read(key Key) []byte {
	content, err := os.ReadFile(s.file(key))
	if err != nil || len(content) <= sha256.Size {
		return nil
	}
	program := content[sha256.Size:]
	if want := sum(key, program); !bytes.Equal(content[:sha256.Size], want[:]) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(s.file(key), now, now) // used now; where that cannot be said it goes sooner
	return program
}

// Write keeps a program, and lets others go where the store would hold more than its limit.
func (s *Store) Write(key Key, program []byte) error {
	before := sum(key, program)
	if err := s.makeRoom(int64(len(before) + len(program))); err != nil {
		return err
	}
	return system.WritePrivate(s.file(key), append(before[:], program...))
}

// makeRoom removes the files used longest ago until so many bytes more are within the limit. Those in the making that a crash left are
// among them.
func (s *Store) makeRoom(more int64) error {
	if more > s.limit {
		return fmt.Errorf("%d bytes are more than the %d that are kept", more, s.limit)
	}
	files, total, err := s.files()
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, f := range files {
		if total+more <= s.limit {
			break
		}
		os.Remove(filepath.Join(s.path, f.Name()))
		total -= f.Size()
	}
	return nil
}

// files lists what is in the directory, and how many bytes that is.
func (s *Store) files() (list []fs.FileInfo, total int64, err error) {
	entries, err := os.ReadDir(s.path)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() { // another process may have removed it
			list = append(list, info)
			total += info.Size()
		}
	}
	return list, total, nil
}

// Holds is how many programs there are, and how many bytes they take.
func (s *Store) Holds() (programs int, size int64, err error) {
	files, size, err := s.files()
	return len(files), size, err
}

// Path is the directory. Whoever removes it, or files in it, loses time and nothing else.
func (s *Store) Path() string { return s.path }

// Check finds out whether a program could be kept.
func (s *Store) Check() error { return system.CheckWritable(filepath.Join(s.path, "check")) }
