// Package replicatest says what every replica.Runner must do, as one suite of tests: [Conform].
//
// # Caveats
//
// The suite trains: on XLA's CPU plugin where there is one, else on the Go backend, or on what [Options] name. It takes some seconds.
package replicatest
