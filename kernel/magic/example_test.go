package magic_test

import (
	"fmt"

	"fsnetlab/kernel/magic"
)

// A cell is verbs with words and options, and Go code behind them. An error names its line.
func ExampleSplit() {
	parts, err := magic.Split("%fsnet open leukemia data=ALLAML k=10\n%fsnet run settled\nfmt.Println(1)")
	for _, part := range parts {
		for _, c := range part.Commands {
			fmt.Println(c.Verb, c.Words, c.Options)
		}
		fmt.Printf("%q %v\n", part.Go, err)
	}
	_, err = magic.Split("%fsnet status\n%fsnet k=3")
	fmt.Println(err)
	// Output:
	// open [leukemia] [{data ALLAML} {k 10}]
	// run [settled] []
	// "\n\nfmt.Println(1)" <nil>
	// line 2: k=3 where a verb belongs - write %fsnet VERB [SESSION] [key=value …]; %fsnet help lists the verbs
}
