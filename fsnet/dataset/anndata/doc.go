// Package anndata reads tables of cells: .h5ad files of anndata 0.7 to 0.12, and the .h5 files of 10x Genomics' Cell Ranger.
//
// # Nouns
//
//   - a [Matrix] has the numbers, cells × genes, dense or sparse, on disk: rows of it are read when they are asked for;
//   - a [Frame] describes its rows or its columns: names, and columns of words or numbers.
//
// # Basics
//
//	table, err := anndata.Open(file, "")        // file is an *hdf5.File; a layer's name takes that instead of X
//	cells, err := table.Obs.Names()
//	types, err := table.Obs.Column("cell_type")
//	block, err := table.X.Rows(0, 1000)         // of a sparse matrix by rows
//	err = table.X.Fill(ctx, numbers)            // all of it, dense
//
// # Caveats
//
// What is read is checked: rows that end before they begin, columns that are not there, and descriptions of another length than
// the matrix are errors that wrap [ErrDamaged]. Nothing larger than the file can hold is read, but that may be more than memory: ask
// [Matrix.Shape] first. One goroutine at a time may read a Matrix or a Frame.
package anndata
