// Package nntest is the noise again, in plain Go, for tests.
package nntest
