package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// identityHash returns sixteen digits of a hash over all fields of an identity, which are texts and
// numbers.
func identityHash(identity any) string {
	text, err := json.Marshal(identity)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// listJSON encodes an object whose last field is a list, with each item on its own line. In object
// that list is empty.
func listJSON[T any](object any, items []T) ([]byte, error) {
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

// partOf returns where part i of n, counted from 1, of a list of items begins and ends; each item
// is in exactly one part. ok is false if there is no such part.
func partOf(i, n, items int) (from, to int, ok bool) {
	const most = 1_000_000 // more than there are machines, and no overflow
	if i < 1 || i > n || n > most {
		return 0, 0, false
	}
	return (i - 1) * items / n, i * items / n, true
}

// rejoin joins the parts of a list that were separated at a comma inside a value: those that
// continue the part before.
func rejoin(parts []string, continues func(before, part string) bool) []string {
	var list []string
	for _, part := range parts {
		if n := len(list); n > 0 && continues(list[n-1], part) {
			list[n-1] += "," + part
		} else {
			list = append(list, part)
		}
	}
	return list
}
