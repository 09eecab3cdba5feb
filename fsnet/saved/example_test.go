package saved_test

import (
	"encoding/json"
	"fmt"

	"fsnetlab/fsnet/config"
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

// Settings are checked as if a user had asked for them; what a caller finds wrong by itself joins the other errors.
func ExampleReader_Settings() {
	settings, err := config.Config{Data: "ALLAML", K: 2}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(settings)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := saved.Reader{File: &safetensors.File{
		Metadata: map[string]string{saved.MetaSettings: string(text)},
		Tensors:  map[string]safetensors.Tensor{"layer": safetensors.Of([]float32{1, 2, 3}, 3)},
	}}
	k := r.Settings(saved.MetaSettings).K
	if layer := saved.Values[float32](&r, "layer", 3); len(layer) != k {
		r.Fail("a layer of %d numbers for %d features", len(layer), k)
	}
	fmt.Println(r.Err)
	// Output: a layer of 3 numbers for 2 features
}
