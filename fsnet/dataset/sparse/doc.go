// Package sparse holds tables of mostly zeros, in memory or on disk, and reads
// them by rows.
//
// # Nouns
//
//   - A [Source] provides rows: a [Matrix] from memory, a [File] from disk, and
//     [Stretches] from a function. A [Part] selects rows and columns of another
//     source, and a [Wide] adds dense columns to it.
//   - [Rows] hold rows as they are stored: the columns that have values, and
//     the values.
//   - A [View] selects, orders, centres and scales columns of a source.
//     Computations read views.
//
// # Basics
//
// Start with [Scan] and [NewView]. Scan checks a source once from beginning to
// end and summarises it. You can read a view in passes ([View.Each] gets every
// row in turn, dense, whatever its size on disk), in batches ([View.Gather]) or
// as it is stored ([View.Stored]).
//
// # Caveats
//
// Centring would make a sparse table dense, so a view centres values while it
// reads them, and only one row at a time is dense. Missing values are stored as
// NaN.
package sparse
