package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/flock"
)

const (
	downloadAttempts = 3                // that bring nothing new, one after the other
	downloadSilence  = 30 * time.Second // after which a server is given up
	largestDownload  = 1 << 30          // bytes: no file of the collection is nearly as large
)

// get puts the file into a folder: one that is at hand and whole is copied, else it is downloaded from below an address. It becomes visible
// under its name only when it is whole and its hash is right. What is there already and right is left alone.
func (e collected) get(ctx context.Context, into, from string, folders []string) (path, how string, err error) {
	path = filepath.Join(into, e.files()[0])
	switch _, err := os.Lstat(path); {
	case err == nil:
		return path, "is there already", e.readable(path)
	case !errors.Is(err, os.ErrNotExist):
		return "", "", notWritten(path, err)
	}
	for _, dir := range folders {
		there := e.at([]string{dir})
		if there == "" || e.readable(there) != nil { // another folder, or the network, may have a whole one
			continue
		}
		content, err := os.ReadFile(there)
		if err == nil {
			err = atomicfile.Write(path, content)
		}
		if err != nil {
			return "", "", notWritten(path, err)
		}
		return path, "copied from " + there, e.readable(path)
	}
	if e.path == "" {
		return "", "", fault.New(fault.NotFound, fmt.Sprintf("put %s into $FSNET_DATA", e.files()[0]),
			"%s is not on this machine, and no public address is known for it", e.Name)
	}
	return path, "downloaded from " + from + e.path, e.download(ctx, path, from+e.path)
}

// readable is check, where a file that cannot be read is the user's to mend.
func (e collected) readable(path string) error {
	err := e.check(path)
	if known := (*fault.Error)(nil); errors.As(err, &known) {
		return err
	}
	return fault.With(err, fault.Request, "check the file and its permissions")
}

func notWritten(path string, err error) error {
	return fault.Wrap(atomicfile.Reason(err), fault.Failed, "free some space, make the folder writable, or name another one with --to",
		"%s cannot be written", path)
}

// download brings the file from an address. What a broken connection leaves stays beside the path, as .NAME.part, and the next attempt, of
// this process or another, goes on where it ends.
func (e collected) download(ctx context.Context, path, address string) error {
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return notWritten(path, err)
	}
	defer f.Close()
	if errors.Is(flock.Exclusive(f), flock.ErrHeld) { // a file system without locks downloads without
		return fault.New(fault.Busy, "wait for it", "another process is downloading %s", path)
	}
	for failed := 0; ; {
		before, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			return notWritten(path, err)
		}
		err = e.rest(ctx, f, path, address)
		if err == nil {
			break
		}
		after, _ := f.Seek(0, io.SeekEnd)
		if failed++; after > before {
			failed = 0
		}
		if ctx.Err() != nil {
			return fault.New(fault.Interrupted, "", "interrupted with %d bytes of %s; the next fsnet data get continues from there", after, e.Name)
		}
		var refused *fault.Error
		if errors.As(err, &refused) {
			if after == 0 {
				os.Remove(part)
			}
			return refused
		}
		if failed >= downloadAttempts {
			if after == 0 {
				os.Remove(part)
			}
			if request := (*url.Error)(nil); errors.As(err, &request) {
				err = request.Err // without the address, which is said anyway
			}
			return fault.Wrap(err, fault.Unavailable, "run it again, and it continues from there", "%s broke off after %d bytes", address, after)
		}
	}
	if err := e.check(part); err != nil {
		size, _ := f.Seek(0, io.SeekEnd)
		os.Remove(part)
		return fault.New(fault.Failed, "the download was removed; try again, or name another address with --from",
			"%s has other content than %s (%d bytes, expected %s)", address, e.Name, size, e.known())
	}
	if err := f.Sync(); err != nil {
		return notWritten(path, err)
	}
	if err := os.Rename(part, path); err != nil {
		return notWritten(path, err)
	}
	return nil
}

// rest appends what a file does not have yet. An error of kind Failed or Unavailable will be the same next time; any other may not.
// Whoever asks for data by name leads here, and most find them in a folder.
func (e collected) rest(ctx context.Context, f *os.File, path, address string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(downloadSilence, cancel)
	defer timer.Stop()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return notWritten(path, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fault.With(err, fault.Request, "give an address with --from")
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	again := func() error { // from the beginning
		have = 0
		return f.Truncate(0)
	}
	switch answer.StatusCode {
	case http.StatusPartialContent:
		var first int64
		if _, err := fmt.Sscanf(answer.Header.Get("Content-Range"), "bytes %d-", &first); err != nil || first != have {
			sent := fmt.Errorf("it answered %q to a request for the bytes from %d", answer.Header.Get("Content-Range"), have)
			return errors.Join(sent, again())
		}
	case http.StatusOK: // it knows no ranges
		if err := again(); err != nil {
			return notWritten(path, err)
		}
	case http.StatusRequestedRangeNotSatisfiable: // all of it is here, or more
		if e.check(f.Name()) == nil {
			return nil
		}
		return errors.Join(errors.New("what an earlier download left does not match the file"), again())
	default:
		kind, remedy := fault.Unavailable, "put "+e.files()[0]+" into $FSNET_DATA, or name another place with --from"
		return fault.New(kind, remedy, "%s answers %s", address, answer.Status)
	}
	written, err := io.Copy(f, io.LimitReader(timedBody{answer.Body, timer}, largestDownload-have))
	var full *os.PathError
	switch {
	case errors.As(err, &full):
		return notWritten(path, err)
	case err != nil:
		return err
	case answer.ContentLength >= 0 && written < answer.ContentLength:
		return io.ErrUnexpectedEOF
	}
	return nil
}

// timedBody is a body whose silence ends the download.
type timedBody struct {
	io.Reader
	timer *time.Timer
}

func (a timedBody) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.timer.Reset(downloadSilence)
	return n, err
}
