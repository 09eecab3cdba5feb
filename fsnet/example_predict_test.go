package fsnet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
)

// A model is trained on one table and predicts the rows of another, which needs the chosen feature only.
func ExamplePredictFile() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	folder, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(folder)
	train, panel, saved := filepath.Join(folder, "train.csv"), filepath.Join(folder, "new.csv"), filepath.Join(folder, "m.safetensors")
	text := "TP53,BRCA1,label\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d,%s\n", 10*(i%2)+i%3, i%7, []string{"healthy", "ill"}[i%2])
	}
	check(os.WriteFile(train, []byte(text), 0o600))
	check(os.WriteFile(panel, []byte("sample,TP53\nanna,1\nbert,11\n"), 0o600))
	model, err := fsnet.FitFile(ctx, config.Config{Data: train, K: 1, Epochs: 60, Backend: "go"})
	check(err)
	check(model.Save(saved))
	result, err := fsnet.PredictFile(ctx, saved, config.Config{Data: panel})
	check(err)
	for _, p := range result.Predictions {
		fmt.Println(p.Row, p.Class)
	}
	// Output:
	// 1 healthy
	// 2 ill
}
