package runs

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
)

// The test binary is also a process that holds a run.
func TestMain(m *testing.M) {
	if directory := os.Getenv("FSNET_TEST_HOLD"); directory != "" {
		d, err := Acquire(directory, "leukemia")
		if err == nil {
			err = d.Write(7, content("held"))
		}
		fmt.Println("held:", err)
		time.Sleep(time.Hour) // until it is killed
	}
	os.Exit(m.Run())
}

func content(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

func acquired(t testing.TB, directory, name string) *Directory {
	t.Helper()
	d, err := Acquire(directory, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Release(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func write(t testing.TB, d *Directory, step int) {
	t.Helper()
	if err := d.Write(step, content(fmt.Sprint(step))); err != nil {
		t.Fatal(err)
	}
}

func steps(list []File) []int {
	var out []int
	for _, f := range list {
		out = append(out, f.Step)
	}
	return out
}

func files(t testing.TB, d *Directory) []File {
	t.Helper()
	list, err := d.Files()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Only the owner can read a run's directory, and git ignores it.
func TestDirectory_IsPrivate(t *testing.T) {
	directory := t.TempDir()
	d := acquired(t, directory, "leukemia")
	if d.Path != filepath.Join(directory, ".fsnet", "runs", "leukemia") {
		t.Error(d.Path)
	}
	for _, path := range []string{".fsnet", ".fsnet/runs", ".fsnet/runs/leukemia"} {
		info, err := os.Stat(filepath.Join(directory, path))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(directory, ".fsnet", ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("git is told %q, %v", text, err)
	}
}

// However long a run, its files stay few, the newest two stay, and none is far
// from the next relative to its age.
func TestDirectory_ThinsFiles(t *testing.T) {
	d := acquired(t, t.TempDir(), "long")
	step := 0
	for i := range 400 {
		step += 1 + 37*(i%5)
		write(t, d, step)
		list := files(t, d)
		if len(list) > 34 {
			t.Fatalf("%d files after %d steps", len(list), step)
		}
		if i > 0 && (list[0].Step != step || list[0].Number != list[1].Number+1) {
			t.Fatalf("the newest two are %v", list[:2])
		}
	}
	list := files(t, d)
	for i := 1; i < len(list); i++ {
		age, before := step-list[i].Step, step-list[i-1].Step
		if before > 200 && age > 5*before {
			t.Errorf("nothing is left between %d and %d steps ago", before, age)
		}
	}
	if last := list[len(list)-1]; step-last.Step < step/2 {
		t.Errorf("the oldest file is of step %d of %d", last.Step, step)
	}
}

// A rewind abandons what came after it. The file before the newest stays for
// one more write, in case the newest is damaged.
func TestDirectory_RemovesRewoundFiles(t *testing.T) {
	d := acquired(t, t.TempDir(), "back")
	for _, step := range []int{10, 100, 200, 300} {
		write(t, d, step)
	}
	write(t, d, 150)
	if got := steps(Past(files(t, d))); !slices.Equal(got, []int{150, 100, 10}) {
		t.Errorf("150 has the past %v", got)
	}
	if got := steps(files(t, d)); !slices.Equal(got, []int{150, 300, 100, 10}) {
		t.Errorf("beside each other are %v", got)
	}
	write(t, d, 250)
	if got := steps(files(t, d)); !slices.Equal(got, []int{250, 150, 100, 10}) {
		t.Errorf("beside each other are %v", got)
	}
	write(t, d, 250) // again, as after a change of a live key
	write(t, d, 250)
	if got := steps(files(t, d)); !slices.Equal(got, []int{250, 250, 150, 100, 10}) {
		t.Errorf("beside each other are %v", got)
	}
	if got := steps(Past(files(t, d))); !slices.Equal(got, []int{250, 150, 100, 10}) {
		t.Errorf("250 has the past %v", got)
	}
}

// The files of a run stay within the limit, except that the newest two always
// stay.
func TestDirectory_Limit(t *testing.T) {
	d := acquired(t, t.TempDir(), "fat")
	d.limit = 1000
	for step := 1000; step <= 100000; step += 1000 {
		if err := d.Write(step, content(strings.Repeat("x", 300))); err != nil {
			t.Fatal(err)
		}
	}
	if got := steps(files(t, d)); len(got) != 3 || got[0] != 100000 || got[1] != 99000 {
		t.Errorf("within the limit are %v", got)
	}
	d.limit = 1
	write(t, d, 100001)
	if got := steps(files(t, d)); !slices.Equal(got, []int{100001, 100000}) {
		t.Errorf("the newest two are %v", got)
	}
}

// A write that fails changes nothing.
func TestDirectory_FailedWrite(t *testing.T) {
	d := acquired(t, t.TempDir(), "full")
	write(t, d, 5)
	full := errors.New("no space left on device")
	if err := d.Write(6, func(path string) error { return errors.Join(os.WriteFile(path, []byte("hal"), 0o600), full) }); !errors.Is(err,
		full) {
		t.Error(err)
	}
	if got := steps(files(t, d)); !slices.Equal(got, []int{5}) {
		t.Errorf("there are %v", got)
	}
}

// The half-written file that a killed process left is removed.
func TestDirectory_SweepsHalfMadeFiles(t *testing.T) {
	directory := t.TempDir()
	d := acquired(t, directory, "killed")
	write(t, d, 5)
	half := filepath.Join(d.Path, ".fsnet-123")
	if err := os.WriteFile(half, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
	d = acquired(t, directory, "killed")
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Error("it is still there", err)
	}
	if err := errors.Join(os.WriteFile(half, []byte("x"), 0o600), d.Release(), Remove(directory, "killed")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Path); !os.IsNotExist(err) { // nor does one outlive its run
		t.Error("the run is still there", err)
	}
}

// A run belongs to one process. Another is told which, and gets the run when
// that process was killed.
func TestDirectory_Lock(t *testing.T) {
	directory := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "FSNET_TEST_HOLD="+directory, "JPY_SESSION_NAME=/home/me/analysis.ipynb")
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer child.Wait()         //nolint:errcheck // it is killed
	defer child.Process.Kill() //nolint:errcheck // it may have been
	line := make([]byte, 64)
	n, err := out.Read(line)
	if err != nil || string(line[:n]) != "held: <nil>\n" {
		t.Fatalf("%q, %v", line[:n], err)
	}

	_, err = Acquire(directory, "leukemia")
	if !errs.Is(err, errs.Busy) ||
		!strings.Contains(err.Error(), fmt.Sprintf("the notebook analysis.ipynb (process %d) since 2", child.Process.Pid)) ||
		!strings.Contains(err.Error(), "read_only=true") {
		t.Errorf("it is said: %v", err)
	}
	list, err := List(directory)
	if err != nil || len(list) != 1 || list[0].Holder == nil || list[0].Holder.Process != child.Process.Pid {
		t.Errorf("listed %+v, %v", list, err)
	}
	if err := Remove(directory, "leukemia"); !errs.Is(err, errs.Busy) {
		t.Errorf("removed: %v", err)
	}
	if err := child.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	d := acquired(t, directory, "leukemia")
	if got := steps(files(t, d)); !slices.Equal(got, []int{7}) {
		t.Errorf("it left %v", got)
	}
	if _, err := Acquire(directory, "leukemia"); !errs.Is(err, errs.Busy) { // the same process, another session
		t.Error(err)
	}
}

// A process whose parent is gone is about to end: a restarted kernel waits for
// its predecessor's host instead of giving up.
func TestDirectory_WaitsForEndingProcess(t *testing.T) {
	directory := t.TempDir()
	shell := exec.Command("/bin/sh", "-c", `"$0" & echo $!; read line`, os.Args[0])
	shell.Env = append(os.Environ(), "FSNET_TEST_HOLD="+directory)
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell.StdoutPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	var pid int
	for held := false; !held || pid == 0; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			pid = n
		}
		held = held || strings.HasPrefix(line, "held: <nil>")
	}
	defer syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it was killed
	if _, err := Acquire(directory, "leukemia"); !errs.Is(err, errs.Busy) {
		t.Errorf("its parent lives: %v", err)
	}
	in.Close()
	if _, err := shell.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	go func() {
		<-asked
		<-time.After(200 * time.Millisecond) // it has looked in vain
		syscall.Kill(pid, syscall.SIGKILL)   //nolint:errcheck // it lives
	}()
	close(asked)
	acquired(t, directory, "leukemia")
}

// Runs are listed by name with their files, and removed by name. A run without
// checkpoints leaves nothing.
func TestList_AndRemove(t *testing.T) {
	directory := t.TempDir()
	if list, err := List(directory); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	for _, name := range []string{"beta", "alpha"} {
		d := acquired(t, directory, name)
		write(t, d, 3)
		write(t, d, 40)
		if err := d.Release(); err != nil {
			t.Fatal(err)
		}
	}
	empty := acquired(t, directory, "empty")
	if err := empty.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(empty.Path); !os.IsNotExist(err) {
		t.Errorf("a run without checkpoints is left: %v", err)
	}
	list, err := List(directory)
	if err != nil || len(list) != 2 || list[0].Name != "alpha" || list[1].Name != "beta" || list[0].Holder != nil || list[0].Bytes != 3 ||
		list[0].Files[0].Step != 40 {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := Remove(directory, "alpa"); !errs.Is(err, errs.NotFound) || !strings.Contains(err.Error(), "did you mean alpha?") {
		t.Error(err)
	}
	if err := Remove(directory, "../alpha"); !errs.Is(err, errs.Request) {
		t.Error(err)
	}
	if err := Remove(directory, "alpha"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(list[0].Path); !os.IsNotExist(err) {
		t.Error("it is still there", err)
	}
	if path, err := Find(directory, "beta"); err != nil || path != list[1].Path {
		t.Error(path, err)
	}
	if _, err := Find(directory, "alpha"); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

// A fork has its parent's files, and keeps them when the parent is removed.
func TestShare_KeepsFiles(t *testing.T) {
	directory := t.TempDir()
	parent := acquired(t, directory, "parent")
	for _, step := range []int{10, 100, 300, 200} {
		write(t, parent, step)
	}
	child := acquired(t, directory, "child")
	if err := child.Share(parent.Path, 150); err != nil {
		t.Fatal(err)
	}
	if got := steps(files(t, child)); !slices.Equal(got, []int{100, 10}) {
		t.Errorf("up to step 150 there are %v", got)
	}
	if runtime.GOOS == "linux" {
		info, err := os.Stat(files(t, child)[0].Path)
		if err != nil || info.Sys().(*syscall.Stat_t).Nlink != 2 {
			t.Errorf("the file is not shared: %+v, %v", info.Sys(), err)
		}
	}
	if err := parent.Release(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(directory, "parent"); err != nil {
		t.Fatal(err)
	}
	write(t, child, 150)
	if text, err := os.ReadFile(files(t, child)[1].Path); err != nil || string(text) != "100" {
		t.Errorf("%q, %v", text, err)
	}
}

// If the working directory isn't writable, the runs are in the user's state
// directory.
func TestDirectory_ReadOnly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no directory that nobody can write to")
	}
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	d := acquired(t, "/sys", "leukemia")
	if !strings.HasPrefix(d.Path, filepath.Join(state, "fsnet", "runs")+"/") || filepath.Base(d.Path) != "leukemia" {
		t.Error(d.Path)
	}
	write(t, d, 3)
	list, err := List("/sys")
	if err != nil || len(list) != 1 || list[0].Path != d.Path {
		t.Errorf("%+v, %v", list, err)
	}
	t.Setenv("XDG_STATE_HOME", "/sys")
	if _, err := Acquire("/sys", "other"); !errs.Is(err, errs.Failed) ||
		!strings.Contains(err.Error(), "/sys/.fsnet/runs/other cannot be written to") {
		t.Error(err)
	}
}

// A name has up to 64 ASCII letters, digits, dots, dashes and underscores. A
// path or an option isn't a name.
func TestCheckName_Names(t *testing.T) {
	for _, name := range []string{"a", "A.b-c_9", strings.Repeat("x", 64)} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", ".", "..", "-x", "a/b", "a b", "ä", "a\x00", strings.Repeat("x", 65)} {
		if err := CheckName(name); !errs.Is(err, errs.Request) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := Acquire(t.TempDir(), name); !errs.Is(err, errs.Request) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Other files in the directory aren't touched and don't matter.
func TestDirectory_ForeignFiles(t *testing.T) {
	directory := t.TempDir()
	d := acquired(t, directory, "shared")
	for _, name := range []string{"notes.txt", "checkpoint-1-step-2.safetensors", "checkpoint-000001-step-000000002.safetensors.bak",
		"checkpoint-999999999999-step-000000002.safetensors"} {
		if err := os.WriteFile(filepath.Join(d.Path, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(d.Path, fileName(5, 5)), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, d, 9)
	if got := files(t, d); len(got) != 1 || got[0].Number != 1 {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(lockOf(d.Path), []byte(`{"process": "many`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(directory, "shared"); !errs.Is(err, errs.Busy) {
		t.Error(err)
	}
}

// TestDirectory_Removed ensures that a run directory that somebody removes is
// made and locked again, unless another process has begun the run anew: two
// processes never write to one.
func TestDirectory_Removed(t *testing.T) {
	directory := t.TempDir()
	d := acquired(t, directory, "cleaned")
	write(t, d, 50)
	if !d.IsIntact() {
		t.Error("it is not as it was left")
	}
	if err := os.RemoveAll(filepath.Join(directory, ".fsnet")); err != nil {
		t.Fatal(err)
	}
	if d.IsIntact() {
		t.Error("that it is gone is not seen")
	}
	write(t, d, 60)
	if got := steps(files(t, d)); !slices.Equal(got, []int{60}) || !d.IsIntact() {
		t.Errorf("made again, it holds %v", got)
	}
	if _, err := Acquire(directory, "cleaned"); !errs.Is(err, errs.Busy) {
		t.Errorf("the lock is not taken again: %v", err)
	}

	if err := os.RemoveAll(filepath.Join(directory, ".fsnet")); err != nil {
		t.Fatal(err)
	}
	other := acquired(t, directory, "cleaned")
	write(t, other, 60) // under the name that the first would give
	refused := func(want string) {
		t.Helper()
		err := d.Write(70, func(string) error { t.Error("it writes"); return nil })
		if !errs.Is(err, errs.Busy) || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	refused("open elsewhere")
	if err := other.Release(); err != nil {
		t.Fatal(err)
	}
	refused("another process has begun the run anew")
	if err := d.Release(); err != nil {
		t.Error(err)
	}
	if again := acquired(t, directory, "cleaned"); !slices.Equal(steps(files(t, again)), []int{60}) {
		t.Error("what the other wrote is gone")
	}
}

// TestDirectory_LockRemoved ensures that a run whose lock's file alone is
// removed goes on.
func TestDirectory_LockRemoved(t *testing.T) {
	d := acquired(t, t.TempDir(), "unlocked")
	write(t, d, 5)
	if err := os.Remove(lockOf(d.Path)); err != nil {
		t.Fatal(err)
	}
	write(t, d, 6)
	if got := steps(files(t, d)); !slices.Equal(got, []int{6, 5}) {
		t.Errorf("it holds %v", got)
	}
}

// TestDirectory_Replace ensures that a replaced run stays until the first
// checkpoint of the new one is written, also if the new one is a fork, whose
// past then comes from its parent.
func TestDirectory_Replace(t *testing.T) {
	directory := t.TempDir()
	parent := acquired(t, directory, "parent")
	for _, step := range []int{10, 20, 30, 40} {
		write(t, parent, step)
	}
	d := acquired(t, directory, "old")
	write(t, d, 100)
	write(t, d, 200)
	if err := errors.Join(d.Replace(), d.Share(parent.Path, 25)); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	if err := d.Write(25, func(string) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	if got := steps(files(t, d)); !slices.Equal(got, []int{200, 100}) {
		t.Errorf("with a full disk there are %v", got)
	}
	write(t, d, 25)
	if got := steps(files(t, d)); !slices.Equal(got, []int{25, 20, 10}) {
		t.Errorf("replaced, there are %v", got)
	}
}
