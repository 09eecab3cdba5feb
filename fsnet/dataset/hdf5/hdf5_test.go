package hdf5

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var fixtures = []string{"earliest", "v108"}

// unpacked is a fixture, which is kept packed.
func unpacked(t testing.TB, name string) []byte {
	t.Helper()
	file := must(os.Open("testdata/" + name + ".gz"))(t)
	defer file.Close()
	return must(io.ReadAll(must(gzip.NewReader(file))(t)))(t)
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

func opened(t testing.TB, content []byte) *Object {
	t.Helper()
	return must(Open(bytes.NewReader(content), int64(len(content))))(t)
}

// spelled reads rows as text, in the way in which the fixtures' script writes
// them.
func spelled(d *Dataset, from, to int) ([]string, error) {
	if d.Type.IsText() {
		return d.Strings(from, to)
	}
	numbers, err := Read[float64](d, from, to)
	texts := make([]string, len(numbers))
	for i, x := range numbers {
		texts[i] = fmt.Sprint(x)
	}
	return texts, err
}

func same(a, b string) bool {
	if a == b {
		return true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, again := strconv.ParseFloat(b, 64)
	return err == nil && again == nil && x == y && math.Signbit(x) == math.Signbit(y)
}

// The values are those that h5py reads, as a whole and in stretches of rows, in
// files of every version of the format.
func TestRead_MatchesLibrary(t *testing.T) {
	for _, name := range fixtures {
		t.Run(name, func(t *testing.T) {
			var loose map[string][]*string
			if err := json.Unmarshal(unpacked(t, name+".json"), &loose); err != nil {
				t.Fatal(err)
			}
			want := map[string][]string{}
			for path, list := range loose {
				want[path] = []string{}
				for _, text := range list {
					if text != nil {
						want[path] = append(want[path], *text)
					}
				}
			}
			if len(want) < 35 {
				t.Fatalf("only %d arrays", len(want))
			}
			file := opened(t, unpacked(t, name+".h5"))
			for path, values := range want {
				d := must(file.Array(path))(t)
				if got, err := spelled(d, 0, d.Rows()); err != nil || !slices.EqualFunc(got, values, same) {
					t.Errorf("%s: %v\n%.300q\n%.300q", path, err, got, values)
					continue
				}
				if d.Rows() < 5 || len(d.Dims) == 0 {
					continue
				}
				width := len(values) / d.Rows()
				for _, rows := range [][2]int{{0, 1}, {3, 5}, {4, 5}, {d.Rows() / 2, d.Rows()}, {d.Rows(), d.Rows()}, {0, 2}} {
					got, err := spelled(d, rows[0], rows[1])
					if part := values[rows[0]*width : rows[1]*width]; err != nil || !slices.EqualFunc(got, part, same) {
						t.Errorf("%s rows %v: %v\n%.300q\n%.300q", path, rows, err, got, part)
					}
				}
			}
		})
	}
}

// Groups have their members, soft links excepted, and objects their attributes.
func TestGroup_MembersAndAttributes(t *testing.T) {
	for _, name := range fixtures {
		file := opened(t, unpacked(t, name+".h5"))
		group := must(file.Object("/group/"))(t)
		members, err := group.Members()
		if err != nil || len(members) != 120 || members[0] != "member-000" || members[119] != "member-119" {
			t.Errorf("%s: %v %d %.100q", name, err, len(members), members)
		}
		members, err = must(file.Object("large"))(t).Members()
		if err != nil || len(members) != 2500 || members[0] != "member-0000-"+strings.Repeat("long", 60) {
			t.Errorf("%s: %v %d", name, err, len(members))
		}
		if group.IsArray() || !group.Has("member-007") || group.Has("soft") {
			t.Errorf("%s: a soft link is a member, or a member is not", name)
		}
		for i := range 30 {
			d := must(group.Attribute("number-" + strconv.Itoa(i)))(t)
			if n, err := Read[int64](d, 0, 1); err != nil || n[0] != int64(i) {
				t.Errorf("%s: attribute %d is %d, %v", name, i, n, err)
			}
		}
		for attribute, want := range map[string]string{"text": "héllo", "list": "p q rr"} {
			d := must(group.Attribute(attribute))(t)
			if texts, err := d.Strings(0, d.Rows()); err != nil || strings.Join(texts, " ") != want {
				t.Errorf("%s: %q, %v", name, texts, err)
			}
		}
		if _, err := group.Attribute("none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if _, err := file.Object("group/member-001/none"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/group/member-001/none") {
			t.Error(err)
		}
	}
}

// A reference leads to its object.
func TestArray_References(t *testing.T) {
	for _, name := range fixtures {
		file := opened(t, unpacked(t, name+".h5"))
		objects, err := must(file.Array("references"))(t).References()
		if err != nil || len(objects) != 2 || !objects[0].IsArray() || objects[1].IsArray() {
			t.Fatalf("%s: %v %v", name, objects, err)
		}
		if x, err := Read[float64](must(objects[0].Dataset())(t), 0, 1); err != nil || x[0] != 5.5 {
			t.Errorf("%s: %v %v", name, x, err)
		}
	}
}

// walkAll reads everything of a file whose arrays are not too long, and returns
// the first error.
func walkAll(o *Object, depth int, visits *int) error {
	if *visits--; depth > 20 || *visits < 0 {
		return nil
	}
	if o.IsArray() {
		d, err := o.Dataset()
		if err != nil {
			return err
		}
		rows, columns := d.Rows(), max(d.Columns(), 1)
		to := min(rows, max(1<<20/columns/max(d.Type.Size, 1), 1))
		if columns > 1<<22 {
			return nil
		}
		if d.Type.Class == Reference {
			_, err = d.References()
			return err
		}
		_, err = spelled(d, 0, to)
		return err
	}
	members, err := o.Members()
	if err != nil {
		return err
	}
	for _, attribute := range []string{"text", "list", "encoding-type"} {
		if d, err := o.Attribute(attribute); err == nil && d.Rows() < 100 {
			if _, err := spelled(d, 0, d.Rows()); err != nil {
				return err
			}
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range members {
		member, err := o.Object(name)
		if err != nil {
			return err
		}
		if err := walkAll(member, depth+1, visits); err != nil {
			return err
		}
	}
	return nil
}

func read(content []byte) error {
	root, err := Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	visits := 400
	return walkAll(root, 0, &visits)
}

// A file that ends too early is rejected wherever it ends.
func TestRead_Truncated(t *testing.T) {
	for _, name := range fixtures {
		content := unpacked(t, name+".h5")
		if err := read(content); err != nil {
			t.Fatal(name, err)
		}
		for _, n := range []int{0, 7, 8, 20, 60, 100, 500, 512, 600, 2000, len(content) / 2, len(content) - 1} {
			if err := read(content[:n]); err == nil {
				t.Errorf("%s: %d of %d bytes are read without an error", name, n, len(content))
			} else if strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("%s: %d bytes: %q is more than a line", name, n, err)
			}
		}
	}
}

// Runs of one code compress to next to nothing with zstd, further than deflate
// can.
func TestRead_HighlyCompressedChunks(t *testing.T) {
	const n = 1 << 20
	packed := must(zstd.NewWriter(nil))(t).EncodeAll(bytes.Repeat([]byte{7}, n), nil)
	if n/MaxInflation <= len(packed) {
		t.Fatalf("it packs to %d bytes, which proves nothing", len(packed))
	}
	d := &Dataset{Type: Type{Class: Integer, Size: 1, order: binary.LittleEndian}, Dims: []int{n}, file: &container{r: bytes.NewReader(packed), size: int64(len(packed))},
		layout: layout{kind: chunked, chunk: []int{n}}, filters: []filter{{id: filterZstd}}, chunks: map[uint64]chunk{0: {size: len(packed)}}}
	got, err := Read[int64](d, n-2, n)
	if err := errors.Join(err, d.checkSize()); err != nil || !slices.Equal(got, []int64{7, 7}) {
		t.Errorf("%v, %v", got, err)
	}
	d.filters, d.lastContent = nil, nil
	if _, err := Read[int64](d, 0, n); err == nil || !strings.Contains(err.Error(), "bytes, not") {
		t.Errorf("%v: bytes that nothing packed are more than they are", err)
	}
}

// Chunks that were never written have the fill value and take no space in the
// file. A single read of them is bounded.
func TestRead_UnwrittenChunks(t *testing.T) {
	const n = 1 << 36
	for _, fill := range [][]byte{nil, {0, 5}} {
		want := []int64{0, 0}
		if fill != nil {
			want = []int64{1280, 1280}
		}
		for _, l := range []layout{{kind: chunked, chunk: []int{64}, address: undefined}, {kind: contiguous, address: undefined}} {
			d := &Dataset{Type: Type{Class: Integer, Size: 2, order: binary.LittleEndian}, Dims: []int{n}, file: &container{size: 800}, layout: l, fill: fill}
			got, err := Read[int64](d, n-2, n)
			if err := errors.Join(err, d.checkSize()); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, %v: %v, %v", fill, l, got, err)
			}
			if _, err := Read[int64](d, 0, n); err == nil || !strings.Contains(err.Error(), "read at once") {
				t.Error(err)
			}
		}
	}
	d := &Dataset{Type: Type{Class: Integer, Size: 2, order: binary.LittleEndian}, Dims: []int{n}, file: &container{size: 800}, layout: layout{kind: contiguous}}
	if _, err := Read[int64](d, 0, 1000); err == nil || !strings.Contains(err.Error(), "beyond its end") {
		t.Error(err)
	}
}

// The fill value that a file declares for unwritten places is read.
func TestRead_FillValues(t *testing.T) {
	for _, message := range [][]byte{{3, 0x20, 2, 0, 0, 0, 0, 5}, {2, 1, 1, 1, 2, 0, 0, 0, 0, 5}, {3, 0, 9}, {3, 0x20, 2, 0, 0, 0, 0, 0}} {
		d := &Dataset{}
		if err := d.readFill(&cursor{b: message}); err != nil || (message[len(message)-1] == 5) != slices.Equal(d.fill, []byte{0, 5}) {
			t.Errorf("%v: %v, %v", message, d.fill, err)
		}
	}
}
