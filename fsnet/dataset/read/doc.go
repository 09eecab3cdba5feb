// Package read reads files of any format into a [Frame]: numbers, a row for each sample and a
// column for each feature, names, and the class of each row as text. Package dataset interprets
// classes, missing values and rows.
//
// A [Format] is a kind of file. [Detect] recognises it by the first bytes of a file, or else by
// its extension. Its reader decodes the file into a table (table.go) of columns and decides
// nothing:
//
//   - text and the sheets of workbooks are read line by line, with a line for each sample or each
//     feature (lines.go);
//   - Parquet, Arrow and Feather have typed columns (columns.go);
//   - MATLAB and NumPy have named variables (variables.go);
//   - single cells and expression series are a matrix with descriptions beside it (cells.go,
//     expression.go).
//
// Another table may describe the samples of any of them by their names (annotations.go). The
// purpose of each column (label, names, groups, weights, folds, covariates, features, the panel of
// a model) is decided once, for a training and for rows to predict (roles.go), and so are the
// remedies for bad values (remedies.go).
//
// A file can claim anything: nothing of a declared size is allocated before its bytes are there or
// memory has room for it. Errors are of kind Request and name file, line and value.
//
// A new kind of file is a new source file and an entry in formats (format.go).
package read
