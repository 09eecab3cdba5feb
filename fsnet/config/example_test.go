package config_test

import (
	"fmt"

	"fsnetlab/fsnet/config"
)

func ExampleConfig_Resolve() {
	settings, err := config.Config{Protocol: "paper", K: 50, Lambda: new(0.1)}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.K, settings.Lambda, settings.Epochs, settings.Reconstruction)
	// Output: 50 0.1 4000 sum
}

func ExampleConfig_Set() {
	var c config.Config
	fmt.Println(c.Set("lamda", "0.1"))
	fmt.Println(c.Set("dropout", "1.5"))
	// Output:
	// unknown key "lamda" - did you mean lambda?
	// dropout = "1.5": out of range - dropout (share of units dropped after each hidden layer) takes 0 ≤ p < 1
}
