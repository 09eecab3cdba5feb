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

func check(err error) {
	if err != nil {
		panic(err)
	}
}
