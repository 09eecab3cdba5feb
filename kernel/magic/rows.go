package magic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
)

// rows runs a command that keeps its rows in a file, so that the same line goes on: the file that the line names, else one of its own.
func (r *request) rows(ctx context.Context, flags, data []string, c computation) error {
	args, file, err := r.rowsCommand(flags, data)
	if err != nil {
		return err
	}
	c.args, c.of, c.more = args, "fit", "run the same line again to continue with "+file
	return r.compute(ctx, c)
}

// rowsCommand is the command, and the file that keeps its rows.
func (r *request) rowsCommand(flags, data []string) (args []string, file string, err error) {
	args = r.command(flags, r.optionFlags())
	if file = r.given["output"]; file == "" {
		if file, err = r.rowsFile(r.verb.name, slices.Concat(args, data)); err != nil {
			return nil, "", err
		}
	}
	// A word that begins with a dash is the name of a file, not an option.
	return slices.Concat(args, []string{"--output=" + file, "--"}, data), file, nil
}

// outputOption names the file of rows.
func outputOption(folder string) option {
	return option{name: "output", about: "a file that keeps the rows as lines of JSON, for one process at a time; running the same line again " +
		"continues from it",
		standard: "one for each line, below .fsnet/" + folder,
		complete: func(_ context.Context, i *Interpreter, typed string) []string { return i.files(typed, ".jsonl") }}
}

// rowsFile is where the rows of a line are kept that names no file: one for each line, so that the same line goes on.
func (i *Interpreter) rowsFile(folder string, args []string) (string, error) {
	sum := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	file := filepath.Join(".fsnet", folder, hex.EncodeToString(sum[:6])+".jsonl")
	directory := filepath.Join(i.options.Directory(), ".fsnet")
	err := os.MkdirAll(filepath.Join(directory, folder), 0o700)
	if err == nil {
		err = createPrivate(filepath.Join(directory, ".gitignore"), "*\n")
	}
	if err == nil {
		err = createPrivate(filepath.Join(i.options.Directory(), file), "") // the command leaves its permissions as they are
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Request, "name a file: output=FILE", "the rows cannot be kept beside the notebook")
	}
	return file, nil
}

// createPrivate makes a file for its owner alone where there is none.
func createPrivate(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}
