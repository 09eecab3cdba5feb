package cell_test

import (
	"fmt"

	"fsnetlab/kernel/cell"
)

// A cell of a %fsnet line between Go code. What follows it keeps its line numbers, since blank lines stand in for what is above.
func ExampleSplit() {
	for _, part := range cell.Split("x := 1\n%fsnet step 10\nfmt.Println(x)") {
		for _, magic := range part.Magics {
			fmt.Printf("line %d: %s\n", magic.First+1, magic.Text)
		}
		fmt.Printf("Go: %q\n", part.Go)
	}
	// Output:
	// Go: "x := 1"
	// line 2: %fsnet step 10
	// Go: "\n\nfmt.Println(x)"
}

// A console asks whether somebody who pressed Enter has finished.
func ExampleCompleteness() {
	for _, code := range []string{"x := 1", "for i := range 3 {", "x := 1 +", "x := )"} {
		status, indent := cell.Completeness(code)
		fmt.Printf("%-20s %s %q\n", code, status, indent)
	}
	// Output:
	// x := 1               complete ""
	// for i := range 3 {   incomplete "\t"
	// x := 1 +             incomplete ""
	// x := )               invalid ""
}

// A cell that ends in a value shows it; one that ends in a statement stays as it was.
func ExampleShowLast() {
	for _, code := range []string{"%%\nx := 3\nx * x", "%%\nx := 3\nx++"} {
		made, shown := cell.ShowLast(code, func(string) cell.Result { return cell.Nothing })
		fmt.Printf("%v %q\n", shown == cell.Value, made)
	}
	// Output:
	// true "%%\nx := 3\nfsnetwidgets.Show(x * x)"
	// false "%%\nx := 3\nx++"
}
