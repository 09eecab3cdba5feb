package main

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

func madeContent(n int) []byte {
	content := make([]byte, n)
	for i := range content {
		content[i] = byte(i * i >> 3)
	}
	return content
}

// knownEntry is an entry of this content, and unverified one of which no SHA-256 is known.
func knownEntry(content []byte) collected {
	sum := sha256.Sum256(content)
	e := unverified(content)
	e.Bytes, e.SHA256 = int64(len(content)), hex.EncodeToString(sum[:])
	return e
}

func unverified(content []byte) collected {
	object := sha1.Sum(append([]byte(fmt.Sprintf("blob %d\x00", len(content))), content...))
	return collected{Name: "made_set", path: "made-set.mat", blob: hex.EncodeToString(object[:])}
}

// server answers requests for the content; it breaks the first connections off.
type server struct {
	content []byte
	cut     int
	asked   int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/made-set.mat" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
	if s.asked++; s.asked <= s.cut {
		w.Write(s.content[:len(s.content)/2]) //nolint:errcheck // the test sees it
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	w.Write(s.content) //nolint:errcheck // the test sees it
}

func serve(t *testing.T, s *server) string {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL + "/"
}

// A download is the whole file, even if a connection broke. Another content
// never gets the file's name, and each failure is one line that says what to
// do.
func TestDownload_WholeFilesOnly(t *testing.T) {
	content := madeContent(100_000)
	nowhere, ended := knownEntry(content), knownEntry(content)
	nowhere.path, ended.path = "", "elsewhere.mat"
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		serve server
		entry collected
		kind  errs.Kind
		says  string // "": it succeeds
	}{
		"at once":            {t.Context(), server{content: content}, knownEntry(content), "", ""},
		"its git object":     {t.Context(), server{content: content}, unverified(content), "", ""},
		"cut twice":          {t.Context(), server{content: content, cut: 2}, knownEntry(content), "", ""},
		"cut again":          {t.Context(), server{content: content, cut: 3}, knownEntry(content), errs.Unavailable, "broke off after 50000 bytes"},
		"other content":      {t.Context(), server{content: append([]byte{7}, content[1:]...)}, knownEntry(content), errs.Failed, "has other content than made_set"},
		"shorter":            {t.Context(), server{content: content[:500]}, knownEntry(content), errs.Failed, "has other content"},
		"another git object": {t.Context(), server{content: content[:500]}, unverified(content), errs.Failed, "has other content"},
		"not there":          {t.Context(), server{}, ended, errs.Unavailable, "404"},
		"no address":         {t.Context(), server{}, nowhere, errs.NotFound, "no public address"},
		"interrupted":        {over, server{content: content}, knownEntry(content), errs.Interrupted, "nothing of made_set is kept"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, how, err := c.entry.obtain(c.ctx, dir, serve(t, &c.serve), nil)
			left, _ := os.ReadDir(dir)
			if c.says != "" {
				checkLine(t, err, c.kind, c.says)
				if len(left) > 0 {
					t.Errorf("left: %v", left)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, content) || !strings.HasPrefix(how, "downloaded from ") || len(left) != 1 {
				t.Errorf("%d bytes, %v, %s; left: %v", len(got), err, how, left)
			}
		})
	}
	_, _, err := knownEntry(content).obtain(t.Context(), filepath.Join(t.TempDir(), "missing"), serve(t, &server{content: content}), nil)
	checkLine(t, err, errs.Failed, "cannot be written: no such file")
}

// A local file is copied if it is whole, and skipped if it isn't. One that is
// already there isn't touched.
func TestDownload_CopiesLocalFiles(t *testing.T) {
	content := madeContent(5000)
	half, whole, into := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(dir, name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(half, "made_set.mat", content[:100])
	write(whole, "made-set.mat", content) // as the collection names it
	e := knownEntry(content)
	path, how, err := e.obtain(t.Context(), into, "http://127.0.0.1:1/", []string{half, whole})
	if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, content) || !strings.Contains(how, whole) {
		t.Errorf("%s %s %v", path, how, err)
	}
	if _, how, err := e.obtain(t.Context(), into, "http://127.0.0.1:1/", nil); err != nil || how != "is there already" {
		t.Errorf("%s %v", how, err)
	}
	_, _, err = e.obtain(t.Context(), half, "http://127.0.0.1:1/", []string{whole})
	checkLine(t, err, errs.Failed, "is half-written: it has 100 bytes of 5000")
}

