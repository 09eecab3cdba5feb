package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// The metadata keys of the checksums. They cover the whole file. If a program
// changes a tensor or a string but keeps the old checksums, Read rejects the
// file.
const (
	checksumKey         = "sha256"          // of all bytes after the header
	metadataChecksumKey = "sha256_metadata" // of all strings except these two
)

// isChecksum reports whether a key of the metadata holds a checksum.
func isChecksum(key string) bool { return key == checksumKey || key == metadataChecksumKey }

// checksum returns the SHA-256 of data in hexadecimal.
func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// metadataChecksum hashes the length and the bytes of every key and value,
// sorted by key. So it does not depend on how the JSON is written.
func metadataChecksum(metadata map[string]string) string {
	var text []byte
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if isChecksum(key) {
			continue
		}
		for _, part := range []string{key, metadata[key]} {
			text = binary.LittleEndian.AppendUint64(text, uint64(len(part)))
			text = append(text, part...)
		}
	}
	return checksum(text)
}

// verify compares the checksums in the metadata with the content of the file,
// and removes them from the metadata.
func (f *File) verify(data []byte) error {
	f.Checked = true
	for key, got := range map[string]string{checksumKey: checksum(data), metadataChecksumKey: metadataChecksum(f.Metadata)} {
		if want, ok := f.Metadata[key]; !ok {
			f.Checked = false
		} else if want != got {
			return damagedError(f.Path, "it was changed after it was written: %s is %.64q in its metadata and %s for what is there", key, want, got)
		}
	}
	maps.DeleteFunc(f.Metadata, func(key, _ string) bool { return isChecksum(key) })
	return nil
}
