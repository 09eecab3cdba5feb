// Package sparse holds tables of mostly zeros, in memory or on disk, and reads them by rows.
//
// # Nouns
//
//   - a [Source] provides rows: a [Matrix] from memory, a [File] from disk, [Stretches] from a
//     function; a [Part] is some rows and columns of another source, a [Wide] adds dense columns to
//     another source;
//   - [Rows] hold rows as they are stored: the columns that have values, and the values;
//   - a [View] is some columns of a source, centred and scaled, in an order of its own: the input
//     of computations.
//
// # Basics
//
// [Scan] checks a source once, from beginning to end, and summarises it. A view is read in passes
// ([View.Each]: every row in turn, dense, whatever its size on disk), in batches ([View.Gather])
// and as it is stored ([View.Stored]).
//
// # Caveats
//
// Centring would make a sparse table dense, so a view centres values while it reads them: one row
// at a time is dense. Missing values are stored as NaN.
package sparse
