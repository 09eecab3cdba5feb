package xlaplugin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// UserFlags returns the flags in XLA_FLAGS. If the value does not begin with a
// dash, it is the name of a file with the flags, as for XLA.
func UserFlags(value string) (string, error) {
	trimmed := strings.TrimSpace(value)
	if trimmed == "" || strings.HasPrefix(trimmed, "-") {
		return trimmed, nil
	}
	text, err := os.ReadFile(trimmed)
	if err != nil {
		return "", fmt.Errorf("XLA_FLAGS names a file of flags: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// MergeFlags appends our flags to the user's. If the user set one of them, the
// user's value wins. If the values differ, overridden lists the user's flag.
func MergeFlags(user string, ours []string) (merged string, overridden []string) {
	set := map[string]string{}
	for _, flag := range strings.Fields(user) {
		set[nameOf(flag)] = flag
	}
	var added []string
	for _, flag := range ours {
		theirs, ok := set[nameOf(flag)]
		if !ok {
			added = append(added, flag)
		} else if theirs != flag {
			overridden = append(overridden, theirs)
		}
	}
	return strings.TrimSpace(user + " " + strings.Join(added, " ")), overridden
}

// nameOf returns the name of a flag: the part before the equals sign, without
// dashes.
func nameOf(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return strings.TrimLeft(name, "-")
}

// KnownFlags returns the flags that a plugin knows. It searches for them in the
// bytes of the plugin, because XLA aborts the process if it does not know a
// flag.
func KnownFlags(plugin io.Reader, flags []string) ([]string, error) {
	const overlap = 256 // longer than any name
	found := make([]bool, len(flags))
	buffer := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := io.ReadFull(plugin, buffer[kept:])
		block := buffer[:kept+n]
		for i, flag := range flags {
			found[i] = found[i] || bytes.Contains(block, []byte("\x00"+nameOf(flag)+"\x00"))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || !slices.Contains(found, false) {
			break
		}
		if err != nil {
			return nil, err
		}
		kept = copy(buffer, block[len(block)-overlap:])
	}
	var known []string
	for i, flag := range flags {
		if found[i] {
			known = append(known, flag)
		}
	}
	return known, nil
}
