package read

import (
	"context"

	"fsnetlab/fsnet/dataset/sparse"
)

// denseBytes is how large a table of cells may become with all its zeros. A larger one that is stored sparse stays so.
const denseBytes = 64 << 20

// storedSparse is how a matrix of a file becomes a source that reads from it; nil where it is stored dense. One that is stored by columns
// is turned around in memory.
func storedSparse(path string, m *cellMatrix) func(context.Context) (sparse.Source, error) {
	rows, columns := m.Shape()
	switch m.Kind {
	case storedByRows:
		return func(context.Context) (sparse.Source, error) {
			return sparse.NewStretches(m.Starts(), columns, func(from, to int) (sparse.Rows, error) {
				b, err := m.Rows(from, to)
				return sparse.Rows{Start: b.Start, Columns: b.Index, Values: b.Values}, unreadable(path, err)
			}), nil
		}
	case storedByColumns:
		return func(ctx context.Context) (sparse.Source, error) {
			const remedy = "write it by rows, which are read from disk: in Python adata.X = adata.X.tocsr(); adata.write_h5ad(file)"
			if err := checkStoredMemory(path, m.Stored(), rows, remedy); err != nil {
				return nil, err
			}
			return sparse.Collect(rows, columns, func(visit func(int, int, float32)) error {
				return m.EachColumn(ctx, func(column int, rows []int32, values []float32) {
					for k, row := range rows {
						visit(int(row), column, values[k])
					}
				})
			})
		}
	}
	return nil
}

// collected is a MatrixMarket directory in memory, without zeros.
func collected(ctx context.Context, path string, dir *mtxDirectory) (sparse.Source, error) {
	const remedy = "write it as .h5ad, which is read from disk: in Python scanpy.read_10x_mtx(directory).write_h5ad(file)"
	if err := checkStoredMemory(path, int64(dir.Stored), len(dir.Cells), remedy); err != nil {
		return nil, err
	}
	return sparse.Collect(len(dir.Cells), len(dir.Genes), func(visit func(int, int, float32)) error {
		return dir.Each(ctx, func(gene, cell int, value float32) {
			if value != 0 {
				visit(cell, gene, value)
			}
		})
	})
}
