package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// raw is a file with any header, right or not.
func raw(header string, data ...byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

func decode(content []byte) (*File, error) {
	return Decode("a.st", bytes.NewReader(content), int64(len(content)))
}

// must returns v, or ends the test if there is an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A damaged file is rejected in one line that names the damage.
func TestDecode_NamesDamage(t *testing.T) {
	eight := make([]byte, 8)
	w := func(fields string) string { return `{"w":{` + fields + `}}` }
	whole := `"dtype":"F32","shape":[2],"data_offsets":[0,8]`
	two := func(a, b string) string {
		return `{"a":{"dtype":"F32","shape":[1],"data_offsets":` + a + `},"b":{"dtype":"F32","shape":[1],"data_offsets":` + b + `}}`
	}
	length := func(n uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), "{}      "...) }
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "0 bytes"},
		{"seven bytes", eight[:7], "7 bytes"},
		{"no header", eight, `begins with "", not {`},
		{"header beyond the limit", length(maxHeader + 1), "not a safetensors file"},
		{"header length of all ones", length(math.MaxUint64), "not a safetensors file"},
		{"header beyond the end", length(9), "9 bytes, and only 8 follow"},
		{"header that is a list", raw(`[]`), `begins with "[]"`},
		{"header after a blank", raw(` {}`), `begins with " {}"`},
		{"header that is cut", raw(`{"w":{`), "not JSON"},
		{"header that is not UTF-8", raw("{\"w\xff\":{}}"), "not UTF-8"},
		{"tensor twice", raw(`{"w":{`+whole+`},"w":{`+whole+`}}`, eight...), `the key "w" twice`},
		{"tensor twice, spelled differently", raw(`{"w":{`+whole+`},"\u0077":{`+whole+`}}`, eight...), `the key "w" twice`},
		{"metadata twice", raw(`{"__metadata__":{},"__metadata__":{}}`), `the key "__metadata__" twice`},
		{"metadata key twice", raw(`{"__metadata__":{"a":"1","a":"2"}}`), `__metadata__ has the key "a" twice`},
		{"metadata of a number", raw(`{"__metadata__":{"a":1}}`), `__metadata__: "a" is "1", not a string`},
		{"metadata of null", raw(`{"__metadata__":{"a":null}}`), `"a" is "null", not a string`},
		{"metadata that is a list", raw(`{"__metadata__":["a"]}`), `__metadata__ has "[\"a\"]" where an object should be`},
		{"metadata that is null", raw(`{"__metadata__":null}`), `"null" where an object should be`},
		{"tensor that is a number", raw(`{"w":1}`), `tensor "w": it has "1" where an object should be`},
		{"no dtype", raw(w(`"shape":[2],"data_offsets":[0,8]`), eight...), "has 2 of them"},
		{"field twice", raw(w(whole+`,"shape":[2]`), eight...), `the key "shape" twice`},
		{"unknown field", raw(w(whole+`,"order":"C"`), eight...), `the field "order" is not known`},
		{"field in capitals", raw(w(`"Dtype":"F32","shape":[2],"data_offsets":[0,8]`), eight...), `the field "Dtype" is not known`},
		{"dtype that is a number", raw(w(`"dtype":32,"shape":[2],"data_offsets":[0,8]`), eight...), `dtype is "32", not a string`},
		{"unknown dtype", raw(w(`"dtype":"F31","shape":[2],"data_offsets":[0,8]`), eight...),
			`dtype "F31" is not supported; F32, F64, I64 and U32 are`},
		{"known dtype of others", raw(w(`"dtype":"BF16","shape":[4],"data_offsets":[0,8]`), eight...), `dtype "BF16" is not supported`},
		{"shape that is a number", raw(w(`"dtype":"F32","shape":2,"data_offsets":[0,8]`), eight...), `shape is "2", not a list`},
		{"shape that is null", raw(w(`"dtype":"F32","shape":null,"data_offsets":[0,8]`), eight...), `shape is "null", not a list`},
		{"negative shape", raw(w(`"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]`), eight...), `shape is a list with "-1"`},
		{"broken shape", raw(w(`"dtype":"F32","shape":[2.0],"data_offsets":[0,8]`), eight...), `a list with "2.0"`},
		{"shape beyond an integer", raw(w(`"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8]`), eight...),
			`a list with "99999999999999999999"`},
		{"shape of another length", raw(w(`"dtype":"F32","shape":[3],"data_offsets":[0,8]`), eight...),
			"shape [3] of F32 does not fill the 8 bytes of data_offsets [0, 8]"},
		{"dtype of another length", raw(w(`"dtype":"F64","shape":[2],"data_offsets":[0,8]`), eight...), "shape [2] of F64"},
		{"shape that overflows to the length", raw(w(`"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]`)),
			"does not fill the 0 bytes"},
		{"shape that overflows to more", raw(w(`"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]`), eight...),
			"does not fill"},
		{"scalar of two", raw(w(`"dtype":"F32","shape":[],"data_offsets":[0,8]`), eight...), "shape [] of F32"},
		{"one offset", raw(w(`"dtype":"F32","shape":[2],"data_offsets":[8]`), eight...), "data_offsets [8] are not a begin and an end"},
		{"offsets that fall", raw(w(`"dtype":"F32","shape":[2],"data_offsets":[8,0]`), eight...), "[8 0] are not a begin and an end"},
		{"negative offset", raw(w(`"dtype":"F32","shape":[2],"data_offsets":[-8,0]`), eight...), `data_offsets is a list with "-8"`},
		{"data cut short", raw(w(whole), eight[:7]...), `tensor "w": data_offsets [0, 8] end outside the 7 bytes`},
		{"offsets far outside", raw(w(`"dtype":"F32","shape":[4611686018427387,256],"data_offsets":[0,4722366482869644288]`), eight...),
			"end outside the 8 bytes"},
		{"data too long", raw(w(whole), make([]byte, 9)...), "end at byte 8 of the data, which has 9"},
		{"data of no tensor", raw(`{}`, 1), "end at byte 0 of the data, which has 1"},
		{"gap at the start", raw(w(`"dtype":"F32","shape":[1],"data_offsets":[4,8]`), eight...),
			"leave a gap or overlap: the tensor before it ends at 0"},
		{"gap", raw(two("[0,4]", "[8,12]"), make([]byte, 12)...), `tensor "b": data_offsets [8, 12] leave a gap`},
		{"overlap", raw(two("[0,4]", "[2,6]"), make([]byte, 6)...),
			`tensor "b": data_offsets [2, 6] leave a gap or overlap: the tensor before it ends at 4`},
		{"checksum of other data", raw(`{"__metadata__":{"sha256":"`+checksum(eight)+`"},"w":{`+whole+`}}`, 1, 0, 0, 0, 0, 0, 0, 0),
			"it was changed after it was written: sha256 is"},
		{"checksum that is none", raw(`{"__metadata__":{"sha256":""}}`), `sha256 is ""`},
		{"checksum of other metadata",
			raw(`{"__metadata__":{"a":"1","sha256_metadata":"` + metadataChecksum(map[string]string{"a": "2"}) + `"}}`), "sha256_metadata is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := decode(c.content)
			if damage := new(Damage); !errors.As(err, &damage) || f != nil {
				t.Fatalf("%v, %v", f, err)
			}
			text := err.Error()
			if !strings.HasPrefix(text, "a.st: ") || !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
				t.Errorf("%q does not say %q in one line", text, c.want)
			}
		})
	}
}

