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

// StoreLimit limits the size of a store in bytes. If it is exceeded, the
// programs that have not been used for the longest time are removed.
const StoreLimit = 512_000_000

// Store is a directory with one file for each program, named after its key.
// Several processes can use it at the same time.
type Store struct {
	path  string
	limit int64
}

// Key identifies a program by its source and by everything that affects its
// compilation.
type Key [sha256.Size]byte

// OpenStore opens a store. If the directory does not exist, it creates it. It
// rejects a directory of another user, and one that others can write to. Others
// may read it.
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

// file returns the path of a program, whether or not it exists.
func (s *Store) file(key Key) string { return filepath.Join(s.path, hex.EncodeToString(key[:])) }

// checksum returns the checksum that precedes a program in its file. It detects
// files that are truncated or damaged, or that belong to another program.
func checksum(key Key, program []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(key[:])
	h.Write(program)
	return [sha256.Size]byte(h.Sum(nil))
}

// Read returns the program with a key and marks it as used. If the store does
// not have it intact, Read returns nil.
func (s *Store) Read(key Key) []byte {
	content, err := os.ReadFile(s.file(key))
	if err != nil || len(content) <= sha256.Size {
		return nil
	}
	program := content[sha256.Size:]
	if want := checksum(key, program); !bytes.Equal(content[:sha256.Size], want[:]) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(s.file(key), now, now) // Mark it as used. If that fails, it is only removed sooner.
	return program
}

// Write stores a program. If the store would then exceed its limit, it removes
// others first. If the program itself exceeds the limit, it returns an error.
func (s *Store) Write(key Key, program []byte) error {
	before := checksum(key, program)
	if err := s.makeRoom(int64(len(before) + len(program))); err != nil {
		return err
	}
	return system.WritePrivate(s.file(key), append(before[:], program...))
}

// makeRoom removes files, starting with those not used for the longest time,
// until more bytes fit within the limit. It also removes temporary files that a
// crash left.
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

// files lists the regular files of the directory, including temporary ones, and
// returns their total size.
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

// Holds returns the number of files and their total size in bytes, including
// temporary files of running processes.
func (s *Store) Holds() (programs int, size int64, err error) {
	files, size, err := s.files()
	return len(files), size, err
}

// Path returns the directory. You can remove it, or files in it, at any time.
// It only costs time.
func (s *Store) Path() string { return s.path }

// Check checks whether a program could be stored.
func (s *Store) Check() error { return system.CheckWritable(filepath.Join(s.path, "check")) }
