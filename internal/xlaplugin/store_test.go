package xlaplugin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writesTo, in the environment, makes the test binary a process that writes to
// the store there until it is killed.
const writesTo = "FSNET_TEST_WRITES_TO"

func TestMain(m *testing.M) {
	if directory := os.Getenv(writesTo); directory != "" {
		s, err := OpenStore(directory)
		for i := byte(0); err == nil; i++ {
			err = s.Write(key(i%4), content(i%4))
		}
		panic(err)
	}
	os.Exit(m.Run())
}

// must is what a call that must not fail returns.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func key(i byte) Key { return Key{i} }

// content is a program that takes its time to write.
func content(i byte) []byte { return bytes.Repeat([]byte{i, 1, 2, 3}, 250_000) }

func opened(t *testing.T) *Store {
	t.Helper()
	s := must(OpenStore(filepath.Join(t.TempDir(), "fsnet", "programs")))
	return s
}

// A damaged or incomplete file isn't read, and is replaced by the next write.
func TestStore_ReadsOnlyWholePrograms(t *testing.T) {
	s := opened(t)
	whole := content(1)
	for _, i := range []byte{1, 2} {
		check(t, s.Write(key(i), content(i)))
	}
	file := must(os.ReadFile(s.file(key(1))))
	other := must(os.ReadFile(s.file(key(2))))
	flipped := func(at int) []byte {
		b := bytes.Clone(file)
		b[at] ^= 1
		return b
	}
	for name, damaged := range map[string][]byte{
		"empty": {}, "of half a checksum": file[:16], "of a checksum": file[:32], "cut short": file[:len(file)-1], "too long": append(bytes.Clone(file), 0),
		"a bit of the checksum flipped": flipped(0), "a bit of the program flipped": flipped(len(file) / 2), "another program's": other,
		"zeros": make([]byte, len(file)),
	} {
		check(t, os.WriteFile(s.file(key(1)), damaged, 0o600))
		if got := s.Read(key(1)); got != nil {
			t.Errorf("a file that is %s is read: %d bytes", name, len(got))
		}
		check(t, s.Write(key(1), whole))
		if got := s.Read(key(1)); !bytes.Equal(got, whole) {
			t.Errorf("a file that was %s is not replaced", name)
		}
	}
	if s.Read(key(3)) != nil {
		t.Error("a program that nobody wrote is read")
	}
}

// If the store is full, the program used longest ago is removed first. A
// program above the limit isn't kept.
func TestStore_RemovesLeastRecentlyUsed(t *testing.T) {
	s := opened(t)
	s.limit = 3*int64(len(content(0))+32) + 10
	for i := range byte(3) {
		check(t, s.Write(key(i), content(i)))
		old := time.Now().Add(time.Duration(i)*time.Hour - 24*time.Hour)
		check(t, os.Chtimes(s.file(key(i)), old, old))
	}
	s.Read(key(0)) // used just now
	check(t, s.Write(key(3), content(3)))
	for i, want := range []bool{true, false, true, true} {
		if got := s.Read(key(byte(i))) != nil; got != want {
			t.Errorf("program %d is there: %v", i, got)
		}
	}
	if n, size, err := s.Holds(); n != 3 || size > s.limit || err != nil {
		t.Errorf("%d programs, %d bytes, %v", n, size, err)
	}
	if err := s.Write(key(4), make([]byte, s.limit)); err == nil {
		t.Error("a program larger than the limit is kept")
	}
	if n, _, _ := s.Holds(); n != 3 {
		t.Errorf("%d programs are left after one that is too large", n)
	}
}

