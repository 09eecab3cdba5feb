package read

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
)

// h5adTable is a matrix and what describes it.
type h5adTable struct {
	X   *cellMatrix // cells × genes
	Obs *h5Frame    // describes the cells
	Var *h5Frame    // describes the genes
}

// isH5AD says whether a file is an .h5ad file.
func isH5AD(file *hdf5.File) bool {
	root, err := file.Root()
	return err == nil && root.Has("obs") && root.Has("var")
}

// rawLayer names what anndata keeps beside X with genes of its own, unless a layer has that name.
const rawLayer = "raw"

// openH5AD reads the parts of an .h5ad file. layer names what to take instead of X. Where that is not there the error is [fs.ErrNotExist].
func openH5AD(file *hdf5.File, layer string) (*h5adTable, error) {
	root, err := file.Root()
	if err != nil {
		return nil, err
	}
	x, genes := "X", "var"
	if layer != "" {
		x = "layers/" + layer
		if layer == rawLayer && !h5Has(root, x) {
			x, genes = "raw/X", "raw/var"
		}
	}
	t := &h5adTable{}
	o, err := root.Object(x)
	if err != nil {
		return nil, err
	}
	if t.X, err = newCellMatrix(o); err != nil {
		return nil, err
	}
	if o, err = root.Object(genes); err != nil {
		return nil, err
	}
	if t.Var, err = newH5Frame(o, t.X.columns); err != nil {
		return nil, err
	}
	t.Obs, err = h5adObs(file, t.X.rows)
	return t, err
}

// h5adObs is the description of the cells of an .h5ad file, of which there are n.
func h5adObs(file *hdf5.File, n int) (*h5Frame, error) {
	o, err := file.Object("obs")
	if err != nil {
		return nil, err
	}
	return newH5Frame(o, n)
}

func h5Has(o *hdf5.Object, path string) bool {
	_, err := o.Object(path)
	return err == nil
}

// h5adLayers are the names that Open takes for layer.
func h5adLayers(file *hdf5.File) ([]string, error) {
	var names []string
	o, err := file.Object("layers")
	if err == nil {
		names, err = o.Members()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if raw, err := file.Object(rawLayer); err == nil && raw.Has("X") {
		names = append(names, rawLayer)
	}
	return names, nil
}

// tenX is a table of Cell Ranger: sparse by rows, the name of each cell and each gene, and of each gene its identity, such as ENSG….
type tenX struct {
	X                *cellMatrix
	Cells, Names, ID []string
	Kinds            []string // what each gene is, such as Gene Expression or Antibody Capture; nil where the file does not say
}

// isTenX says whether a file is one of Cell Ranger, of version 3 or later.
func isTenX(file *hdf5.File) bool {
	root, err := file.Root()
	return err == nil && h5Has(root, "matrix/features")
}

// openTenX reads the parts of a file of Cell Ranger. It stores genes × cells by columns, which is cells × genes by rows.
func openTenX(file *hdf5.File) (*tenX, error) {
	o, err := file.Object("matrix")
	if err != nil {
		return nil, err
	}
	shape, err := h5Array(o, "shape")
	if err != nil {
		return nil, err
	}
	genes, cells, err := h5Shape(shape)
	if err != nil {
		return nil, err
	}
	t := &tenX{X: &cellMatrix{Kind: storedByRows}}
	if err := t.X.sparse(o, cells, genes); err != nil {
		return nil, err
	}
	for path, into := range map[string]*[]string{"barcodes": &t.Cells, "features/name": &t.Names, "features/id": &t.ID,
		"features/feature_type": &t.Kinds} {
		d, err := h5Array(o, path)
		if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(path, "feature_type") {
			continue
		}
		if err != nil {
			return nil, err
		}
		n := t.X.columns
		if path == "barcodes" {
			n = t.X.rows
		}
		if len(d.Dims) != 1 || d.Rows() != n || !d.Type.IsText() {
			return nil, damagedCells("%s holds %v of the lengths %v, not %d names", d.Path(), d.Type, d.Dims, n)
		}
		if *into, err = d.Strings(0, n); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Path(), err)
		}
	}
	return t, nil
}

// h5Shape is the two numbers of a data set or an attribute that holds a shape.
func h5Shape(d *hdf5.Dataset) (first, second int64, err error) {
	lengths, err := hdf5.Read[int64](d, 0, d.Rows())
	if err == nil && len(lengths) != 2 {
		err = damagedCells("%s has %d numbers", d.Path(), len(lengths))
	}
	if err != nil {
		return 0, 0, err
	}
	return lengths[0], lengths[1], nil
}
