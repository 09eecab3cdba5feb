// Package word takes the texts that files hold for what they mean: a name, a number, a missing value, the name of a class.
package word
