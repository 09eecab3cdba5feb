// Package report makes one HTML page of sessions: their data, settings, curves, features and figures, and the lines that make them again.
// [Results] is the same of results: sections of words, tables and pictures. A page needs no network: pictures and style stand inside, it
// runs no script, and its security policy forbids it to fetch anything.
package report
