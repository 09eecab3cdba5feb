package dataset

import (
	"cmp"
	"fmt"

	"fsnetlab/fsnet/config"
)

// ConstraintFiles are hashes of what the files say that settings name, by the key that names each. Two of one name need not say the same.
type ConstraintFiles map[string]string

// ConstraintKeys are those that name features, and may name a file of them.
func ConstraintKeys() []string { return []string{"must", "never", "cost", "feature_groups"} }

// ConstraintFilesOf reads the files that settings name, relative to a directory; nil where they name none.
func ConstraintFilesOf(s config.Settings, dir string) (ConstraintFiles, error) {
	var files ConstraintFiles
	for _, key := range ConstraintKeys() {
		text := s.Text(key)
		if text == "" {
			continue
		}
		hash, err := HashFeatureList(key, text, dir)
		if err != nil {
			return nil, err
		}
		if hash == "" {
			continue
		}
		if files == nil {
			files = ConstraintFiles{}
		}
		files[key] = hash
	}
	return files, nil
}

// mark is the name of the setting that says what the file of a key says.
func mark(key string) string { return key + "_hash" }

// Marks are the hashes as settings in the identity of a result, such as must_hash=0123456789ab, which follows from the content of the files.
func (f ConstraintFiles) Marks() (list []string) {
	for _, key := range ConstraintKeys() {
		if f[key] != "" {
			list = append(list, mark(key)+"="+f[key])
		}
	}
	return list
}

// Changed says in words which file, of the first key that names one, does not say now what it said then; "" where all do.
func (f ConstraintFiles) Changed(now ConstraintFiles, s config.Settings) string {
	for _, key := range ConstraintKeys() {
		if f[key] != now[key] {
			return fmt.Sprintf("%s (%s) has changed: %s", s.Text(key), key, hashes(f[key], now[key]))
		}
	}
	return ""
}

// MarksDiffer says the same of the settings of two results, by name, which hold Marks beside the keys.
func MarksDiffer(then, now map[string]string) string {
	for _, key := range ConstraintKeys() {
		if a, b := then[mark(key)], now[mark(key)]; a != b && then[key] == now[key] {
			return fmt.Sprintf("made with another content of %s (%s): %s", then[key], key, hashes(a, b))
		}
	}
	return ""
}

func hashes(then, now string) string {
	return fmt.Sprintf("its hash was %s, and is now %s", cmp.Or(then, "not recorded"), cmp.Or(now, "that of no file"))
}
