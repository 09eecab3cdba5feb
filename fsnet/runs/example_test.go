package runs_test

import (
	"fmt"
	"os"

	"fsnetlab/fsnet/runs"
)

// A run belongs to one process at a time; its checkpoints outlive it.
func Example() {
	directory, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(directory)

	run, err := runs.Acquire(directory, "leukemia")
	check(err)
	for step := 100; step <= 300; step += 100 {
		check(run.Write(step, func(path string) error { return os.WriteFile(path, []byte("parameters"), 0o600) }))
	}
	check(run.Release())

	list, err := runs.List(directory)
	check(err)
	fmt.Println(list[0].Name, "with", len(list[0].Files), "checkpoints, the newest of step", list[0].Files[0].Step)
	path, err := runs.Find(directory, "leukemia")
	fmt.Println(path == list[0].Path, err)
	check(runs.Remove(directory, "leukemia"))
	_, err = runs.Find(directory, "leukemia")
	fmt.Println(err != nil)
	// Output:
	// leukemia with 3 checkpoints, the newest of step 300
	// true <nil>
	// true
}

// A fork begins with its parent's checkpoints, as hard links.
func ExampleDirectory_Share() {
	directory, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(directory)
	parent, err := runs.Acquire(directory, "leukemia")
	check(err)
	defer parent.Release()
	check(parent.Write(100, func(path string) error { return os.WriteFile(path, []byte("parameters"), 0o600) }))

	fork, err := runs.Acquire(directory, "warmer")
	check(err)
	defer fork.Release()
	check(fork.Share(parent.Path, 100))
	files, err := fork.Files()
	fmt.Println(len(files), files[0].Step, err)
	check(fork.Clear())
	files, err = runs.Files(fork.Path)
	fmt.Println(len(files), err)
	// Output:
	// 1 100 <nil>
	// 0 <nil>
}

// Of the files after a rewind only some lead to the newest one.
func ExamplePast() {
	for _, f := range runs.Past([]runs.File{{Number: 4, Step: 150}, {Number: 3, Step: 300}, {Number: 2, Step: 200}, {Number: 1, Step: 100}}) {
		fmt.Println(f.Number, f.Step)
	}
	// Output:
	// 4 150
	// 1 100
}

func ExampleCheckName() {
	fmt.Println(runs.CheckName("leukemia-2") == nil, runs.CheckName("../leukemia") == nil)
	// Output: true false
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
