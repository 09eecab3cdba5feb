package train_test

import (
	"context"
	"fmt"
	"log"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// The values of what was chosen in the training rows, as a picture shows them; test rows are left out unless they are asked for.
func ExamplePreview() {
	data, err := dataset.New("toy", []float32{1, 9, 2, 8, 3, 7, 4, 6}, []string{"a", "b"}, []string{"sick", "well", "sick", "well"})
	if err != nil {
		log.Fatal(err)
	}
	data, err = data.WithSplit(dataset.Parts{Train: []int{0, 1, 2}, Test: []int{3}})
	if err != nil {
		log.Fatal(err)
	}
	settings, err := config.Config{Data: "toy", K: 1}.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	prepared, err := dataset.Prepare(data, settings)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := train.Preview(context.Background(), prepared, []session.Selected{{Index: 1, Name: "b"}}, settings.Seed, session.RowsRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Features[0].Name, rows.Features[0].Train, "in the rows", rows.Train.Row, "test rows:", rows.Test)
	// Output: b [9 8 7] in the rows [0 1 2] test rows: <nil>
}
