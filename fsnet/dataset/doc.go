// Package dataset reads data sets, divides them and prepares them for training.
package dataset
