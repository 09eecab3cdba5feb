package metric

// ModelKB is the size of a model of so many numbers, of 32 bits each, in units of 1000 bytes.
func ModelKB(parameters int) float64 { return float64(parameters) * 4 / 1000 }
