package repl

import (
	"context"
	"fmt"
	"os"
)

// The lines of a script need no %fsnet. This one trains with the engine of the tests, whose data set is called planted.
func ExampleRun() {
	o := options(nil, os.Stdout, os.Stderr)
	o.Commands = []string{"open leukemia data=planted k=3 batch=8 epochs=20", "step 3", "lambda?"}
	if err := Run(context.Background(), o); err != nil {
		fmt.Println(err)
	}
	// Output:
	// leukemia idle · step 0 of 60 · epoch 0 of 20 · τ 10 · 0 of 3 selectors settled · fsnet: the gradient of the network's loss trains the selectors · fake
	// leukemia paused · step 3 of 60 · epoch 1 of 20 · τ 7.08 · loss 0.704 (class 0.7, reconstruction 0.0035) · training accuracy 0.750 · 0 of 3 selectors settled, largest probability 0.10 on average · fsnet: the gradient of the network's loss trains the selectors · fake
	// lambda (λ): weight of the reconstruction term
	// values: ≥ 0
	// default: 1
	// live: set changes it at any step
}
