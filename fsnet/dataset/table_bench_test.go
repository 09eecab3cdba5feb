package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// tableText is a table as pandas writes one: measurements with six digits.
func tableText(rows, columns int, separator string) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	text.WriteString("sample")
	for j := range columns {
		fmt.Fprintf(&text, "%sgene_%d", separator, j)
	}
	text.WriteString(separator + "label\n")
	for i := range rows {
		fmt.Fprintf(&text, "s%d", i)
		for range columns {
			fmt.Fprintf(&text, "%s%.6g", separator, random.NormFloat64()*3)
		}
		fmt.Fprintf(&text, "%sclass %d\n", separator, i%3)
	}
	return text.Bytes()
}

func BenchmarkTable(b *testing.B) {
	content := tableText(200, 5000, ",")
	s := settings(b)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		r, err := parsed("a.csv", ".csv", content, s)
		if err != nil || len(r.X) != 200*5000 {
			b.Fatal(err)
		}
	}
}
