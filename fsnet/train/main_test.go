package train

import (
	"testing"

	"fsnetlab/tests/kit/devicetest"
)

func TestMain(m *testing.M) { devicetest.Main(m) }

// must is what a call that must not fail returns.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