// Files that use the format's freedoms are read.
func TestDecode_Freedoms(t *testing.T) {
	for name, content := range map[string][]byte{
		"nothing":             raw(`{}`),
		"no metadata, blanks": raw("{ \"w\" : { \"shape\" : [ 1 , 1 ] ,\n\"data_offsets\":[ 0, 4 ], \"dtype\" : \"U32\" } }   ", 1, 0, 0, 0),
		"tensors in another order": raw(`{"b":{"dtype":"U32","shape":[1],"data_offsets":[4,8]},`+
			`"w":{"dtype":"U32","shape":[1],"data_offsets":[0,4]}}`, 1, 0, 0, 0, 2, 0, 0, 0),
		"an empty one between": raw(`{"b":{"dtype":"U32","shape":[1],"data_offsets":[4,8]},`+
			`"a":{"dtype":"F64","shape":[0,99999999999,99999999999],"data_offsets":[4,4]},`+
			`"w":{"dtype":"U32","shape":[1],"data_offsets":[0,4]}}`, 1, 0, 0, 0, 2, 0, 0, 0),
		"checksum of the data": raw(`{"__metadata__":{"sha256":"`+checksum([]byte{1, 0, 0, 0})+`"},`+
			`"w":{"dtype":"U32","shape":[1],"data_offsets":[0,4]}}`, 1, 0, 0, 0),
	} {
		f, err := decode(content)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w, ok := f.Tensors["w"]; ok && w.Data.([]uint32)[0] != 1 {
			t.Errorf("%s: %v", name, w)
		}
		if len(f.Metadata) != 0 || f.Checked {
			t.Errorf("%s: metadata %v, checked %v", name, f.Metadata, f.Checked)
		}
	}
}

