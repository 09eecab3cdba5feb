package count

import "testing"

func TestOf(t *testing.T) {
	for want, got := range map[string]string{
		"1 row": Of(1, "row"), "0 rows": Of(0, "row"), "2 test rows": Of(int64(2), "test row"),
		"1 class": Of(1, "class"), "2 classes": Of(2, "class"), "3 quantities": Of(3, "quantity"), "2 keys": Of(2, "key"),
		"5 epochs": Of(5, "epoch"), "2 branches": Of(2, "branch"), "2 batches": Of(uint64(2), "batch"), "4 processes": Of(4, "process"),
		"1 row × 2 features": Table(1, 2), "is": Be(1), "are": Be(0),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
