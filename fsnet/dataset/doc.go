// Package dataset reads data sets, divides them and prepares them for training.
//
// # Nouns
//
//   - A [Dataset] is a table of numbers with named columns (features) and a
//     class for each row (sample).
//   - [Parts] are its rows divided into training, validation and test rows.
//   - A [Prepared] is a data set that has been divided and scaled. It is the
//     input of a training.
//
// # Basics
//
//	settings, err := config.Config{Data: "ALLAML", K: 10, Seed: 1}.Resolve()
//	data, err := dataset.Open(ctx, settings, ".")
//	prepared, err := dataset.Prepare(data, settings)
//
// Start with [Open] and [Prepare]. Open reads a file or returns a built-in data
// set, and Prepare divides and scales it. [Read] reads from any reader. [New]
// builds a data set from numbers in memory and [FromMatrix] from a gonum
// matrix. [NewSparse] builds one from a table of mostly zeros, in memory or on
// disk; it never stores that table densely. [Split] divides the rows by the
// seed, unless you have divided them yourself ([Dataset.WithSplit]).
//
// The format of a file is determined by its first bytes or, if they don't tell,
// by its extension. It may be MAT (.mat: a matrix X, samples × features, and a
// vector Y), text (.csv, .tsv, .txt: a header, then a line for each sample or
// each feature; also gzip, zstd and UTF-16), the first sheet of an Excel
// workbook, Parquet, Feather version 2, Arrow, a series matrix of GEO, or GCT,
// whose label is among the descriptions of the samples. docs/data.md has an
// example of each. In a table
//
//   - The label is the column that the key label names or, by default, the one
//     called label, class, y, target or diagnosis.
//   - samples names the column with the names of the rows. The default is a
//     first column without a name, or one called id or sample that holds
//     different texts or whole numbers.
//   - covariates names columns of words. They become features column=value of 0
//     and 1, which follow all others.
//   - Every other column must hold numbers. Missing values are written as
//     nothing, NA, N/A, NaN, null or ?.
//   - A repeated feature name gets a suffix, as in GENE.1, and Source says so.
//     An empty name is rejected.
//
// Single-cell matrices are .h5ad files, .h5 files of Cell Ranger, and
// directories with a matrix.mtx. There label, samples and covariates name
// columns that describe the rows of the matrix, in obs or in the table that the
// key annotations names. The key layer selects another matrix than X. A large
// sparse matrix stays sparse. A MAT file may be of version 7.3.
//
// Package read reads all of these. A new format is a new source file there.
//
// # Caveats
//
// Values are stored as 32-bit floating point numbers, the type that training
// uses. A label that measures something is rejected as a class label. Set
// task=regression to read it as a quantity.
//
// Everything that Prepare computes (which columns to keep, means, scales,
// filled values) comes from training rows alone. The split depends on the seed
// and on which rows share a class. Renaming classes and permuting or removing
// features leave it unchanged, permuting rows does not.
package dataset
