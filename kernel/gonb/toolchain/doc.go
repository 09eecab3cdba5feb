// Package toolchain finds what Go cells need on a machine: the programs ([Find]) and the source of the packages that cells import
// ([Source]). [CheckVersion] tells whether a GoNB is the one whose ways package gonb knows.
package toolchain
