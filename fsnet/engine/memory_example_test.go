package engine_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
)

func ExamplePlanMemory() {
	settings, err := config.Config{Data: "ALLAML", K: 10}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := dataset.Open(context.Background(), settings, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := engine.PlanMemory(data, settings, "go")
	for _, line := range plan.Lines {
		if line.Held {
			fmt.Printf("%s: %d bytes\n", line.Name, line.Bytes)
		}
	}
	// Output:
	// program and compiled graphs: 37748736 bytes
	// data as read, n×d: 2053152 bytes
	// names of the features: 187189 bytes
}
