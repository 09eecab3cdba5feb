// Package read reads files of any format into a [Frame]: numbers with a row for
// each sample and a column for each feature, names, and the class of each row
// as text. Package dataset interprets classes, missing values and rows.
//
// Start with [Detect] and [File.Read]. Detect recognises a [Format] by the
// first bytes of a file or by its extension. The reader of a format decodes the
// file into a table (table.go) of columns and decides nothing:
//
//   - Text and the sheets of workbooks are read line by line, with a line for
//     each sample or each feature (lines.go).
//   - Parquet, Arrow and Feather have typed columns (columns.go).
//   - MATLAB and NumPy have named variables (variables.go).
//   - Single-cell and expression files hold a matrix and descriptions of its
//     rows (cells.go, expression.go).
//
// Another table may describe the samples of any of them by their names
// (annotations.go). The purpose of each column (label, names, groups, weights,
// folds, covariates, features, the panel of a model) is decided in one place
// for trainings and for rows to predict (roles.go). So are the remedies for bad
// values (remedies.go).
//
// A file can claim anything, so we don't allocate memory for a declared size
// before its bytes are there, or before we know that memory has room for it.
// Errors are of kind Request and name file, line and value.
//
// To add a kind of file, add a source file and an entry in formats (format.go).
package read
