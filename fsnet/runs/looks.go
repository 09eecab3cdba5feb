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
	Rows     string `json:"rows"`     // hash of the data and the test rows
	Settings string `json:"settings"` // hash of the settings
}

// looksFile is the name of the file of looks, which is next to the runs of a
// directory.
const looksFile = "looks"

// Look records a look at test rows and returns all looks at these rows in
// the directory. rows is a hash of the data and the test rows, settings a
// hash of the settings. The file is next to the directory's runs:
// .fsnet/looks, or in the user's state folder if the directory is not
// writable.
func Look(directory, rows, settings string) (Looks, error) {
	places, err := placesOf(directory)
	if err != nil {
		return Looks{}, err
	}
	line, err := json.Marshal(look{rows, settings})
	if err != nil {
		return Looks{}, errs.Wrap(err, errs.Failed, "", "a look")
	}

	for i, place := range places {
		err = appendLook(place, i > 0, append(line, '\n'))
		if err == nil || !notWritable(err) {
			break
		}
	}

	if err != nil {
		return Looks{}, errs.NotWritten(err)
	}
	return countLooks(places, rows)
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

// countLooks counts the looks at some rows in all places of a directory. It
// skips lines that cannot be read.
func countLooks(places []string, rows string) (l Looks, _ error) {
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
			if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Rows == rows {
				l.Times++
				settings[entry.Settings] = true
			}
		}
	}
	l.Settings = len(settings)
	return l, nil
}
