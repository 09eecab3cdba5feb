// Package dataset reads data sets, divides them and prepares them for training.
//
// # Nouns
//
//   - a [Dataset] is a table of numbers with named columns (features) and a class for each row
//     (sample);
//   - [Parts] are its rows divided into training, validation and test rows;
//   - a [Prepared] is a data set divided and scaled: the input of a training.
//
// # Basics
//
// [Open] reads a data set from a file or takes a built-in one, and [Read] reads one from any
// reader. [New] makes one from numbers in memory, [FromMatrix] from a gonum matrix, and [NewSparse]
// from a table of mostly zeros, in memory or on disk, which stays as it is stored in all that
// follows. [Split] divides the rows by the seed, unless the caller has divided them
// ([Dataset.WithSplit]); [Prepare] divides and scales.
//
//	settings, err := config.Config{Data: "ALLAML", K: 10, Seed: 1}.Resolve()
//	data, err := dataset.Open(ctx, settings, ".")
//	prepared, err := dataset.Prepare(data, settings)
//
// The first bytes of a file determine its format, or else its extension. Formats are MAT (.mat: a
// matrix X, samples × features, and a vector Y) and tables: text (.csv, .tsv, .txt: a header, then
// a line for each sample or each feature; also gzip, zstd and UTF-16), the first sheet of an Excel
// workbook, Parquet, Feather version 2 and Arrow, GEO's series matrices and GCT, whose label is
// among the descriptions of the samples. docs/data.md has an example of each. In a table
//
//   - the label is the column that the key label names, else the one called label, class, y, target
//     or diagnosis;
//   - samples names the column with the names of the rows; by default that is a first column
//     without a name, or one called id or sample that holds different texts or whole numbers;
//   - covariates name columns of words, which become features column=value of 0 and 1, after all
//     others;
//   - every other column must hold numbers; nothing, NA, N/A, NaN, null and ? are missing values;
//   - a repeated feature name gets a suffix, GENE.1, which Source reports; an empty one is refused.
//
// Matrices of single cells are .h5ad files, .h5 files of Cell Ranger and directories with a
// matrix.mtx: label, samples and covariates name columns that describe the rows beside the matrix,
// in obs or in the table that the key annotations names; the key layer selects another matrix than
// X. A large sparse matrix stays sparse. A MAT file may be of version 7.3.
//
// Package read reads all of these; a new format is a new source file there.
//
// # Caveats
//
// Values are kept as 32-bit floating point numbers, as they are trained on. A label that measures
// something is refused as classes; task=regression reads it as a quantity. Everything that Prepare
// computes (columns kept, means, scales, filled values) comes from training rows alone. The split
// depends on the seed and on which rows share a class: renamed classes and permuted or removed
// features leave it unchanged, permuted rows do not.
package dataset
