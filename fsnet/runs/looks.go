package runs

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/errs"
)

// Looks counts how often some test rows were looked at in a working directory,
// in any session or command.
type Looks struct {
	Times    int // number of looks
	Settings int // number of different settings that were looked at
}

// look is a line of the file of looks.
type look struct {
	Rows     string `json:"rows"`     // a hash of the rows, see [dataset.Dataset.RowsHash]
	Settings string `json:"settings"` // a text that identifies the settings
}

// looksFile is the name of the file of looks. It is next to the runs of a
// directory.
const looksFile = "looks"

// Look records a look at test rows and then counts all looks at them in the
// directory. The arguments are those of [RecordLook].
func Look(directory, rows, settings string) (Looks, error) {
	if err := RecordLook(directory, rows, settings); err != nil {
		return Looks{}, err
	}
	return CountLooks(directory, rows)
}

// RecordLook records a look at test rows in the file of looks. rows is their
// [dataset.Dataset.RowsHash], and settings is a text that identifies the
// settings of the look. The file is .fsnet/looks in the directory. If that is
// not writable, it is in the user's state folder.
func RecordLook(directory, rows, settings string) error {
	places, err := placesOf(directory)
	if err != nil {
		return err
	}
	line, err := json.Marshal(look{rows, settings})
	if err != nil {
		return errs.Wrap(err, errs.Failed, "", "a look")
	}

	for i, place := range places {
		err = appendLook(place, i > 0, append(line, '\n'))
		if err == nil || !notWritable(err) {
			break
		}
	}

	if err != nil {
		return errs.NotWritten(err)
	}
	return nil
}

// appendLook appends a line to the file of looks of a place. The line is short
// and the file is opened for appending, so lines of several processes don't
// mix.
func appendLook(place string, elsewhere bool, line []byte) error {
	if _, err := create(place, ""); err != nil {
		return err
	}
	file, err := os.OpenFile(looksAt(place, elsewhere), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
}

// looksAt returns the path of the file of looks for a place of runs. elsewhere
// says that the place is in the user's state folder, with the runs of other
// directories.
func looksAt(place string, elsewhere bool) string {
	if elsewhere {
		return place + "." + looksFile
	}
	return filepath.Join(filepath.Dir(place), looksFile)
}

// CountLooks counts the looks at rows, given by their hash, in a directory. It
// skips lines that cannot be read.
func CountLooks(directory, rows string) (l Looks, _ error) {
	places, err := placesOf(directory)
	if err != nil {
		return l, err
	}
	settings := map[string]bool{}
	for i, place := range places {
		file, err := os.Open(looksAt(place, i > 0))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Looks{}, errs.Wrap(err, errs.Failed, "", "the looks at test rows")
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var entry look
			if json.Unmarshal(lines.Bytes(), &entry) == nil && sameRows(entry.Rows, rows) {
				l.Times++
				settings[entry.Settings] = true
			}
		}
	}
	l.Settings = len(settings)
	return l, nil
}

// sameRows reports whether two hashes of [dataset.Dataset.RowsHash] belong to
// the same rows: they do if they have a part of 16 digits in common.
func sameRows(a, b string) bool {
	const digits = 16
	for i := 0; i+digits <= len(a); i += digits {
		for j := 0; j+digits <= len(b); j += digits {
			if a[i:i+digits] == b[j:j+digits] {
				return true
			}
		}
	}
	return a == b
}
