// Package stacked builds one program that makes several calls of a graph at once.
//
// Every value of the graph gets a leading axis, one place for each call, and every operation works
// along it: the rules of a vmap. The code that builds the graph does not change, since it sees the
// shapes of one call. A call's results depend neither on its place nor on the other calls; they
// differ from those of a program for a single call by rounding, because XLA multiplies stacked
// matrices with other kernels.
//
//	program, err := stacked.Compile(backend, "steps", 8, inputs, 2, build)
//	results, err := program.Call(calls) // up to eight
package stacked

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// isCommon reports whether values of a shape are the same for all calls: scalars of int32, which
// count the rounds of loops and number columns.
func isCommon(s shapes.Shape) bool { return s.DType == dtypes.Int32 && s.Rank() == 0 }

// backend is a backend whose programs make n calls of the graphs that are built on it.
type backend struct {
	compute.Backend
	n     int
	apart []bool // by parameter: the calls give a buffer each, not one for all
	kept  int    // the first results, of which each call gets a buffer of its own
}

// Builder implements [compute.Backend].
func (b *backend) Builder(name string) compute.Builder {
	return &builder{Builder: b.Backend.Builder(name), backend: b}
}

type builder struct {
	compute.Builder
	backend *backend
	main    *function
	inputs  int // parameters of main so far
}

// Main implements [compute.Builder].
func (b *builder) Main() compute.Function {
	if b.main == nil {
		b.main = b.function(b.Builder.Main(), nil)
	}
	return b.main
}

func (b *builder) function(inner compute.Function, parent *function) *function {
	refuse := notimplemented.Function{ErrFn: func(op compute.OpType) error { return errors.Errorf("%s has no rule for several calls", op) }}
	return &function{Function: refuse, inner: inner, builder: b, parent: parent, n: b.backend.n}
}

// OpShape implements [compute.Builder].
func (b *builder) OpShape(op compute.Value) (shapes.Shape, error) { return op.(*value).shape, nil }

// value is a value of the graph.
type value struct {
	inner   compute.Value
	shape   shapes.Shape // of one call
	stacked bool         // inner has the leading axis; otherwise all calls have the same value
}

// function builds, for each operation of one call, the operation of all. It implements those that
// FsNet's programs have; others are errors.
type function struct {
	notimplemented.Function
	inner   compute.Function
	builder *builder
	parent  *function
	n       int
}

func (f *function) Name() string                                { return f.inner.Name() }
func (f *function) Builder() compute.Builder                    { return f.builder }
func (f *function) Shape(v compute.Value) (shapes.Shape, error) { return v.(*value).shape, nil }

func (f *function) Parent() compute.Function {
	if f.parent == nil {
		return nil
	}
	return f.parent
}

func (f *function) Closure() (compute.Function, error) {
	inner, err := f.inner.Closure()
	if err != nil {
		return nil, err
	}
	return f.builder.function(inner, f), nil
}

// whole returns a shape with the leading axis.
func (f *function) whole(s shapes.Shape) shapes.Shape {
	return shapes.Make(s.DType, append([]int{f.n}, s.Dimensions...)...)
}

// result wraps what an operation returned.
func (f *function) result(inner compute.Value, stacked bool, err error) (compute.Value, error) {
	if err != nil {
		return nil, err
	}
	shape, err := f.inner.Shape(inner)
	if err != nil {
		return nil, err
	}
	if stacked {
		shape = shapes.Make(shape.DType, shape.Dimensions[1:]...)
	}
	return &value{inner, shape, stacked}, nil
}

// stack returns a value with the leading axis.
func (f *function) stack(v *value) (compute.Value, error) {
	if v.stacked {
		return v.inner, nil
	}
	return f.inner.BroadcastInDim(v.inner, f.whole(v.shape), after(upTo(v.shape.Rank())))
}

