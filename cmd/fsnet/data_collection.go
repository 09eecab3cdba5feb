package main

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	_ "embed" // the catalogue
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/widgets/chart/words"
)

const dataWhere = "\n\nfsnet looks for files here, in $FSNET_DATA and in ../shared/data."

// newDataListCommand returns fsnet data list.
func newDataListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the data sets of the paper and of the public collection, with their hashes",
		Long: "List the data sets of the paper (*) and of the public collection, with the SHA-256 of their files, and which are at\n" +
			"hand.\n\n" +
			"A file that we have never had has no SHA-256 and is not verified: its sizes are those that its publishers give, and a\n" +
			"download is checked against the file's object in the collection's git repository." + dataWhere,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return listCollection(c.OutOrStdout(), asJSON)
		},
	}
	addJSON(c.Flags(), &asJSON)
	return c
}

// listCollection prints the catalogue. For each data set it shows whether it is
// the paper's (*), its sizes, the path of its file and its hash.
func listCollection(out io.Writer, asJSON bool) error {
	entries := catalogue()
	if asJSON {
		return printJSON(out, entries)
	}
	t := words.NewTable("", "", "", "", "")
	for _, e := range entries {
		star, there := " ", e.find(dataFolders())
		if e.Paper {
			star = "*"
		}
		if there == "" {
			there = "-"
		}
		t.Add(star+" "+e.Name, phrase.Table(e.N, e.D), phrase.Count(e.Classes, "class"), there, e.verification())
	}
	return printTable(out, t)
}

// newDataGetCommand returns fsnet data get. It fetches in the order of the
// names, and stops at the first error.
func newDataGetCommand() *cobra.Command {
	var into, from string
	c := &cobra.Command{
		Use:   "get NAME…",
		Short: "Fetch data sets: copy a file at hand, or else download it",
		Long: "Fetch data sets: copy a file at hand or else download it. A file gets its name only when it is whole and its hash is\n" +
			"right." + dataWhere,
		Example: "  fsnet data get GLIOMA Prostate_GE\n  FSNET_DATA=~/data fsnet data get CLL_SUB --to ~/data",
		Args:    needNames,
		RunE: func(c *cobra.Command, names []string) error {
			entries, err := namedCollected(names)
			if err != nil {
				return err
			}
			if !strings.HasSuffix(from, "/") {
				from += "/"
			}
			for _, e := range entries {
				path, how, err := e.obtain(c.Context(), into, from, dataFolders())
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintf(c.OutOrStdout(), "%s: %s, %s\n", e.Name, path, how); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&into, "to", ".", "put the files into this `FOLDER`")
	c.Flags().StringVar(&from, "from", collectionAddress, "`ADDRESS` of the collection")
	return c
}

// newDataVerifyCommand returns fsnet data verify.
func newDataVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [NAME…]",
		Short: "Check the hashes of data sets; without NAME, of all that are at hand",
		Long: "Check the hashes of data sets; without NAME, of all that are at hand. It exits with status 1 if a file is another one\n" +
			"or half-written." + dataWhere,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			entries, err := namedCollected(names)
			if err != nil {
				return err
			}
			return verifyCollection(c.OutOrStdout(), entries, len(names) > 0)
		},
	}
}

