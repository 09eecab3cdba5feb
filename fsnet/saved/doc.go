// Package saved reads the parts of models and checkpoints out of their safetensors files, and refuses what is missing, damaged or not a
// number by name.
package saved