func checkLine(t *testing.T, err error, kind errs.Kind, says string) {
	t.Helper()
	if err == nil || !errs.Is(err, kind) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), " - ") && kind != errs.Interrupted {
		t.Errorf("%v is not one line of kind %s with %q and a remedy", err, kind, says)
	}
}

// The catalogue has the paper's six data sets first, with their sizes,
// different names, and a hash of each.
func TestCatalogue_Entries(t *testing.T) {
	sizes := map[string][3]int{ // the paper's table of its data sets: rows, features, classes
		"ALLAML": {72, 7129, 2}, "CLL_SUB": {111, 11340, 3}, "GLI_85": {85, 22283, 2}, "GLIOMA": {50, 4434, 4},
		"Prostate_GE": {102, 5966, 2}, "SMK_CAN": {187, 19993, 2},
	}
	for name, want := range sizes {
		e, err := findCollected(name)
		if got := [3]int{e.N, e.D, e.Classes}; err != nil || !e.Paper || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	seen := map[string]bool{}
	for i, e := range catalogue() {
		if e.Paper != (i < len(sizes)) || seen[strings.ToLower(e.Name)] || e.N < 1 || e.D < 1 || e.Classes < 2 {
			t.Errorf("%+v", e)
		}
		seen[strings.ToLower(e.Name)] = true
		if len(e.SHA256) != 64 && e.SHA256 != "" || (e.SHA256 != "") != (e.Bytes > 0) || e.SHA256 == "" && len(e.blob) != 40 {
			t.Errorf("%s is known by %q and %q", e.Name, e.SHA256, e.blob)
		}
		if (e.path == "") != (e.blob == "") {
			t.Errorf("%s has address %q and object %q", e.Name, e.path, e.blob)
		}
	}
}

// runCollection is what a command prints.
func runCollection(t *testing.T, args ...string) (string, error) {
	t.Helper()
	root := newRootCommand()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(append([]string{"data"}, args...))
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// list names every data set with its file and hash. get and verify reject an
// unknown name, a damaged file and a broken download.
func TestDataCollection_Commands(t *testing.T) {
	data := t.TempDir()
	t.Setenv("FSNET_DATA", data)
	t.Chdir(t.TempDir())
	if err := os.WriteFile(filepath.Join(data, "GLIOMA.mat"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := runCollection(t, "list")
	glioma := filepath.Join(data, "GLIOMA.mat")
	if err != nil || strings.Count(out, "\n") != len(catalogue()) || !strings.Contains(out, "not verified here (git object 6f14fa8d") ||
		!strings.Contains(out, glioma) {
		t.Errorf("%v, %s", err, out)
	}
	if out, err := runCollection(t, "list", "--json"); err != nil || !strings.Contains(out, `"sha256": "c31cd32edd`) {
		t.Errorf("%v, %s", err, out)
	}
	for _, test := range []struct {
		args string
		kind errs.Kind
		says string
	}{
		{"get GLIMOA", errs.NotFound, "did you mean GLIOMA?"},
		{"get", errs.Request, "no data set is named"},
		{"verify colon", errs.NotFound, "colon is not on this machine - fsnet data get colon"},
		{"verify GLIOMA", errs.Failed, "not what they should be: GLIOMA"},
		{"verify", errs.Failed, "not what they should be: GLIOMA"},
		{"get lung_small --from http://127.0.0.1:1", errs.Unavailable, "http://127.0.0.1:1/lung_small.mat broke off after 0 bytes"},
	} {
		_, err := runCollection(t, strings.Fields(test.args)...)
		checkLine(t, err, test.kind, test.says)
	}
	const half = "is half-written: it has 4 bytes of 1462087 - remove it and run fsnet data get GLIOMA"
	if out, _ := runCollection(t, "verify"); !strings.Contains(out, half) {
		t.Error(out)
	}
	os.Remove(glioma)
	_, err = runCollection(t, "verify")
	checkLine(t, err, errs.NotFound, "no data set of the catalogue is on this machine")
}

// The paper leaves the number of rows out of a name, and the collection has
// dashes in the names of its files. Both are found.
func TestAt_PaperNames(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "CLL-SUB-111.mat")
	if err := os.WriteFile(file, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FSNET_DATA", folder)
	for _, name := range []string{"CLL_SUB", "CLL_SUB_111", "cll-sub"} {
		if path := collectedAt(name); path != file {
			t.Errorf("%s is at %q; it is %s", name, path, file)
		}
	}
	for _, name := range []string{"GLI_85x", "nothing"} {
		if path := collectedAt(name); path != "" {
			t.Errorf("%s is at %s", name, path)
		}
	}
}
