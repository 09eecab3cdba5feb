// Package dataset reads data sets, divides them and prepares them for training.
//
// # Nouns
//
//   - a [Dataset] is a table of numbers with named columns (features) and a class for each row (sample);
//   - [Parts] are its rows divided into training, validation and test rows;
//   - a [Prepared] is a data set divided and scaled, which is what a training takes.
//
// # Basics
//
// [Open] reads a data set from a file or takes a built-in one, and [Read] reads one from any reader; [New] makes one of numbers in memory
// and [FromMatrix] of a gonum matrix; [NewSparse] takes a table of which most values are 0 as it is stored, in memory or on disk, and
// so does all that follows. [Split] divides its rows by the seed, unless the caller has divided them ([Dataset.WithSplit]);
// [Prepare] divides and scales.
//
//	settings, err := config.Config{Data: "ALLAML", K: 10, Seed: 1}.Resolve()
//	data, err := dataset.Open(ctx, settings, ".")
//	prepared, err := dataset.Prepare(data, settings)
//
// A file is what its first bytes say, and where these do not tell what its extension says. Files are MAT (.mat: a matrix X, samples ×
// features, and a vector Y) and tables: text (.csv, .tsv, .txt: a header, a line a sample, or a line a feature; also packed with gzip or
// zstd, and in UTF-16), the first sheet of an Excel workbook, Parquet, Feather version 2 and Arrow, GEO's series matrices and GCT, whose
// label is what is known of the samples. docs/data.md has an example of each. In a table
//   - the label is the column that the key label names; else the one called label, class, y, target or diagnosis;
//   - samples names the column with the names of the rows; else a first column does that has no name, or is called id or sample and
//     holds different texts or whole numbers;
//   - covariates name columns of words, which become features column=value of 0 and 1, after all others;
//   - every other column must hold numbers; nothing, NA, N/A, NaN, null and ? are missing values;
//   - a repeated feature name gets a suffix, GENE.1, and Source says so; an empty one is refused.
//
// Matrices of cells are .h5ad files, .h5 files of Cell Ranger and directories with a matrix.mtx: label, samples
// and covariates name columns of what describes the rows beside the matrix, obs or the table that the key annotations names; the key
// layer takes another matrix than X. What is stored sparse stays so where it is large. A MAT file may be of version 7.3.
//
// Package read reads all of these; a new kind of file is a new source file of it.
//
// # Caveats
//
// Values are kept as 32-bit floating point numbers, as they are trained on. A label that measures something is
// refused as classes; with task=regression it is a quantity. What Prepare computes (columns kept, means, scales, filled values) comes from training
// rows alone. The split is a function of the seed and of which rows share a class: it is the same for renamed classes and for
// permuted or left-out features, and another for permuted rows.
package dataset
