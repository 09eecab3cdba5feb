package device

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/fault"
)

// Upload copies numbers to the device at once: a tensor that waits on the host until it is used would hold a copy of its own.
func (d *Device) Upload(data []float32, dims ...int) (*tensors.Tensor, error) {
	t, err := tensors.FromRaw(d.backend, 0, shapes.Make(dtypes.Float32, dims...), dtypes.UnsafeByteSliceFromAny(data))
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "choose fewer features, rows or selectors, or another backend",
			"%s has no room for %d×%d numbers", d.Name, dims[0], dims[len(dims)-1])
	}
	return t, nil
}

// Float64s copies 32-bit numbers from the device.
func Float64s(t *tensors.Tensor) ([]float64, error) {
	flat, err := Floats(t)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(flat))
	for i, v := range flat {
		out[i] = float64(v)
	}
	return out, nil
}

// Free releases device memory now rather than at the next garbage collection, which does not see it. A tensor that cannot be
// released was released before.
func Free(list ...*tensors.Tensor) {
	for _, t := range list {
		if t != nil {
			_ = t.FinalizeAll()
		}
	}
}
