package sparse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"fsnetlab/internal/num"
)

// Contents summarise a source. Two sources with equal hashes hold the same
// values.
type Contents struct {
	Hash    string  // SHA-256 (hex) of the nonzero values and their places
	Stored  int64   // number of nonzero values
	Missing []Place // the first missing value of each row that has one
}

// Place locates a value by row and column, both from 0.
type Place struct{ Row, Column int }

// BadValueError reports a value that no table may hold, or a column that is out
// of order.
type BadValueError struct {
	Place
	Problem string
}

func (w *BadValueError) Error() string {
	return fmt.Sprintf("row %d, column %d: %s", w.Row+1, w.Column, w.Problem)
}

// Scan reads a whole source. It returns a *[BadValueError] if the columns of a
// row do not ascend or are out of range, or if a value is infinite.
func Scan(ctx context.Context, s Source) (Contents, error) {
	n, d := s.Shape()
	var c Contents
	h := sha256.New()
	buffer := make([]byte, 0, 1<<16)
	err := blocks(ctx, s, num.Indices(n), func(first int, block *Rows) error {
		for i := range block.Len() {
			columns, values := block.Row(i)
			wrong := func(k int, problem string, args ...any) error {
				return &BadValueError{Place{first + i, int(columns[k])}, fmt.Sprintf(problem, args...)}
			}

			missing := false
			for k, x := range values {
				j := columns[k]
				switch {
				case j < 0 || int(j) >= d:
					return wrong(k, "there are %d columns", d)
				case k > 0 && columns[k-1] >= j:
					return wrong(k, "it comes after column %d", columns[k-1])
				case math.IsInf(float64(x), 0):
					return wrong(k, "the value is infinite")
				case x == 0:
					continue
				case x != x && !missing:
					missing = true
					c.Missing = append(c.Missing, Place{first + i, int(j)})
				}
				bits := math.Float32bits(x)
				if x != x {
					bits = 0x7fc00000
				}
				if len(buffer)+8 > cap(buffer) {
					h.Write(buffer)
					buffer = buffer[:0]
				}
				buffer = binary.LittleEndian.AppendUint32(buffer, uint32(j))
				buffer = binary.LittleEndian.AppendUint32(buffer, bits)
				c.Stored++
			}
			h.Write(buffer)
			buffer = binary.LittleEndian.AppendUint32(buffer[:0], math.MaxUint32) // marks the end of the row
		}
		return nil
	})

	h.Write(buffer)
	c.Hash = hex.EncodeToString(h.Sum(nil))
	return c, err
}

// Select returns the contents of selected rows and columns of the same source.
// If columns is nil, all are selected. Stored becomes an estimate: share is the
// share of the values that remain. The hash changes. Missing is kept only if
// columns is nil, because missing values are handled before columns are
// selected.
func (c Contents) Select(rows, columns []int, share float64) Contents {
	h := sha256.New()
	h.Write([]byte(c.Hash))
	now := make(map[int]int, len(rows))
	for _, list := range [][]int{rows, columns} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(list))))
		for to, i := range list {
			now[i] = to
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(i)))
		}
	}

	out := Contents{Hash: hex.EncodeToString(h.Sum(nil)), Stored: int64(share * float64(c.Stored))}
	if columns != nil {
		return out // missing values were handled before columns are selected
	}
	for _, place := range c.Missing {
		if row, ok := now[place.Row]; ok {
			out.Missing = append(out.Missing, Place{row, place.Column})
		}
	}
	return out
}

// FirstMissing returns a function that returns the column of a row's first
// missing value, or −1 if no value is missing.
func (c Contents) FirstMissing() func(row int) int {
	first := make(map[int]int, len(c.Missing))
	for _, place := range c.Missing {
		first[place.Row] = place.Column
	}
	return func(row int) int {
		if column, ok := first[row]; ok {
			return column
		}
		return -1
	}
}