// A directory that others can write to, or that another user owns, isn't
// opened.
func TestStore_RejectsSharedDirectories(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"group": 0o770, "all": 0o707} {
		path := filepath.Join(dir, name)
		check(t, os.Mkdir(path, 0o700))
		check(t, os.Chmod(path, mode))
		if _, err := OpenStore(path); err == nil || !strings.Contains(err.Error(), "by others") {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	file := filepath.Join(dir, "file")
	check(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if _, err := OpenStore(path); err == nil {
			t.Errorf("%s is opened", path)
		}
	}
	if os.Geteuid() != 0 {
		t.Log("NOT TESTED: only root can give a directory to another user")
		return
	}
	theirs := filepath.Join(dir, "theirs")
	check(t, os.Mkdir(theirs, 0o755))
	if err := os.Chown(theirs, 65534, 65534); err != nil {
		t.Skip("NOT TESTED: no directory can be given to another user here: ", err)
	}
	if _, err := OpenStore(theirs); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("a directory of another user: %v", err)
	}
}

// Several processes write the same programs and are killed in the middle, again
// and again. Readers find a whole program or none.
func TestStore_KilledWriters(t *testing.T) {
	s := opened(t)
	found := 0
	for round := range 8 {
		var writers []*exec.Cmd
		for range 3 {
			w := exec.CommandContext(t.Context(), os.Args[0])
			w.Env = append(os.Environ(), writesTo+"="+s.path)
			check(t, w.Start())
			writers = append(writers, w)
		}
		for end := time.Now().Add(time.Duration(100+13*round) * time.Millisecond); time.Now().Before(end); {
			for i := range byte(4) {
				if got := s.Read(key(i)); got != nil && !bytes.Equal(got, content(i)) {
					t.Fatalf("program %d is wrong", i)
				} else if got != nil {
					found++
				}
			}
		}
		for _, w := range writers {
			check(t, w.Process.Kill())
			if err := w.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("a writer ended by itself: %v", err)
			}
		}
	}
	if found == 0 {
		t.Error("nothing was ever read")
	}
	// What they left in the making is let go like any other file.
	s.limit = int64(len(content(0)) + 32)
	check(t, s.Write(key(9), content(9)))
	if n, size, err := s.Holds(); size != s.limit || err != nil || s.Read(key(9)) == nil { // an empty one takes no room
		t.Errorf("%d files, %d bytes, %v", n, size, err)
	}
}

// What a program depends on besides itself changes its key.
func TestKey_AnotherMachine(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "plugin.so")
	text := bytes.Repeat([]byte("abc"), edge)
	write := func(content []byte) {
		t.Helper()
		check(t, os.WriteFile(plugin, content, 0o600))
		check(t, os.Chtimes(plugin, time.Unix(1, 0), time.Unix(1, 0)))
	}
	var cards []GPU
	look := func() Key {
		t.Helper()
		return must(machine(plugin, cards))
	}
	for name, change := range map[string]func(){
		"another byte at the plugin's beginning": func() { write(append([]byte("x"), text[1:]...)) },
		"another byte at its end":                func() { write(append(bytes.Clone(text[:len(text)-1]), 'x')) },
		"a byte more":                            func() { write(append(bytes.Clone(text), 'x')) },
		"another time": func() {
			check(t, os.Chtimes(plugin, time.Unix(2, 0), time.Unix(2, 0)))
		},
		"flags":       func() { t.Setenv("XLA_FLAGS", "--xla_a=1") },
		"threads":     func() { t.Setenv("PJRT_NPROC", "1") },
		"the other's": func() { t.Setenv("NPROC", "1") },
		"a card":      func() { cards = []GPU{{Name: "H100", Capability: "9.0", Driver: "580.1"}} },
		"a driver":    func() { cards = []GPU{{Name: "H100", Capability: "9.0", Driver: "580.2"}} },
	} {
		write(text)
		before := look()
		if look() != before {
			t.Fatal("the same machine has another key")
		}
		change()
		if look() == before {
			t.Errorf("%s: the same key", name)
		}
	}
	t.Setenv("XLA_FLAGS", "--xla_dump_to=/nowhere")
	if _, err := machine(plugin, nil); err == nil {
		t.Error("XLA would not write down what it does not compile")
	}
}
