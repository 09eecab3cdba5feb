package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const door = `// Package door opens. See [Open], [Door.Close], [rooms.Room], [hidden.Thing], [rooms.None] and [os.File].
//
// # Basics
//
//	d := door.Open()
//
// A list:
//   - of one
//
// Or:
//
//	door open --wide
package door

import (
	"example.org/house/internal/hidden"
	"example.org/house/rooms"
)

// Width is in metres, a_b and <i>.
const Width = 0.9

// Door is one | of two.
type Door struct {
	Room rooms.Room // behind it
	locked bool
}

// Open opens a door. More words.
func Open() *Door { return nil }

// Close closes it.
func (d *Door) Close() {}
`

const examples = `package door_test

import "fmt"

// It is never locked.
func ExampleOpen() {
	if true { // always
		fmt.Println("open")
	}
	// Output:
	// open
}

func ExampleDoor_Close_twice() {}
`

// house is a module of packages, by their paths.
func house(t *testing.T, packages map[string]string) string {
	t.Helper()
	root := t.TempDir()
	packages["go.mod"] = "module example.org/house\n\ngo 1.26\n"
	for name, text := range packages {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestPages(t *testing.T) {
	out := t.TempDir()
	root := house(t, map[string]string{
		"door/door.go": door, "door/door_test.go": examples,
		"rooms/rooms.go": "// Package rooms has rooms.\npackage rooms\n\n// Room is one: see [Room.Size].\ntype Room struct{ Size int }\n",
		"door/bell/bell.go": "// Package bell rings at a [door.Door] of [rooms].\npackage bell\n\nimport (\n\t\"example.org/house/door\"\n" +
			"\t\"example.org/house/rooms\"\n)\n",
		"internal/hidden/hide.go": "// Package hidden hides.\npackage hidden\n",
	})
	if err := write(root, out, []string{"door", "rooms", "door/bell"}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, "door.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# door\n\n```go\nimport \"example.org/house/door\"\n```\n",
		"See [Open](#Open), [Door.Close](#Door.Close), [rooms.Room](rooms.md#Room), hidden.Thing, rooms.None and ",
		"[os.File](https://pkg.go.dev/os#File)",
		"## Basics\n\n```go\nd := door.Open()\n```\n",
		"  - of one\n\nOr:\n\n```text\ndoor open --wide\n```\n",
		"| [`Door`](#Door) | Door is one \\| of two.<br> [`Close`](#Door.Close) |\n| [`Open`](#Open) | Open opens a door. |\n",
		"<a id=\"Width\"></a>\n\n```go\nconst Width = 0.9\n```\n\nWidth is in metres, a\\_b and &lt;i>.\n",
		"### type Door {: #Door }",
		"	Room rooms.Room // behind it\n	// contains filtered or unexported fields\n",
		"#### func Open {: #Open }\n\n```go\nfunc Open() *Door\n```\n",
		"#### func (\\*Door) Close {: #Door.Close }",
		"??? example \"Example\"\n\n    It is never locked.\n\n" +
			"    ```go\n    if true { // always\n    	fmt.Println(\"open\")\n    }\n    ```\n\n" +
			"    It prints:\n\n    ```text\n    open\n    ```\n",
		"??? example \"Example: twice\"",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, wrong := range []string{"locked bool", "Output:"} {
		if strings.Contains(string(page), wrong) {
			t.Errorf("%q is in\n%s", wrong, page)
		}
	}
	bell, err := os.ReadFile(filepath.Join(out, "door", "bell.md"))
	if err != nil || !strings.Contains(string(bell), "at a [door.Door](../door.md#Door) of [rooms](../rooms.md).") {
		t.Errorf("%v: of bell it has\n%s", err, bell)
	}
	index, err := os.ReadFile(filepath.Join(out, "index.md"))
	if err != nil || !strings.Contains(string(index), "| [`rooms`](rooms.md) | Package rooms has rooms. |") {
		t.Errorf("%v: the index is\n%s", err, index)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	for want, packages := range map[string]map[string]string{
		"no page: add it to the navigation": {
			"door/door.go": door, "rooms/rooms.go": "// Package rooms has rooms.\npackage rooms\ntype Room int\n",
		},
		"the package has no comment": {"door/door.go": "package door\n"},
		"no buildable Go source":     {"rooms/rooms.go": "package rooms\n"},
		"expected":                   {"door/door.go": "package door\nfunc"},
	} {
		if _, ok := packages["door/door.go"]; !ok {
			packages["door/door_test.go"] = "package door\n"
			want = "the package has no comment"
		}
		err := write(house(t, packages), t.TempDir(), []string{"door"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
