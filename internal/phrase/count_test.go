package phrase

import "testing"

// A count has the right plural.
func TestCount_Plurals(t *testing.T) {
	for want, got := range map[string]string{
		"1 row": Count(1, "row"), "0 rows": Count(0, "row"), "2 test rows": Count(int64(2), "test row"),
		"1 class": Count(1, "class"), "2 classes": Count(2, "class"), "3 quantities": Count(3, "quantity"), "2 keys": Count(2, "key"),
		"5 epochs": Count(5, "epoch"), "2 branches": Count(2, "branch"), "2 batches": Count(uint64(2), "batch"), "4 processes": Count(4, "process"),
		"1 row × 2 features": Table(1, 2), "is": Be(1), "are": Be(0),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