// verifyCollection checks the files that this machine has and prints a line for
// each. With asked, it fails if an entry has no file. It also fails if a file
// is damaged, or if there is no file at all.
func verifyCollection(out io.Writer, entries []collected, asked bool) error {
	var bad []string
	checked := 0
	for _, e := range entries {
		path := e.find(dataFolders())
		if path == "" {
			if asked {
				return errs.New(errs.NotFound, "fsnet data get "+e.Name+" downloads it", "%s is not on this machine", e.Name)
			}
			continue
		}

		checked++
		by := "by its SHA-256"
		if e.SHA256 == "" {
			by = "by its git object"
		}

		line := fmt.Sprintf("%s: %s is right, %s", e.Name, path, by)
		if err := e.verify(path); err != nil {
			bad = append(bad, e.Name)
			line = e.Name + ": " + err.Error()
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}

	switch {
	case checked == 0:
		return errs.New(errs.NotFound, "fsnet data get NAME downloads one; $FSNET_DATA names their folder",
			"no data set of the catalogue is on this machine")
	case len(bad) > 0:
		return errs.New(errs.Failed, "remove the files and run fsnet data get", "not what they should be: %s", strings.Join(bad, ", "))
	}
	return nil
}

// namedCollected returns the entries with these names. Without names it returns
// the whole catalogue. It rejects unknown names.
func namedCollected(names []string) ([]collected, error) {
	if len(names) == 0 {
		return catalogue(), nil
	}
	list := make([]collected, len(names))
	for i, name := range names {
		var err error
		if list[i], err = findCollected(name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// needNames rejects an empty list of names.
func needNames(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return errs.New(errs.Request, fmt.Sprintf("fsnet data list shows them; %d are known", len(catalogue())), "no data set is named")
}

const (
	downloadAttempts = 3
	downloadSilence  = 30 * time.Second // how long a server may be silent before the attempt ends
	largestDownload  = 1 << 30          // bytes; no file of the collection is nearly as large
)

// obtain puts the file into the folder into. It copies a complete file from
// folders. If none of them has it, it downloads the file from an address. path
// is the file, and how tells the user where it came from. The file gets its
// name only when it is complete and its hash is right. get leaves an existing
// file alone, and the error says what is wrong with it.
func (e collected) obtain(ctx context.Context, into, from string, folders []string) (path, how string, err error) {
	path = filepath.Join(into, e.files()[0])
	switch _, err := os.Lstat(path); {
	case err == nil:
		return path, "is there already", e.verify(path)
	case !errors.Is(err, os.ErrNotExist):
		return "", "", notWritten(path, err)
	}

	for _, dir := range folders {
		there := e.find([]string{dir})
		if there == "" || e.verify(there) != nil { // another folder, or the network, may have a complete one
			continue
		}

		content, err := os.ReadFile(there)
		if err == nil {
			err = system.WriteFile(path, content)
		}
		if err != nil {
			return "", "", notWritten(path, err)
		}
		return path, "copied from " + there, e.verify(path)
	}

	if e.path == "" {
		return "", "", errs.New(errs.NotFound, fmt.Sprintf("put %s into $FSNET_DATA", e.files()[0]),
			"%s is not on this machine, and no public address is known for it", e.Name)
	}

	return path, "downloaded from " + from + e.path, e.download(ctx, path, from+e.path)
}

func notWritten(path string, err error) error {
	return errs.Wrap(system.Reason(err), errs.Failed, "free some space, make the folder writable, or name another one with --to",
		"%s cannot be written", path)
}

// download writes the file at an address to path if it is complete and its hash
// is right. It tries up to downloadAttempts times if the connection breaks off
// or is silent. An answer other than the file ends it. The error is of kind
// Failed if the content is different or the file can't be written.
func (e collected) download(ctx context.Context, path, address string) error {
	var content []byte
	err := errors.New("") // no attempt was made yet
	for attempt := 0; err != nil && attempt < downloadAttempts; attempt++ {
		content, err = download(ctx, address)
		if ctx.Err() != nil {
			return errs.New(errs.Interrupted, "", "interrupted: nothing of %s is kept", e.Name)
		}
		if refused := (*errs.Error)(nil); errors.As(err, &refused) {
			return err
		}
	}

	if err != nil {
		if request := (*url.Error)(nil); errors.As(err, &request) {
			err = request.Err // without the address, which the error names anyway
		}
		return errs.Wrap(err, errs.Unavailable, "run it again, or name another place with --from", "%s broke off after %d bytes", address, len(content))
	}

	if e.checkContent(path, content) != nil {
		return errs.New(errs.Failed, "nothing is kept; try again, or name another address with --from",
			"%s has other content than %s (%d bytes, expected %s)", address, e.Name, len(content), e.verification())
	}

	if err := system.WriteFile(path, content); err != nil {
		return notWritten(path, err)
	}
	return nil
}

// download returns the content at an address. The error is an [errs.Error] if
// another attempt would fail in the same way.
func download(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(downloadSilence, cancel)
	defer timer.Stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errs.With(err, errs.Request, "give an address with --from")
	}

	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()

	if answer.StatusCode != http.StatusOK {
		return nil, errs.New(errs.Unavailable, "put the file into $FSNET_DATA, or name another place with --from", "%s answers %s", address,
			answer.Status)
	}

	return io.ReadAll(io.LimitReader(timedBody{answer.Body, timer}, largestDownload))
}

// timedBody restarts a timer with each read, so that only silence ends a
// download.
type timedBody struct {
	io.Reader
	timer *time.Timer
}

// Read reads, and gives the server another downloadSilence.
func (a timedBody) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.timer.Reset(downloadSilence)
	return n, err
}

// dataFolders lists where fsnet looks for data sets: here, in $FSNET_DATA, and
// in ../shared/data next to a checkout.
func dataFolders() []string {
	list := []string{"."}
	if dir := os.Getenv("FSNET_DATA"); dir != "" {
		list = append(list, dir)
	}
	return append(list, filepath.Join("..", "shared", "data"))
}

// collectedAt returns the file of a data set of the catalogue, or "" if this
// machine has none.
func collectedAt(name string) string {
	e, err := findCollected(name)
	if err != nil {
		return ""
	}
	return e.find(dataFolders())
}

// find returns the path of the data set's first file in the folders, or "". It
// doesn't read the file.
func (e collected) find(folders []string) string {
	for _, dir := range folders {
		for _, name := range e.files() {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path
			}
		}
	}
	return ""
}

// collected is a data set of the catalogue: a file NAME.mat. Rows, features,
// classes and SHA-256 were read from the file. If the SHA-256 is empty, we
// never had the file, and the counts are those that its publishers state.
type collected struct {
	Name    string `json:"name"`             // of the data set
	N       int    `json:"rows"`             // rows (samples)
	D       int    `json:"features"`         // features
	Classes int    `json:"classes"`          // how many there are
	Paper   bool   `json:"paper"`            // one of the six of the paper
	Bytes   int64  `json:"bytes,omitempty"`  // size of the file
	SHA256  string `json:"sha256,omitempty"` // of the file, in hex; left out of a file that we have never had
	path    string // below the address of the collection; "" if no public address is known
	// Blob is the file's object in the collection's git repository: the SHA-1
	// of "blob", its size, a zero byte and the content.
	blob string
}

// collectionAddress is the revision of the collection's repository that the
// hashes belong to.
const collectionAddress = "https://raw.githubusercontent.com/jundongl/scikit-feature/48cffad4e88ff4b9d2f1c7baffb314d1b3303792/skfeature/data/"

// collectionText lists the data sets of the paper, of the collection, and two
// of the same kind from elsewhere.
//
//go:embed collection.csv
var collectionText string

// catalogue returns the data sets that fsnet knows by name. Those of the paper
// come first.
func catalogue() []collected {
	lines, err := csv.NewReader(strings.NewReader(collectionText)).ReadAll()
	if err != nil {
		panic(err) // our own file
	}
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	list := make([]collected, len(lines)-1)
	for i, l := range lines[1:] {
		list[i] = collected{Name: l[0], N: number(l[1]), D: number(l[2]), Classes: number(l[3]), Paper: l[4] == "yes", Bytes: int64(number(l[5])),
			SHA256: l[6], path: l[7], blob: l[8]}
	}
	return list
}

// findCollected returns the entry with a name. The name may have capitals, -
// for _, and .mat at its end. A name from the paper may end in the number of
// rows, which some collections append.
func findCollected(name string) (collected, error) {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "-", "_") }
	wanted := strings.TrimSuffix(plain(name), ".mat")

	var names []string // in the form in which they are compared
	called := map[string]string{}
	for _, e := range catalogue() {
		if known := plain(e.Name); known == wanted || e.Paper && known == fmt.Sprintf("%s_%d", wanted, e.N) {
			return e, nil
		}
		names = append(names, plain(e.Name))
		called[plain(e.Name)] = e.Name
	}

	remedy := "fsnet data list shows all of them"
	if near := phrase.Nearest(wanted, names); near != "" {
		remedy = "did you mean " + called[near] + "? " + remedy
	}
	return collected{}, errs.New(errs.NotFound, remedy, "%q is not in the catalogue", name)
}

