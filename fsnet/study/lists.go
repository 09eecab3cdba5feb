package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// identityHash is sixteen digits of a hash over all fields of an identity, which are texts and numbers.
func identityHash(identity any) string {
	text, err := json.Marshal(identity)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// listJSON writes an object whose last field is a list, with each item on a line of its own. object has that list empty.
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

// partOf is where part i of n, from 1, of a list of items begins and ends; each item is in one part.
// It is not ok where there is no such part.
func partOf(i, n, items int) (from, to int, ok bool) {
	const most = 1_000_000 // more than there are machines, and few enough to multiply by
	if i < 1 || i > n || n > most {
		return 0, 0, false
	}
	return (i - 1) * items / n, i * items / n, true
}

// rejoined puts the parts of a list together again that were separated at a comma inside a value: those that go on what came before.
func rejoined(parts []string, goesOn func(before, part string) bool) []string {
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
