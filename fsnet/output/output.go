// Package output decides whether a verb may write a file. There is one rule
// for commands, notebooks and terminals. It covers every file that a user
// names or that gets a default name.
//
// # Basics
//
//	page := output.File{Flag: "--output", Path: path, Verb: "report"}
//	err := page.Check(inputs)             // before the work
//	err = page.Write(inputs, content)     // afterwards; it checks again
//
// Start with [File.Check]. A verb may write a file that is absent or empty,
// or that the same verb wrote before. It never writes a file that the
// command or its session reads. Anything else is an error of kind Request,
// and the user has to name another file.
//
// # Caveats
//
// Write marks what it writes, so that the verb can recognise it: with a
// comment at the end of HTML and SVG, a line at the end of a text, a comment
// in a PNG, or the member usermeta in JSON. If a file must not have a mark,
// as a model, its verb has a function that recognises it.
package output

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// File is a file that a verb is asked to write.
type File struct {
	Flag string // how the user names it, e.g. "--output" or "output="
	Path string // path of the file; "" if there is no file
	Verb string // the verb that writes it

	// Own reports whether the verb wrote a file. If it is nil, Write marks
	// the content, and the mark decides.
	Own func(path string) bool
}

// Check returns an error if the verb must not write the file: it is one of
// read, it cannot be written, or the verb did not write its content.
func (f File) Check(read []string) error {
	if f.Path == "" {
		return nil
	}
	if slices.ContainsFunc(read, func(other string) bool { return Same(f.Path, other) }) {
		return errs.New(errs.Request, "name another file", "%s is an input file", f)
	}
	if err := system.CheckWritable(f.Path); err != nil {
		return errs.New(errs.Request, "name a file in a directory that exists and that you may write to", "the output %s", err)
	}

	own := f.Own
	if own == nil {
		own = func(path string) bool { return hasMark(path, f.Verb) }
	}
	if info, err := os.Stat(f.Path); err == nil && info.Size() > 0 && !own(f.Path) {
		return errs.New(errs.Request, "name another file, or remove it first", "%s is there already, and %s did not write it", f, f.Verb)
	}
	return nil
}

// String returns the file as the user wrote it.
func (f File) String() string {
	if f.Flag == "" || strings.ContainsAny(f.Flag[len(f.Flag)-1:], "= ") {
		return f.Flag + f.Path
	}
	return f.Flag + " " + f.Path
}

// Write replaces the content of the file if Check still allows it. It writes
// all of the content or nothing.
func (f File) Write(read []string, content []byte) error {
	if err := f.Check(read); err != nil {
		return err
	}
	if f.Own == nil {
		content = marked(f.Path, f.Verb, content)
	}
	return errs.NotWritten(system.WriteFile(f.Path, content))
}

// Same reports whether two paths mean one file: they are equal, or they lead
// to the same file, possibly through links.
func Same(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// IsJSON returns a function that reports whether a file is a JSON object
// with these members.
func IsJSON(members ...string) func(path string) bool {
	return func(path string) bool {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		var object map[string]json.RawMessage
		if json.NewDecoder(f).Decode(&object) != nil {
			return false
		}
		return !slices.ContainsFunc(members, func(name string) bool { return object[name] == nil })
	}
}

// IsSafetensors returns a function that reports whether a file is a
// safetensors file of this format, judging by its header.
func IsSafetensors(format string) func(path string) bool {
	return func(path string) bool {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		var length [8]byte
		if _, err := io.ReadFull(f, length[:]); err != nil {
			return false
		}

		const longest = 100 << 20 // the limit of the format
		header := struct {
			Metadata struct {
				Format string `json:"format"`
			} `json:"__metadata__"`
		}{}
		n := binary.LittleEndian.Uint64(length[:])
		return n <= longest && json.NewDecoder(io.LimitReader(f, int64(n))).Decode(&header) == nil && header.Metadata.Format == format
	}
}

// markOf returns the text by which a verb recognises its file.
func markOf(verb string) string { return "made by fsnet: " + verb }

// marked returns the content of a file with the verb's mark. Its form
// depends on the extension.
func marked(path, verb string, content []byte) []byte {
	mark := markOf(verb)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		return withComment(content, mark)
	case ".json":
		if rest, ok := bytes.CutPrefix(content, []byte("{")); ok {
			return slices.Concat([]byte(`{"usermeta":{"fsnet":"`+mark+`"},`), rest)
		}
		return content
	case ".txt":
		if len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
			content = append(slices.Clip(content), '\n')
		}
		return append(slices.Clip(content), mark+"\n"...)
	}
	return append(slices.Clip(content), "\n<!-- "+mark+" -->\n"...)
}

// withComment returns a PNG file with a comment in a chunk before the last
// one. It returns any other content unchanged.
func withComment(png []byte, comment string) []byte {
	const lastChunk = 12 // bytes of IEND
	if len(png) < lastChunk || string(png[len(png)-8:len(png)-4]) != "IEND" {
		return png
	}

	chunk := append([]byte("tEXtComment\x00"), comment...)
	framed := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
	framed = append(framed, chunk...)
	framed = binary.BigEndian.AppendUint32(framed, crc32.ChecksumIEEE(chunk))

	end := len(png) - lastChunk
	return slices.Concat(png[:end], framed, png[end:])
}

// hasMark reports whether the verb's mark is at the beginning or the end of
// a file.
func hasMark(path, verb string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()

	const room = 128 // number of bytes that may contain the mark
	edge := make([]byte, room)
	n, err := io.ReadFull(f, edge)
	head := edge[:n]

	if err == nil {
		info, err := f.Stat()
		if err != nil {
			return false
		}
		tail := make([]byte, room)
		if n, err = f.ReadAt(tail, info.Size()-room); err != nil && n < room {
			return false
		}
		head = append(head, tail...)
	}

	mark := markOf(verb)
	for _, around := range []string{`"` + mark + `"`, "\n<!-- " + mark + " -->\n", "\n" + mark + "\n", "\x00" + mark} {
		if bytes.Contains(head, []byte(around)) {
			return true
		}
	}
	return false
}
