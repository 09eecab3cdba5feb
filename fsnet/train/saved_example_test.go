package train_test

import (
	"encoding/json"
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/safetensors"
)

// The parts of a file are taken one after another; the first that is wrong is the error of all.
func ExampleReader() {
	r := train.Reader{File: &safetensors.File{
		Metadata: map[string]string{train.MetaDataset: "ALLAML", train.MetaStep: "150", "classes": `["ALL","AML"]`},
		Tensors:  map[string]safetensors.Tensor{"mean": safetensors.Of([]float64{0.5, 2}, 2), "selected": safetensors.Of([]int64{7, 3}, 2)},
	}}
	var classes []string
	r.JSON("classes", &classes)
	fmt.Println(r.Text(train.MetaDataset), r.Count(train.MetaStep), classes, train.Finite[float64](&r, "mean", 2),
		r.Distinct("selected", 2, 10))
	fmt.Println(r.TensorsRead, "tensors,", r.Err)
	r.Distinct("selected", 2, 5)
	r.Text(train.MetaSettings)
	fmt.Println(r.Err)
	_, err := train.ReadFile("leukemia.safetensors")
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
	r := train.Reader{File: &safetensors.File{
		Metadata: map[string]string{train.MetaSettings: string(text)},
		Tensors:  map[string]safetensors.Tensor{"layer": safetensors.Of([]float32{1, 2, 3}, 3)},
	}}
	k := r.Settings(train.MetaSettings).K
	if layer := train.Values[float32](&r, "layer", 3); len(layer) != k {
		r.Fail("a layer of %d numbers for %d features", len(layer), k)
	}
	fmt.Println(r.Err)
	// Output: a layer of 3 numbers for 2 features
}
