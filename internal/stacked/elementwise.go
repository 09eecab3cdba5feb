package stacked

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// unary applies an operation to each number.
func (f *function) unary(x compute.Value, op func(compute.Value) (compute.Value, error)) (compute.Value, error) {
	inner, err := op(x.(*value).inner)
	return f.result(inner, x.(*value).stacked, err)
}

// binary applies an operation to each pair of numbers, after operands of other shapes are broadcast.
func (f *function) binary(l, r compute.Value, op func(l, r compute.Value) (compute.Value, error)) (compute.Value, error) {
	list, stacked, err := f.together(l, r)
	if err != nil {
		return nil, err
	}
	if stacked { // a scalar of each call is no scalar
		shape := l.(*value).shape.Clone()
		if shape.Rank() == 0 {
			shape = r.(*value).shape.Clone()
		}
		for axis := range shape.Dimensions {
			for _, o := range []compute.Value{l, r} {
				if s := o.(*value).shape; s.Rank() > 0 {
					shape.Dimensions[axis] = max(shape.Dimensions[axis], s.Dimensions[axis])
				}
			}
		}
		for i, o := range []compute.Value{l, r} {
			s := o.(*value).shape
			if slices.Equal(s.Dimensions, shape.Dimensions) {
				continue
			}
			whole := shapes.Make(s.DType, f.whole(shape).Dimensions...)
			if list[i], err = f.inner.BroadcastInDim(list[i], whole, append([]int{0}, after(upTo(s.Rank()))...)); err != nil {
				return nil, err
			}
		}
	}
	inner, err := op(list[0], list[1])
	return f.result(inner, stacked, err)
}

func (f *function) Abs(x compute.Value) (compute.Value, error)   { return f.unary(x, f.inner.Abs) }
func (f *function) Ceil(x compute.Value) (compute.Value, error)  { return f.unary(x, f.inner.Ceil) }
func (f *function) Cos(x compute.Value) (compute.Value, error)   { return f.unary(x, f.inner.Cos) }
func (f *function) Erf(x compute.Value) (compute.Value, error)   { return f.unary(x, f.inner.Erf) }
func (f *function) Exp(x compute.Value) (compute.Value, error)   { return f.unary(x, f.inner.Exp) }
func (f *function) Expm1(x compute.Value) (compute.Value, error) { return f.unary(x, f.inner.Expm1) }
func (f *function) Floor(x compute.Value) (compute.Value, error) { return f.unary(x, f.inner.Floor) }
func (f *function) IsFinite(x compute.Value) (compute.Value, error) {
	return f.unary(x, f.inner.IsFinite)
}
func (f *function) IsNaN(x compute.Value) (compute.Value, error) { return f.unary(x, f.inner.IsNaN) }
func (f *function) Log(x compute.Value) (compute.Value, error)   { return f.unary(x, f.inner.Log) }
func (f *function) Log1p(x compute.Value) (compute.Value, error) { return f.unary(x, f.inner.Log1p) }
func (f *function) LogicalNot(x compute.Value) (compute.Value, error) {
	return f.unary(x, f.inner.LogicalNot)
}
func (f *function) Logistic(x compute.Value) (compute.Value, error) {
	return f.unary(x, f.inner.Logistic)
}
func (f *function) Neg(x compute.Value) (compute.Value, error)   { return f.unary(x, f.inner.Neg) }
func (f *function) Round(x compute.Value) (compute.Value, error) { return f.unary(x, f.inner.Round) }
func (f *function) Rsqrt(x compute.Value) (compute.Value, error) { return f.unary(x, f.inner.Rsqrt) }
func (f *function) Sign(x compute.Value) (compute.Value, error)  { return f.unary(x, f.inner.Sign) }
func (f *function) Sin(x compute.Value) (compute.Value, error)   { return f.unary(x, f.inner.Sin) }
func (f *function) Sqrt(x compute.Value) (compute.Value, error)  { return f.unary(x, f.inner.Sqrt) }
func (f *function) Tanh(x compute.Value) (compute.Value, error)  { return f.unary(x, f.inner.Tanh) }

func (f *function) Identity(x compute.Value) (compute.Value, error) { return x, nil }

func (f *function) ConvertDType(x compute.Value, dtype dtypes.DType) (compute.Value, error) {
	return f.unary(x, func(x compute.Value) (compute.Value, error) { return f.inner.ConvertDType(x, dtype) })
}

func (f *function) Bitcast(x compute.Value, dtype dtypes.DType) (compute.Value, error) {
	return f.unary(x, func(x compute.Value) (compute.Value, error) { return f.inner.Bitcast(x, dtype) })
}

func (f *function) Add(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Add) }
func (f *function) BitwiseAnd(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.BitwiseAnd)
}
func (f *function) BitwiseOr(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.BitwiseOr)
}
func (f *function) BitwiseXor(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.BitwiseXor)
}
func (f *function) Div(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Div) }
func (f *function) Equal(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.Equal)
}
func (f *function) GreaterOrEqual(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.GreaterOrEqual)
}
func (f *function) GreaterThan(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.GreaterThan)
}
func (f *function) LessOrEqual(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.LessOrEqual)
}
func (f *function) LessThan(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.LessThan)
}
func (f *function) LogicalAnd(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.LogicalAnd)
}
func (f *function) LogicalOr(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.LogicalOr)
}
func (f *function) LogicalXor(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.LogicalXor)
}
func (f *function) Max(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Max) }
func (f *function) Min(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Min) }
func (f *function) Mul(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Mul) }
func (f *function) NotEqual(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.NotEqual)
}
func (f *function) Pow(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Pow) }
func (f *function) Rem(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Rem) }
func (f *function) ShiftLeft(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.ShiftLeft)
}
func (f *function) ShiftRightLogical(l, r compute.Value) (compute.Value, error) {
	return f.binary(l, r, f.inner.ShiftRightLogical)
}
func (f *function) Sub(l, r compute.Value) (compute.Value, error) { return f.binary(l, r, f.inner.Sub) }
