package num

import (
	"math"
	"testing"
)

// A half-precision number has the value that IEEE 754 gives it.
func TestHalf_Values(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 5.960464477539063e-08, 0x0400: 6.103515625e-05, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := FromHalf(bits); got != want {
			t.Errorf("%x is %v, want %v", bits, got, want)
		}
	}
	if x := FromHalf(0x8000); x != 0 || !math.Signbit(x) {
		t.Errorf("-0 is %v", x)
	}
	if x := FromHalf(0x7c01); x == x {
		t.Errorf("a NaN is %v", x)
	}
}