// together returns the inner values of operands, all with the leading axis if one has it.
func (f *function) together(operands ...compute.Value) (list []compute.Value, stacked bool, err error) {
	stacked = slices.ContainsFunc(operands, func(o compute.Value) bool { return o.(*value).stacked })
	for _, o := range operands {
		inner := o.(*value).inner
		if stacked {
			if inner, err = f.stack(o.(*value)); err != nil {
				return nil, false, err
			}
		}
		list = append(list, inner)
	}
	return list, stacked, nil
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// after returns axes of one call as axes after the leading one.
func after(axes []int) []int {
	list := make([]int, len(axes))
	for i, a := range axes {
		list[i] = a + 1
	}
	return list
}

// moved is after where calls are stacked.
func moved(stacked bool, axes []int) []int {
	if stacked {
		return after(axes)
	}
	return axes
}

// Parameter gives a parameter of main the form that the backend says: one buffer with the leading
// axis, or a buffer for each call.
func (f *function) Parameter(name string, shape shapes.Shape, sharding *compute.ShardingSpec) (compute.Value, error) {
	at := f.builder.inputs
	if f.parent == nil {
		f.builder.inputs++
	}
	switch {
	case isCommon(shape):
		inner, err := f.inner.Parameter(name, shape, sharding)
		return f.result(inner, false, err)
	case f.parent != nil || !f.builder.backend.apart[at]:
		inner, err := f.inner.Parameter(name, f.whole(shape), sharding)
		return f.result(inner, true, err)
	}

	parts := make([]compute.Value, f.n)
	for i := range parts {
		part, err := f.inner.Parameter(fmt.Sprintf("%s_%d", name, i), shape, sharding)
		if err != nil {
			return nil, err
		}
		if parts[i], err = f.inner.Reshape(part, append([]int{1}, shape.Dimensions...)...); err != nil {
			return nil, err
		}
	}
	inner, err := f.inner.Concatenate(0, parts...)
	return f.result(inner, true, err)
}

func (f *function) Constant(flat any, dims ...int) (compute.Value, error) {
	inner, err := f.inner.Constant(flat, dims...)
	return f.result(inner, false, err)
}

// state returns values as functions and loops take and return them: counts and conditions as they
// are, and everything else with the leading axis.
func (f *function) state(values []compute.Value) (list []compute.Value, err error) {
	for _, v := range values {
		v := v.(*value)
		inner, common := v.inner, isCommon(v.shape) || v.shape.DType == dtypes.Bool
		switch {
		case !common:
			inner, err = f.stack(v)
		case v.stacked:
			err = errors.Errorf("a count or a condition differs between calls")
		}
		if err != nil {
			return nil, err
		}
		list = append(list, inner)
	}
	return list, nil
}

func (f *function) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	list, err := f.state(outputs)
	if err != nil {
		return err
	}
	if f.parent == nil {
		whole := list
		list = nil
		for o, all := range whole {
			if o >= f.builder.backend.kept {
				list = append(list, all)
				continue
			}
			shape := outputs[o].(*value).shape
			limits := f.whole(shape).Dimensions
			for i := range f.n {
				starts := make([]int, len(limits))
				starts[0], limits[0] = i, i+1
				part, err := f.inner.Slice(all, starts, slices.Clone(limits), nil)
				if err == nil {
					part, err = f.inner.Reshape(part, shape.Dimensions...)
				}
				if err != nil {
					return err
				}
				list = append(list, part)
			}
		}
	}
	return f.inner.Return(list, shardings)
}

