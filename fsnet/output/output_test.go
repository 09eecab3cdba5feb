package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// TestFile_Write ensures that a verb replaces what it wrote itself and an empty
// file, in every form, and nothing else: no file of a user, of another verb,
// that the verb reads, or that was made by hand.
func TestFile_Write(t *testing.T) {
	t.Chdir(t.TempDir())
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.png": picture.String(), "a.PNG": picture.String(), "a.svg": "<svg>" + strings.Repeat(" ", 1000) + "</svg>", "a.html": "<p>x</p>",
		"a.json": `{"mark":"bar"}`, "a.txt": "rank  feature", "empty.txt": "\n",
	} {
		f := File{Flag: "--output", Path: name, Verb: "report"}
		if err := os.WriteFile(name, nil, 0o600); err != nil { // mktemp makes one
			t.Fatal(err)
		}
		for range 2 {
			if err := f.Write(nil, []byte(content)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		written, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(strings.ToLower(name)) {
		case ".png":
			if _, err := png.Decode(bytes.NewReader(written)); err != nil {
				t.Errorf("%s is no picture any more: %v", name, err)
			}
		case ".json":
			var object map[string]any
			if err := json.Unmarshal(written, &object); err != nil || object["mark"] != "bar" {
				t.Errorf("%s holds %s: %v", name, written, err)
			}
		}
		other := f
		other.Verb = "stability"
		if err := other.Write(nil, []byte(content)); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), name+" is there already") {
			t.Errorf("%s, of another verb: %v", name, err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Write(nil, []byte("new")); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "name another file") {
			t.Errorf("%s, made by hand: %v", name, err)
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != content {
			t.Errorf("%s is not what it was: %v", name, err)
		}
	}
}

// TestFile_CheckInput ensures that a file which is read is not written under
// any of its names, also if the same verb wrote it.
func TestFile_CheckInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	own := File{Path: "panel.txt", Verb: "selection"}
	if err := errors.Join(own.Write(nil, []byte("TP53\n")), os.Link("panel.txt", "hard.txt"), os.Symlink("panel.txt", "soft.txt"),
		os.Mkdir("folder", 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"panel.txt", "./panel.txt", "folder/../panel.txt", filepath.Join(dir, "panel.txt"), "hard.txt", "soft.txt"} {
		f := File{Flag: "> ", Path: name, Verb: "selection"}
		if err := f.Check([]string{"other.csv", "panel.txt"}); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "> "+name+" is an input file") {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Check([]string{"other.csv"}); err != nil {
			t.Errorf("%s, which is not read: %v", name, err)
		}
	}
	if err := (File{Path: "new.csv"}).Check([]string{"new.csv"}); err == nil { // it would be made where the data are sought
		t.Error("a file that is read, but absent, is written")
	}
	for name, want := range map[string]string{"folder": "is a directory", "none/x.txt": "cannot be written", "/dev/null": "not a regular file"} {
		if err := (File{Path: name}).Check(nil); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An object is recognised by its members, and a table isn't one.
func TestIsJSON_Members(t *testing.T) {
	t.Chdir(t.TempDir())
	for content, want := range map[string]bool{`{"dataset":"a","seed":1}`: true, `{"dataset":"a"}`: false, "a,b\n1,2\n": false, `[{"dataset":1,"seed":2}]`: false} {
		if err := os.WriteFile("x", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := IsJSON("dataset", "seed")("x"); got != want {
			t.Errorf("%s: %v", content, got)
		}
	}
}
