// Package read reads files: whatever their format, it makes of one a [Frame], which is numbers - a row a sample, a column a feature -,
// names, and the class of each row as text. Package dataset decides what classes, missing values and rows are taken for.
//
// A [Format] is a kind of file; [FormatOf] tells it by the first bytes of a file, and where these do not tell by its extension. Its reader
// decodes the file into a table (table.go), which has columns and what they hold, and decides nothing:
//
//   - text and the sheets of workbooks are read line by line, with a line a sample or a line a feature (lines.go);
//   - Parquet, Arrow and Feather have columns with types (columns.go);
//   - MATLAB and NumPy have variables by name (variables.go);
//   - cells and series of expression are a matrix, described beside it (cells.go, expression.go).
//
// Another table may describe the samples of any of them by their names (annotations.go). What each column is for - label, names, groups,
// weights, folds, covariates, features, the panel of a model - is decided once, for a training and for rows to predict (roles.go), and so
// are the words for what is wrong with values (remedies.go).
//
// A file can claim anything: nothing of a declared size is allocated before its bytes are there or memory has room for it. Errors are of kind
// Request and name file, line and value.
//
// A new kind of file is a new source file and an entry in formats (format.go).
package read
