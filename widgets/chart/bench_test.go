package chart

import "testing"

func BenchmarkMatrix(b *testing.B) {
	m := sampleMatrix(10, 40, 0.6)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Matrix(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatrixLarge(b *testing.B) {
	m := sampleMatrix(50, 100, 0.6)
	for b.Loop() {
		if _, err := Matrix(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCurves(b *testing.B) {
	h := sampleHistory(400)
	for b.Loop() {
		if _, err := Curves(h); err != nil {
			b.Fatal(err)
		}
	}
}
