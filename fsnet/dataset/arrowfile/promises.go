package arrowfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Places of the lists in Arrow's tables (format/Message.fbs, Schema.fbs and File.fbs): 4 + 2 × the number of the field.
const (
	messageKind, messageHeader, messageBody, messageAbout = 6, 8, 10, 12
	schemaFields, schemaAbout                             = 6, 8
	fieldChildren, fieldAbout                             = 14, 16
	footerSchema, footerDictionaries, footerBatches       = 6, 8, 10
)

const (
	schemaMessage = 1
	blockBytes    = 24 // of what a footer says of a message: offset, length of its head, length of its body
)

// checkPromises refuses a file in which a list of names claims more entries than its bytes could hold. arrow-go makes room for all of them
// before it reads the first, and memory that cannot be had ends the process.
func checkPromises(from io.ReaderAt, size int64) error {
	head := make([]byte, len(fileMagic))
	if _, err := from.ReadAt(head, 0); err != nil {
		return err
	}
	if string(head) == fileMagic {
		return checkFile(from, size)
	}
	for at := int64(0); at < size; {
		next, err := checkMessage(from, at, size)
		if err != nil {
			return err
		}
		if next == at {
			return nil
		}
		at = next
	}
	return nil
}

// checkFile goes by the footer, as arrow-go does.
func checkFile(from io.ReaderAt, size int64) error {
	tail := make([]byte, 4+len(fileMagic))
	if size < int64(len(tail)) {
		return io.ErrUnexpectedEOF
	}
	end := size - int64(len(tail))
	if _, err := from.ReadAt(tail, end); err != nil {
		return err
	}
	length := int64(int32(binary.LittleEndian.Uint32(tail)))
	if length < 4 || length > end {
		return fmt.Errorf("its footer claims to have %d bytes", length)
	}
	footer, err := tableAt(from, end-length, length)
	if err != nil {
		return err
	}
	if schema, ok := below(footer, footerSchema); ok {
		if err := checkSchema(schema); err != nil {
			return err
		}
	}
	for _, list := range []flatbuffers.VOffsetT{footerDictionaries, footerBatches} {
		n, err := entries(footer, list, blockBytes)
		if err != nil {
			return err
		}
		for i := range n {
			block := footer.Vector(flatbuffers.UOffsetT(footer.Offset(list))) + flatbuffers.UOffsetT(i*blockBytes)
			if _, err := checkMessage(from, footer.GetInt64(block), size); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMessage looks at the message there and says where the next one of a stream begins, or at itself at the end.
func checkMessage(from io.ReaderAt, at, size int64) (next int64, err error) {
	start, word := at, make([]byte, 4)
	for {
		if at < 0 || at > size-4 {
			return 0, io.ErrUnexpectedEOF
		}
		if _, err := from.ReadAt(word, at); err != nil {
			return 0, err
		}
		at += 4
		if at > start+4 || binary.LittleEndian.Uint32(word) != 1<<32-1 { // the mark before the length is missing in old files
			break
		}
	}
	length := int64(int32(binary.LittleEndian.Uint32(word)))
	if length == 0 {
		return start, nil
	}
	if length < 4 || length > size-at {
		return 0, fmt.Errorf("a message claims to have %d bytes", length)
	}
	message, err := tableAt(from, at, length)
	if err != nil {
		return 0, err
	}
	if _, err := entries(message, messageAbout, flatbuffers.SizeUOffsetT); err != nil {
		return 0, err
	}
	if header, ok := below(message, messageHeader); ok && message.GetByteSlot(messageKind, 0) == schemaMessage {
		if err := checkSchema(header); err != nil {
			return 0, err
		}
	}
	body := message.GetInt64Slot(messageBody, 0)
	if body < 0 || body > size-at-length {
		return 0, fmt.Errorf("a message's body claims to have %d bytes", body)
	}
	return at + length + body, nil
}

func checkSchema(schema flatbuffers.Table) error {
	left := len(schema.Bytes) // entries of lists may share their bytes: no more of them than there are bytes
	return checkFields(schema, schemaFields, schemaAbout, &left)
}

func checkFields(t flatbuffers.Table, fields, about flatbuffers.VOffsetT, left *int) error {
	if _, err := entries(t, about, flatbuffers.SizeUOffsetT); err != nil {
		return err
	}
	n, err := entries(t, fields, flatbuffers.SizeUOffsetT)
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

// tableAt reads the root of a flatbuffer.
func tableAt(from io.ReaderAt, at, length int64) (flatbuffers.Table, error) {
	bytes := make([]byte, length)
	if _, err := from.ReadAt(bytes, at); err != nil {
		return flatbuffers.Table{}, err
	}
	return flatbuffers.Table{Bytes: bytes, Pos: flatbuffers.GetUOffsetT(bytes)}, nil
}

// below is the table at a place of another one.
func below(t flatbuffers.Table, place flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	at := t.Offset(place)
	if at == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(at))}, true
}

// entries is the length of a list, whose entries take so many bytes each.
func entries(t flatbuffers.Table, place flatbuffers.VOffsetT, bytes int) (int, error) {
	at := t.Offset(place)
	if at == 0 {
		return 0, nil
	}
	n := t.VectorLen(flatbuffers.UOffsetT(at))
	if n < 0 || n > len(t.Bytes)/bytes {
		return 0, fmt.Errorf("a list claims %d entries in %d bytes", n, len(t.Bytes))
	}
	return n, nil
}
