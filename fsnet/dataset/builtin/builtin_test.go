package builtin

import (
	"bytes"
	"testing"
)

func TestUnpackRefusesDamage(t *testing.T) {
	whole, err := files.ReadFile("ALLAML.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(bytes.NewReader(whole)); err != nil {
		t.Error(err)
	}
	for _, cut := range []int{0, 5, 1000, len(whole) / 2, len(whole) - 1} {
		if _, err := unpack(bytes.NewReader(whole[:cut])); err == nil {
			t.Errorf("%d bytes of %d were unpacked", cut, len(whole))
		}
	}
}
