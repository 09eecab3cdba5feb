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

// Looks counts the looks at some test rows that were made in a directory, in
// any session or command.
type Looks struct {
	Times    int // number of looks
	Settings int // number of different settings that were looked at
}

// look is a line in the file of looks.
type look struct {
	Rows     string `json:"rows"`     // a hash of the rows, see [dataset.Dataset.RowsHash]
	Settings string `json:"settings"` // a text that tells them from others
}

// looksFile is the name of the file of looks, which is next to the runs of a
// directory.
const looksFile = "looks"

// Look records a look at test rows with settings, given by their hashes, and returns all looks at
// these rows in the directory.
func Look(directory, rows, settings string) (Looks, error) {
	if err := RecordLook(directory, rows, settings); err != nil {
		return Looks{}, err
	}
	return CountLooks(directory, rows)
}

// RecordLook records a look at test rows, given by [dataset.Dataset.RowsHash], with settings, given
// by a text that tells them apart. The file is beside the directory's runs: .fsnet/looks, or in the
// user's state folder if the directory is not writable.
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

// appendLook appends a line to the file of looks of a place. Because the
// line is short and the file is opened for appending, lines of other
// processes cannot get into it.
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

// looksAt returns the file of looks of a place of runs. elsewhere says that
// the place is in the user's state folder, which also has the runs of other
// directories.
func looksAt(place string, elsewhere bool) string {
	if elsewhere {
		return place + "." + looksFile
	}
	return filepath.Join(filepath.Dir(place), looksFile)
}

// CountLooks counts the looks at some rows in a directory. It skips lines that cannot be read.
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

// sameRows reports whether two hashes of [dataset.Dataset.RowsHash] have a part of 16 digits in
// common.
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
