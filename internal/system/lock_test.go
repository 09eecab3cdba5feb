package system

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// One process holds a lock, and the error for the next names its notebook.
func TestTakeLock_NamesTheHolder(t *testing.T) {
	t.Setenv("JPY_SESSION_NAME", "/home/ada/leukemia.ipynb")
	name := filepath.Join(t.TempDir(), "lock")
	first, err := TakeLock(name, 0o600)
	if err != nil || first.Unsupported || !IsHeld(name) {
		t.Fatal(first, err)
	}
	var held *Held
	if _, err := TakeLock(name, 0o600); !errors.As(err, &held) || held.Holder.Process != os.Getpid() ||
		!strings.Contains(err.Error(), "the notebook leukemia.ipynb (process ") {
		t.Errorf("taken twice: %v", err)
	}
	if err := errors.Join(first.Remove(), first.Release()); err != nil || IsHeld(name) {
		t.Error(err)
	}
	if again, err := TakeLock(name, 0o600); err != nil || again.Release() != nil {
		t.Error(err)
	}
}

// On a file system without locks, work goes on, and the holder can say so.
func TestTakeLock_WithoutLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	l, err := lockWith(name, 0o600, func(*os.File) error { return ErrUnsupported })
	if err != nil || !l.Unsupported {
		t.Fatalf("%+v, %v", l, err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if _, err := lockWith(name, 0o600, func(*os.File) error { return syscall.EIO }); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if _, err := TakeLock(filepath.Join(t.TempDir(), "no", "lock"), 0o600); err == nil {
		t.Error("a lock in no directory")
	}
}

func FuzzHolder(f *testing.F) {
	good, err := json.Marshal(Holder{Process: 1, Host: "h", Notebook: "n"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = HolderOf(name).String()
	})
}
