// Package sparse holds tables of which most values are 0, in memory or on disk, and reads them by rows.
//
// # Nouns
//
//   - a [Source] gives rows: a [Matrix] has them in memory, a [File] on disk, a [Stretches] somewhere else; a [Part] is some rows and
//     columns of another source, a [Widened] has more columns than another;
//   - [Rows] are rows as they are stored: of each its columns with values, and nothing of the others;
//   - a [View] is some columns of a source, centred and scaled, in an order of its own: what somebody computes with.
//
// # Basics
//
// [Scan] checks a source once, from beginning to end, and says what is in it. A view is read in passes ([View.Each]: every row in turn,
// dense, whatever its size on disk), in batches ([View.Gather]) and as it is stored ([View.Stored]).
//
// # Caveats
//
// Centring makes a dense table of a sparse one, so a view centres what is read, when it is read: one row of it is dense at a time.
// Missing values are stored as NaN.
package sparse
