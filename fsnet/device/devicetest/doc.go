// Package devicetest opens the devices at hand for tests.
package devicetest
