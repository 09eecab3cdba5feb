// Package reading reads files: whatever their format, it makes of one a [Reading], which is numbers - a row a sample, a column a feature -,
// names, and the class of each row as text. What classes, missing values and rows are taken for is the business of package dataset.
//
// # Nouns
//
//   - a [Format] is a kind of file; [FormatOf] tells it by the first bytes of a file, and where these do not tell by its extension;
//   - a table is read line by line, from whatever splits lines into fields (records): it has label, samples and covariates;
//   - cells are a matrix that is described beside it, by a frame or by the table that the key annotations names.
//
// A new kind of file is a new source file of this package and a word in formats (sniff.go); the packages beside this one know the formats,
// and nothing of FsNet.
package reading
