// Package listed writes an object with a long list in lines that a person can read, as plans and their cells are.
//
// [JSON] puts each item of the last field on a line of its own. [ID] is a short hash of an item's fields, by which it is known in another
// run. [Part] divides a list for those who work on it side by side. [Joined] makes one item of what a comma in it divided.
package listed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// ID is sixteen digits of a hash over all fields of an identity, which are texts and numbers.
func ID(identity any) string {
	text, err := json.Marshal(identity)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// JSON is an object whose last field is a list, with an item a line. Object is that with the list empty, as encoding/json writes it.
func JSON[T any](object any, items []T) ([]byte, error) {
	text, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(bytes.TrimSuffix(text, []byte("]\n}")))
	for i, item := range items {
		line, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(line)
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes(), nil
}

// Part is where part i of n, from 1, of a list of items begins and ends; each item is in one part.
// It is not ok where there is no such part.
func Part(i, n, items int) (from, to int, ok bool) {
	const most = 1_000_000 // more than there are machines, and few enough to multiply by
	if i < 1 || i > n || n > most {
		return 0, 0, false
	}
	return (i - 1) * items / n, i * items / n, true
}

// Joined puts the parts of a list together again that were separated at a comma inside a value: those that go on what came before.
func Joined(parts []string, goesOn func(before, part string) bool) []string {
	var list []string
	for _, part := range parts {
		if n := len(list); n > 0 && goesOn(list[n-1], part) {
			list[n-1] += "," + part
		} else {
			list = append(list, part)
		}
	}
	return list
}