// files lists the names that the file may have.
func (e collected) files() []string {
	names := []string{e.Name + ".mat"}
	if e.path != "" && e.path != names[0] {
		names = append(names, e.path)
	}
	return names
}

// verification says how the file is verified: by its SHA-256, or by its git
// object.
func (e collected) verification() string {
	switch {
	case e.SHA256 != "":
		return e.SHA256
	case e.blob != "":
		return "not verified here (git object " + e.blob + ")"
	}
	return "not verified here"
}

// verify compares a file's size and hash with the catalogue. The error is of
// kind Request if the file can't be read, and of kind Failed if it differs.
func (e collected) verify(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return errs.With(err, errs.Request, "check the file and its permissions")
	}
	return e.checkContent(path, content)
}

// checkContent compares the content of a file with the catalogue. path is the
// file's name in errors. The error is of kind Failed and says how the content
// differs.
func (e collected) checkContent(path string, content []byte) error {
	const remedy = "remove it and run fsnet data get "
	if size := int64(len(content)); size < e.Bytes {
		return errs.New(errs.Failed, remedy+e.Name, "%s is half-written: it has %d bytes of %d", path, size, e.Bytes)
	}

	whole := sha256.Sum256(content)
	kind, want, got := "SHA-256", e.SHA256, hex.EncodeToString(whole[:])

	if want == "" {
		object := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
		kind, want, got = "git object", e.blob, hex.EncodeToString(object[:])
	}

	if got != want {
		return errs.New(errs.Failed, remedy+e.Name, "%s is not %s: its %s is %s, not %s", path, e.Name, kind, got, want)
	}
	return nil
}
