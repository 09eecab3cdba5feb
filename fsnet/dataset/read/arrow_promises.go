package read

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Places in Arrow's tables (format/Message.fbs, Schema.fbs and File.fbs): 4 + 2 × the number of the field.
const (
	messageHeader             = 8
	footerSchema              = 6
	schemaFields, schemaAbout = 6, 8
	fieldChildren, fieldAbout = 14, 16
)

// checkPromises refuses a file whose schema has a list that claims more entries than its bytes could hold. arrow-go makes room for all of
// them before it reads the first, and memory that cannot be had ends the process.
func checkPromises(from io.ReaderAt, size int64) error {
	head := make([]byte, 8)
	if _, err := from.ReadAt(head, 0); err != nil {
		return err
	}
	if string(head[:len(arrowMagic)]) == arrowMagic { // the schema is in the footer, whose length is before the last mark
		tail := make([]byte, 4+len(arrowMagic))
		end := size - int64(len(tail))
		if _, err := from.ReadAt(tail, end); err != nil {
			return err
		}
		length := int64(int32(binary.LittleEndian.Uint32(tail)))
		return checkRoot(from, end-length, length, end, footerSchema)
	}
	at, length := int64(8), int64(int32(binary.LittleEndian.Uint32(head[4:]))) // the first message of a stream
	if binary.LittleEndian.Uint32(head) != 1<<32-1 {                           // the mark before the length is missing in old files
		at, length = 4, int64(int32(binary.LittleEndian.Uint32(head)))
	}
	return checkRoot(from, at, length, size-at, messageHeader)
}

// checkRoot checks the schema at a place in the root of a flatbuffer.
func checkRoot(from io.ReaderAt, at, length, most int64, place flatbuffers.VOffsetT) error {
	if length < 4 || length > most {
		return fmt.Errorf("its schema claims to have %d bytes", length)
	}
	root := flatbuffers.Table{Bytes: make([]byte, length)}
	if _, err := from.ReadAt(root.Bytes, at); err != nil {
		return err
	}
	root.Pos = flatbuffers.GetUOffsetT(root.Bytes)
	below := root.Offset(place)
	if below == 0 {
		return nil
	}
	schema := flatbuffers.Table{Bytes: root.Bytes, Pos: root.Indirect(root.Pos + flatbuffers.UOffsetT(below))}
	left := len(schema.Bytes) // entries of lists may share their bytes: no more of them than there are bytes
	return checkFields(schema, schemaFields, schemaAbout, &left)
}

func checkFields(t flatbuffers.Table, fields, about flatbuffers.VOffsetT, left *int) error {
	if _, err := listEntries(t, about); err != nil {
		return err
	}
	n, err := listEntries(t, fields)
	if err != nil {
		return err
	}
	if *left -= n; *left < 0 {
		return errors.New("its columns contain one another")
	}
	for i := range n {
		at := t.Vector(flatbuffers.UOffsetT(t.Offset(fields))) + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT)
		if err := checkFields(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}, fieldChildren, fieldAbout, left); err != nil {
			return err
		}
	}
	return nil
}

// listEntries is the length of a list of tables or texts.
func listEntries(t flatbuffers.Table, place flatbuffers.VOffsetT) (int, error) {
	at := t.Offset(place)
	if at == 0 {
		return 0, nil
	}
	n := t.VectorLen(flatbuffers.UOffsetT(at))
	if n < 0 || n > len(t.Bytes)/flatbuffers.SizeUOffsetT {
		return 0, fmt.Errorf("a list claims %d entries in %d bytes", n, len(t.Bytes))
	}
	return n, nil
}
