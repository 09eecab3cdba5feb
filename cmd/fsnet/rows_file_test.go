package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/compare"
)

// waiting is where a command writes its progress: the first line waits until it is let go.
type waiting struct{ reached, on chan struct{} }

func (w *waiting) Write(p []byte) (int, error) {
	select {
	case <-w.reached:
	default:
		close(w.reached)
		<-w.on
	}
	return len(p), nil
}

// Two that write to one file: the second is refused, told who the first is, and the first loses nothing - by another name of the file, too.
func TestCompareHasItsFileForItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	root := newRootCommand()
	root.SetArgs(comparing(t, "--csv", "--output", file, "--quiet=false"))
	var out strings.Builder
	root.SetOut(&out)
	messages := &waiting{reached: make(chan struct{}), on: make(chan struct{})}
	root.SetErr(messages)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(t.Context()) }()
	<-messages.reached
	for _, name := range []string{file, link} {
		printed, said, status := command(t, comparing(t, "--csv", "--output", name, "--methods=random")...)
		want := fmt.Sprintf("the output %s is in use by process %d since ", name, os.Getpid())
		if status != 1 || printed != "" || !strings.Contains(said, want) ||
			!strings.Contains(said, " - wait until it is done, or name another file\n") {
			t.Errorf("%s: status %d, %q, %q", name, status, said, printed)
		}
	}
	close(messages.on)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != out.String() || len(rowsOf(t, out.String())) != 8 {
		t.Errorf("%v: the file holds\n%s\nprinted was\n%s", err, text, out.String())
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("%v: beside it there are %v", err, left)
	}
	// Afterwards it is anybody's, and a link stays one.
	if _, said, status := command(t, comparing(t, "--csv", "--output", link, "--methods=fsnet,anova,mrmr,svm,random")...); status != 0 {
		t.Error(said)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if text, err := os.ReadFile(file); err != nil || len(rowsOf(t, string(text))) != 10 {
		t.Errorf("%v: %s", err, text)
	}
}

// What a process that was killed leaves beside its file is no lock.
func TestALockOfTheDeadIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	beside := filepath.Join(filepath.Dir(file), ".rows.csv.lock")
	if err := os.WriteFile(beside, []byte(`{"process": 1, "host": "elsewhere"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said, status := command(t, comparing(t, "--csv", "--output", file, "--methods=anova")...); status != 0 {
		t.Error(said)
	}
	if _, err := os.Stat(beside); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock stays: %v", err)
	}
}

// Rows of another version, device or data are not taken up: the line names the difference and what to do, and the file stays as it is.
func TestCompareRefusesRowsOfBefore(t *testing.T) {
	out, messages, status := command(t, comparing(t, "--csv")...)
	if status != 0 {
		t.Fatal(messages)
	}
	with := func(change func(*compare.Row)) string {
		rows := rowsOf(t, out)
		var text strings.Builder
		for i := range rows {
			change(&rows[i])
		}
		if err := compare.Write(&text, rows); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	for want, text := range map[string]string{
		"2 of its 8 rows are of version 0 of mrmr, which is now at version 1 and may give other figures; the first: cohort, mrmr, k = 2, " +
			"split 0 - name another file, or remove these rows to have them made again": with(func(r *compare.Row) {
			if r.Method == "mrmr" {
				r.Version--
			}
		}),
		"8 of its 8 rows are made on xla:cuda, and this is go; the first: cohort, fsnet, k = 2, split 0 - name another file, or use " +
			"--backend xla:cuda": with(func(r *compare.Row) { r.Device = "xla:cuda" }),
		"8 of its 8 rows are of other data called cohort (hash 0123456789ab, and now ":    with(func(r *compare.Row) { r.Data = "0123456789ab" }),
		"not rows of fsnet compare: the first line is not its header - name another file": "dataset,method,k,split,seed\ncohort,anova,2,0,4\n",
	} {
		file := write(t, "rows.csv", text)
		printed, said, status := command(t, comparing(t, "--csv", "--output", file)...)
		if status != 2 || printed != "" || strings.Count(said, "\n") != 1 || !strings.Contains(said, "the output "+file+": "+want) {
			t.Errorf("status %d, %q does not say %q\n%s", status, said, want, printed)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != text {
			t.Errorf("a file that was refused is changed: %v", err)
		}
	}
}

// Two settings of FsNet stand in one table, each under its own name, and go on in one file.
func TestCompareTakesFsNetWithItsOwnSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	const methods = "--methods=fsnet,fsnet:protocol=paper,epochs=4,bins=4,anova"
	out, messages, status := command(t, comparing(t, methods, "--output", file)...)
	if status != 0 {
		t.Fatal(messages)
	}
	for _, want := range []string{"\nfsnet ", "\nfsnet:protocol=paper,epochs=4,bins=4 ", "against fsnet ",
		"fsnet: fsnet protocol (the gradient of the network's loss trains the selectors) where its name has no other"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, r := range rowsOf(t, string(text)) {
		settings[r.Method] = r.Settings
	}
	if len(settings) != 3 || settings["fsnet"] != "epochs=3" || settings["fsnet:protocol=paper,epochs=4,bins=4"] != "protocol=paper;epochs=4;bins=4" ||
		settings["anova"] != "" {
		t.Errorf("%q", settings)
	}
	again, messages, status := command(t, comparing(t, methods, "--output", file, "--csv")...)
	if status != 0 || again != string(text) {
		t.Errorf("status %d, %s\n%s\nthe file has\n%s", status, messages, again, text)
	}
	// Rows of one protocol are not taken for those of the other, though both are called fsnet.
	_, messages, status = command(t, comparing(t, "--methods=fsnet,fsnet:protocol=paper,epochs=4,bins=4,anova", "--protocol=paper",
		"--split=stratified", "--output", file)...)
	if status != 2 || !strings.Contains(messages,
		"2 of its 6 rows are of other settings: protocol = fsnet, and now paper; the first: cohort, fsnet, k = 2, split 0") {
		t.Errorf("status %d: %s", status, messages)
	}
}
