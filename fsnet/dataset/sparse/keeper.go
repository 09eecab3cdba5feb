package sparse

import (
	"bufio"
	"encoding/binary"
	"errors"
	"math"
	"os"
)

// keeper takes rows in: in memory, and where they become too many, all of them on disk.
type keeper struct {
	n, width int
	most     int64 // bytes in memory
	dir      string
	rows     Rows
	files    []*os.File // of the columns and the values, without names: they are gone when they are closed
	writers  []*bufio.Writer
	count    int
}

func newKeeper(n, width int, most int64, dir string) *keeper {
	k := &keeper{n: n, width: width, most: most, dir: dir}
	k.rows.Reset()
	return k
}

// append adds a row; rows between it and the last one are empty.
func (k *keeper) append(row int, columns []int32, values []float32) error {
	for len(k.rows.Start) <= row {
		k.rows.Start = append(k.rows.Start, k.count)
	}
	k.count += len(columns)
	if k.files == nil {
		k.rows.Append(columns, values)
		if 8*int64(k.count) <= k.most {
			return nil
		}
		return k.spill()
	}
	k.rows.Start = append(k.rows.Start, k.count)
	return k.write(columns, values)
}

// spill moves what is in memory to disk.
func (k *keeper) spill() error {
	for range 2 {
		file, err := os.CreateTemp(k.dir, "fsnet-rows-*")
		if err != nil {
			return err
		}
		k.files, k.writers = append(k.files, file), append(k.writers, bufio.NewWriterSize(file, 1<<18))
		if err := os.Remove(file.Name()); err != nil {
			return err
		}
	}
	columns, values := k.rows.Columns, k.rows.Values
	k.rows.Columns, k.rows.Values = nil, nil
	return k.write(columns, values)
}

func (k *keeper) write(columns []int32, values []float32) error {
	var word [4]byte
	for i, j := range columns {
		binary.LittleEndian.PutUint32(word[:], uint32(j))
		if _, err := k.writers[0].Write(word[:]); err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(word[:], math.Float32bits(values[i]))
		if _, err := k.writers[1].Write(word[:]); err != nil {
			return err
		}
	}
	return nil
}

// source is all that was kept.
func (k *keeper) source() (Source, error) {
	for len(k.rows.Start) <= k.n {
		k.rows.Start = append(k.rows.Start, k.count)
	}
	if k.files == nil {
		return NewMatrix(k.rows, k.width), nil
	}
	for _, w := range k.writers {
		if err := w.Flush(); err != nil {
			return nil, err
		}
	}
	array := func(file *os.File, kind Kind) Array { return Array{file, 0, kind, k.count} }
	return NewFile(k.rows.Start, k.width, array(k.files[0], Int32), array(k.files[1], Float32), closers(k.files))
}

// drop gives back what disk it took.
func (k *keeper) drop() { _ = closers(k.files).Close() }

type closers []*os.File

func (c closers) Close() error {
	var all []error
	for _, file := range c {
		all = append(all, file.Close())
	}
	return errors.Join(all...)
}
