package safetensors_test

import (
	"fmt"
	"os"
	"path/filepath"

	"fsnetlab/internal/safetensors"
)

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a.safetensors")
	err = safetensors.Write(path, &safetensors.File{
		Metadata: map[string]string{"made_by": "an example"},
		Tensors:  map[string]safetensors.Tensor{"weights": safetensors.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := safetensors.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	weights, err := safetensors.Values[float32](f, "weights", 2, 3)
	fmt.Println(weights, f.Metadata, f.Checked, err)
	// Output: [1 2 3 4 5 6] map[made_by:an example] true <nil>
}