func (f *function) While(cond, body compute.Function, initial ...compute.Value) ([]compute.Value, error) {
	state, err := f.state(initial)
	if err != nil {
		return nil, err
	}
	out, err := f.inner.While(cond.(*function).inner, body.(*function).inner, state...)
	if err != nil {
		return nil, err
	}
	list := make([]compute.Value, len(out))
	for i, o := range out {
		if list[i], err = f.result(o, !isCommon(initial[i].(*value).shape), nil); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (f *function) Where(condition, yes, no compute.Value) (compute.Value, error) {
	list, stacked, err := f.together(condition, yes, no)
	if err != nil {
		return nil, err
	}
	for i, o := range []compute.Value{condition, yes, no} {
		s := o.(*value).shape
		to := yes.(*value).shape
		for _, other := range []compute.Value{condition, no} {
			if other.(*value).shape.Rank() > to.Rank() {
				to = other.(*value).shape
			}
		}
		if stacked && s.Rank() < to.Rank() {
			if list[i], err = f.inner.BroadcastInDim(list[i], shapes.Make(s.DType, f.whole(to).Dimensions...), []int{0}); err != nil {
				return nil, err
			}
		}
	}
	inner, err := f.inner.Where(list[0], list[1], list[2])
	return f.result(inner, stacked, err)
}

func (f *function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
	inner, err := f.inner.Iota(shape, axis)
	return f.result(inner, false, err)
}

func (f *function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	v := x.(*value)
	if v.stacked {
		dims = append([]int{f.n}, dims...)
	}
	inner, err := f.inner.Reshape(v.inner, dims...)
	return f.result(inner, v.stacked, err)
}

func (f *function) Transpose(x compute.Value, permutation ...int) (compute.Value, error) {
	v := x.(*value)
	if v.stacked {
		permutation = append([]int{0}, after(permutation)...)
	}
	inner, err := f.inner.Transpose(v.inner, permutation...)
	return f.result(inner, v.stacked, err)
}

func (f *function) BroadcastInDim(x compute.Value, shape shapes.Shape, axes []int) (compute.Value, error) {
	v := x.(*value)
	if v.stacked {
		shape, axes = f.whole(shape), append([]int{0}, after(axes)...)
	}
	inner, err := f.inner.BroadcastInDim(v.inner, shape, axes)
	return f.result(inner, v.stacked, err)
}

func (f *function) Slice(x compute.Value, starts, limits, strides []int) (compute.Value, error) {
	v := x.(*value)
	if v.stacked {
		starts, limits = append([]int{0}, starts...), append([]int{f.n}, limits...)
		if len(strides) > 0 {
			strides = append([]int{1}, strides...)
		}
	}
	inner, err := f.inner.Slice(v.inner, starts, limits, strides)
	return f.result(inner, v.stacked, err)
}

func (f *function) Pad(x, fill compute.Value, axes ...compute.PadAxis) (compute.Value, error) {
	v, with := x.(*value), fill.(*value)
	if with.stacked {
		return nil, errors.Errorf("padding differs between calls")
	}
	if v.stacked {
		axes = append([]compute.PadAxis{{}}, axes...)
	}
	inner, err := f.inner.Pad(v.inner, with.inner, axes...)
	return f.result(inner, v.stacked, err)
}

func (f *function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	list, stacked, err := f.together(operands...)
	if err != nil {
		return nil, err
	}
	inner, err := f.inner.Concatenate(moved(stacked, []int{axis})[0], list...)
	return f.result(inner, stacked, err)
}

// place returns a common position, with the leading axis where calls are stacked.
func (f *function) place(stacked bool, indices []compute.Value) (list []compute.Value, err error) {
	if stacked {
		zero, err := f.inner.Constant([]int32{0})
		if err != nil {
			return nil, err
		}
		list = append(list, zero)
	}
	for _, i := range indices {
		if i.(*value).stacked {
			return nil, errors.Errorf("a position differs between calls")
		}
		list = append(list, i.(*value).inner)
	}
	return list, nil
}

func (f *function) DynamicSlice(x compute.Value, start []compute.Value, dims []int) (compute.Value, error) {
	v := x.(*value)
	at, err := f.place(v.stacked, start)
	if err != nil {
		return nil, err
	}
	if v.stacked {
		dims = append([]int{f.n}, dims...)
	}
	inner, err := f.inner.DynamicSlice(v.inner, at, dims)
	return f.result(inner, v.stacked, err)
}

func (f *function) DynamicUpdateSlice(x, update compute.Value, start []compute.Value) (compute.Value, error) {
	list, stacked, err := f.together(x, update)
	if err != nil {
		return nil, err
	}
	at, err := f.place(stacked, start)
	if err != nil {
		return nil, err
	}
	inner, err := f.inner.DynamicUpdateSlice(list[0], list[1], at)
	return f.result(inner, stacked, err)
}

// Gather numbers the calls and takes from each what its own indices say.
func (f *function) Gather(x, indices compute.Value, vector int, offset, collapsed, indexMap, sizes []int, sorted bool) (compute.Value, error) {
	v, at := x.(*value), indices.(*value)
	if !v.stacked && !at.stacked {
		inner, err := f.inner.Gather(v.inner, at.inner, vector, offset, collapsed, indexMap, sizes, sorted)
		return f.result(inner, false, err)
	}
	list, _, err := f.together(x, indices)
	if err != nil {
		return nil, err
	}
	shape := f.whole(at.shape)
	if vector == at.shape.Rank() { // indices are scalars: they get an axis
		shape.Dimensions = append(shape.Dimensions, 1)
		if list[1], err = f.inner.Reshape(list[1], shape.Dimensions...); err != nil {
			return nil, err
		}
	}
	vector++
	numbers := shape.Clone()
	numbers.Dimensions[vector] = 1
	number, err := f.inner.Iota(numbers, 0)
	if err != nil {
		return nil, err
	}
	all, err := f.inner.Concatenate(vector, number, list[1])
	if err != nil {
		return nil, err
	}
	inner, err := f.inner.Gather(list[0], all, vector, after(offset), append([]int{0}, after(collapsed)...),
		append([]int{0}, after(indexMap)...), append([]int{1}, sizes...), false)
	return f.result(inner, true, err)
}

func (f *function) DotGeneral(l compute.Value, lContract, lBatch []int, r compute.Value, rContract, rBatch []int,
	c compute.DotGeneralConfig) (compute.Value, error) {
	list, stacked, err := f.together(l, r)
	if err != nil {
		return nil, err
	}
	if stacked {
		lContract, rContract = after(lContract), after(rContract)
		lBatch, rBatch = append([]int{0}, after(lBatch)...), append([]int{0}, after(rBatch)...)
	}
	inner, err := f.inner.DotGeneral(list[0], lContract, lBatch, list[1], rContract, rBatch, c)
	return f.result(inner, stacked, err)
}

// reduce reduces axes; none means all of a call's.
func (f *function) reduce(x compute.Value, axes []int, op func(compute.Value, ...int) (compute.Value, error)) (compute.Value, error) {
	v := x.(*value)
	if len(axes) == 0 {
		axes = upTo(v.shape.Rank())
	}
	if len(axes) == 0 {
		return x, nil
	}
	inner, err := op(v.inner, moved(v.stacked, axes)...)
	return f.result(inner, v.stacked, err)
}

func (f *function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(x, axes, f.inner.ReduceSum)
}

func (f *function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(x, axes, f.inner.ReduceMax)
}

func (f *function) ReduceMin(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(x, axes, f.inner.ReduceMin)
}

func (f *function) ArgMinMax(x compute.Value, axis int, dtype dtypes.DType, isMin bool) (compute.Value, error) {
	v := x.(*value)
	inner, err := f.inner.ArgMinMax(v.inner, moved(v.stacked, []int{axis})[0], dtype, isMin)
	return f.result(inner, v.stacked, err)
}