// If a tensor is missing, or has another type or shape, the error names the
// difference.
func TestValues_NamesTheDifference(t *testing.T) {
	f := &File{Path: "a.st", Tensors: map[string]Tensor{"w": Of(make([]float32, 6), 2, 3)}}
	if w, err := Values[float32](f, "w", 2, 3); err != nil || len(w) != 6 {
		t.Error(w, err)
	}
	_, missing := Values[float32](f, "v", 2, 3)
	_, dtype := Values[int64](f, "w", 2, 3)
	_, shape := Values[float32](f, "w", 3, 2)
	for want, err := range map[string]error{
		`there is no tensor "v"`:                missing,
		`tensor "w" is F32, not I64`:            dtype,
		`tensor "w" has shape [2 3], not [3 2]`: shape,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// A path without a readable file is an error that names it.
func TestRead_NotAFile(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked")
	if err := os.WriteFile(locked, nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "nothing cannot be read: ") {
		t.Error(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Error(err)
	}
	if _, err := Read(locked); err == nil { // root may read it, and finds it empty
		t.Error(err)
	}
	content := must(Encode(sample()))(t)
	if _, err := Decode("a.st", bytes.NewReader(content[:len(content)-9]), int64(len(content))); err == nil ||
		!strings.Contains(err.Error(), "ended while it was being read") {
		t.Error(err)
	}
	if _, err := Decode("a.st", bytes.NewReader(content), maxFile+1); err == nil || !strings.Contains(err.Error(), "2147483648") {
		t.Error(err)
	}
}

// Whatever the bytes are, reading them ends with a file or an error; a file
// that was read can be written, and reads the same again.
func FuzzDecode(f *testing.F) {
	good, err := Encode(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(raw(`{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, make([]byte, 8)...))
	f.Add(raw(`{"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"__metadata__":{"a":"\ud800"}}`, make([]byte, 8)...))
	f.Add(raw(`{"a":{"dtype":"U32","shape":[0,9],"data_offsets":[0,0]},`+
		`"b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, make([]byte, 8)...))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := decode(content)
		if err != nil {
			if damage := new(Damage); !errors.As(err, &damage) {
				t.Fatal(err)
			}
			return
		}
		first := must(Encode(file))(t)
		again, err := decode(first)
		if err != nil || !again.Checked {
			t.Fatal(err)
		}
		second, err := Encode(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatal("what was written reads differently", err)
		}
		for name, tensor := range file.Tensors {
			if !slices.Equal(tensor.Shape, again.Tensors[name].Shape) {
				t.Fatal(name)
			}
		}
	})
}
