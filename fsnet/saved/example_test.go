package saved_test

import (
	"fmt"

	"fsnetlab/fsnet/saved"
	"fsnetlab/internal/safetensors"
)

// The parts of a file are taken one after another; the first that is wrong is the error of all.
func Example() {
	r := saved.Reader{File: &safetensors.File{
		Metadata: map[string]string{saved.MetaDataset: "ALLAML", saved.MetaStep: "150", "classes": `["ALL","AML"]`},
		Tensors:  map[string]safetensors.Tensor{"mean": safetensors.Of([]float64{0.5, 2}, 2), "selected": safetensors.Of([]int64{7, 3}, 2)},
	}}
	var classes []string
	r.JSON("classes", &classes)
	fmt.Println(r.Text(saved.MetaDataset), r.Count(saved.MetaStep), classes, saved.Finite[float64](&r, "mean", 2),
		r.Distinct("selected", 2, 10))
	fmt.Println(r.TensorsRead, "tensors,", r.Err)
	r.Distinct("selected", 2, 5)
	r.Text(saved.MetaSettings)
	fmt.Println(r.Err)
	_, err := saved.ReadFile("leukemia.safetensors")
	fmt.Println(err)
	// Output:
	// ALLAML 150 [ALL AML] [0.5 2] [7 3]
	// 2 tensors, <nil>
	// number 0 of selected is 7; they are different, from 0 to 4
	// leukemia.safetensors: there is no such file - check the path
}
