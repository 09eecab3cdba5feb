package parse

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// FuzzNumber holds Number to strconv, bit for bit.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{
		"", "-", ".", "-.", "+1", "0", "-0", "-0.0", "1.", ".5", "-.5", "1..2", "1.2.3", "00012.50", "123456789012345", "1234567890123456",
		"0.00000000000001",
		"1.23456789012345", "-123.456", "1e5", "1_0", "0x1p-2", "NaN", "inf", "na", " 1", "1/2", "1:2", "٣", "9007199254740993",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, ok := Number(text)
		want, err := strconv.ParseFloat(text, 64)
		number := err == nil || errors.Is(err, strconv.ErrRange)
		if ok != (number || IsMissing(text)) || number && math.Float64bits(x) != math.Float64bits(want) {
			t.Errorf("%q: %v %v, want %v", text, x, ok, want)
		}
		if x, ok := parseShort(text); ok && math.Float64bits(x) != math.Float64bits(want) {
			t.Errorf("%q: %v in 64 bits, want %v", text, x, want)
		}
	})
}

// Short decimals are parsed to the same bits as by strconv, most of them in the
// fast way.
func TestNumber_ShortDecimals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shorts := 0
	for range 200_000 {
		text := strconv.FormatFloat(random.NormFloat64()*math.Pow(10, float64(random.IntN(12)-4)), 'f', random.IntN(13), 64)
		want, err := strconv.ParseFloat(text, 64)
		if x, ok := Number(text); err != nil || !ok || math.Float64bits(x) != math.Float64bits(want) {
			t.Fatalf("%q: %v %v, want %v", text, x, ok, want)
		}
		if x, ok := parseShort(text); ok {
			if shorts++; math.Float64bits(x) != math.Float64bits(want) {
				t.Fatalf("%q: %v in 64 bits, want %v", text, x, want)
			}
		}
	}
	if shorts < 100_000 {
		t.Errorf("%d of 200,000 were read in the fast way", shorts)
	}
}
