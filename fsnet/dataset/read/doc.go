// Package read reads files: whatever their format, it makes of one a [Frame], which is numbers - a row a sample, a column a feature -,
// names, and the class of each row as text. Package dataset decides what classes, missing values and rows are taken for.
//
// A [Format] is a kind of file; [FormatOf] tells it by the first bytes of a file, and where these do not tell by its extension. There are
// four shapes of file, and each has one way to a frame:
//
//   - a table is read line by line from whatever splits lines into fields: text, or the first sheet of a workbook (table.go);
//   - a table whose columns have types is read column by column: Parquet, Arrow and Feather (columns.go);
//   - variables are arrays by name, of MATLAB and NumPy (variables.go);
//   - cells and series of expression are a matrix that is described beside it (cells.go, expression.go).
//
// A file can claim anything: nothing of a declared size is allocated before its bytes are there or memory has room for it. Errors are of kind
// Request and name file, line and value.
//
// A new kind of file is a new source file and an entry in formats (format.go).
package read
