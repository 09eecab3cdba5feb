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
	fmt.Println(plan.Held)
	// Output: 69349205
}
