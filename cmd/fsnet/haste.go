package main

import (
	"os"
	"strconv"

	"fsnetlab/fsnet/fault"
)

const (
	hasteVariable = "FSNET_HASTE"
	mostHaste     = 100
)

// haste is how many times as often as usual live views are told what happens: for tests that want hours of a page in minutes.
func haste() (float64, error) {
	text := os.Getenv(hasteVariable)
	if text == "" {
		return 1, nil
	}
	times, err := strconv.ParseFloat(text, 64)
	if err != nil || !(times >= 1 && times <= mostHaste) {
		return 0, fault.New(fault.Request, "give a number from 1 to 100, or leave the variable away", "%s=%s is not how many times as often live views are updated", hasteVariable, text)
	}
	return times, nil
}
