package main

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// collectionCommands are list, get and verify.
func collectionCommands() []*cobra.Command {
	return []*cobra.Command{newDataListCommand(), newDataGetCommand(), newDataVerifyCommand()}
}

const dataWhere = "\n\nfsnet looks for files here, in $FSNET_DATA and in ../shared/data."

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

func listCollection(out io.Writer, asJSON bool) error {
	entries := catalogue()
	if asJSON {
		return printJSON(out, entries)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		star, there := " ", e.at(dataFolders())
		if e.Paper {
			star = "*"
		}
		if there == "" {
			there = "-"
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\t%s\n", star, e.Name, phrase.Table(e.N, e.D), phrase.Count(e.Classes, "class"), there, e.known())
	}
	return w.Flush()
}

func newDataGetCommand() *cobra.Command {
	var into, from string
	c := &cobra.Command{
		Use:   "get NAME…",
		Short: "Fetch data sets: copy a file at hand, or else download it",
		Long: "Fetch data sets: copy a file at hand or else download it, continuing where an earlier download broke off. A file gets\n" +
			"its name only when it is whole and its hash is right." + dataWhere,
		Example: "  fsnet data get GLIOMA Prostate_GE\n  FSNET_DATA=~/data fsnet data get CLL_SUB --to ~/data",
		Args:    someNames,
		RunE: func(c *cobra.Command, names []string) error {
			entries, err := namedCollected(names)
			if err != nil {
				return err
			}
			if !strings.HasSuffix(from, "/") {
				from += "/"
			}
			for _, e := range entries {
				path, how, err := e.get(c.Context(), into, from, dataFolders())
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

// verifyCollection checks the entries that are at hand; where they were asked for, they must be.
func verifyCollection(out io.Writer, entries []collected, asked bool) error {
	var bad []string
	checked := 0
	for _, e := range entries {
		path := e.at(dataFolders())
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
		if err := e.readable(path); err != nil {
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

// namedCollected are the entries of these names; all of them without names.
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

func someNames(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return errs.New(errs.Request, "fsnet data list shows them; "+fmt.Sprintf("%d are known", len(catalogue())), "no data set is named")
}

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
			err = system.WriteFile(path, content)
		}
		if err != nil {
			return "", "", notWritten(path, err)
		}
		return path, "copied from " + there, e.readable(path)
	}
	if e.path == "" {
		return "", "", errs.New(errs.NotFound, fmt.Sprintf("put %s into $FSNET_DATA", e.files()[0]),
			"%s is not on this machine, and no public address is known for it", e.Name)
	}
	return path, "downloaded from " + from + e.path, e.download(ctx, path, from+e.path)
}

// readable is check, where a file that cannot be read is the user's to mend.
func (e collected) readable(path string) error {
	err := e.check(path)
	if known := (*errs.Error)(nil); errors.As(err, &known) {
		return err
	}
	return errs.With(err, errs.Request, "check the file and its permissions")
}

func notWritten(path string, err error) error {
	return errs.Wrap(system.Reason(err), errs.Failed, "free some space, make the folder writable, or name another one with --to",
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
	if errors.Is(system.LockExclusive(f), system.ErrHeld) { // a file system without locks downloads without
		return errs.New(errs.Busy, "wait for it", "another process is downloading %s", path)
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
			return errs.New(errs.Interrupted, "", "interrupted with %d bytes of %s; the next fsnet data get continues from there", after, e.Name)
		}
		var refused *errs.Error
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
			return errs.Wrap(err, errs.Unavailable, "run it again, and it continues from there", "%s broke off after %d bytes", address, after)
		}
	}
	if err := e.check(part); err != nil {
		size, _ := f.Seek(0, io.SeekEnd)
		os.Remove(part)
		return errs.New(errs.Failed, "the download was removed; try again, or name another address with --from",
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
		return errs.With(err, errs.Request, "give an address with --from")
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
		kind, remedy := errs.Unavailable, "put "+e.files()[0]+" into $FSNET_DATA, or name another place with --from"
		return errs.New(kind, remedy, "%s answers %s", address, answer.Status)
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

// dataFolders are where data sets are looked for: here, $FSNET_DATA, and ../shared/data beside a checkout.
func dataFolders() []string {
	list := []string{"."}
	if dir := os.Getenv("FSNET_DATA"); dir != "" {
		list = append(list, dir)
	}
	return append(list, filepath.Join("..", "shared", "data"))
}

// collectedAt is the file of a data set that is known by name, where one is at hand.
func collectedAt(name string) (path string, ok bool) {
	e, err := findCollected(name)
	if err != nil {
		return "", false
	}
	path = e.at(dataFolders())
	return path, path != ""
}

// at is the first file of that data set in the folders, or "".
func (e collected) at(folders []string) string {
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

// collected is a data set that is known by name: a file NAME.mat. Rows, features, classes and SHA-256 were read from the file itself. Without a
// SHA-256 nobody here has had the file, and the numbers are those that its publishers give.
type collected struct {
	Name    string `json:"name"`             // of the data set
	N       int    `json:"rows"`             // rows (samples)
	D       int    `json:"features"`         // features
	Classes int    `json:"classes"`          // how many there are
	Paper   bool   `json:"paper"`            // one of the six of the paper
	Bytes   int64  `json:"bytes,omitempty"`  // size of the file
	SHA256  string `json:"sha256,omitempty"` // of the file, in hex; not known of files that nobody here has had
	path    string // below the address of the collection; "" where no public address is known
	blob    string // the file's object in the collection's git repository: SHA-1 of "blob", its size, a zero byte and the content
}

// collectionAddress is where the collection lies: one revision of its repository, so that the files are those of the hashes.
const collectionAddress = "https://raw.githubusercontent.com/jundongl/scikit-feature/48cffad4e88ff4b9d2f1c7baffb314d1b3303792/skfeature/data/"

// catalogue is those of the paper, those of the collection, and two of the same kind from elsewhere.
func catalogue() []collected {
	return []collected{
		{Name: "ALLAML", N: 72, D: 7129, Classes: 2, Paper: true, path: "ALLAML.mat", blob: "b592b0ace190de2da8389df1daadebc842b7dc3e",
			Bytes: 3639219, SHA256: "068afe0fe1021932e1e7d801294c267de8aeaa9d41899acfac024e72b0d44c1e"},
		{Name: "CLL_SUB_111", N: 111, D: 11340, Classes: 3, Paper: true,
			path: "CLL-SUB-111.mat", blob: "6f14fa8d02fbe7fca3e73f4c97da3f1e7003a648"},
		{Name: "GLI_85", N: 85, D: 22283, Classes: 2, Paper: true, path: "GLI-85.mat", blob: "5e6f7b529254a8460ff8ad96a5675cd95304e10a"},
		{Name: "GLIOMA", N: 50, D: 4434, Classes: 4, Paper: true, path: "GLIOMA.mat", blob: "10ab30deffc3938ba601215c3f95c5a93a157cde",
			Bytes: 1462087, SHA256: "c31cd32edd770c7a102729839e670e588bc959a591e0eae5a0676c9ca11d4c4f"},
		{Name: "Prostate_GE", N: 102, D: 5966, Classes: 2, Paper: true, path: "Prostate-GE.mat", blob: "0a5af44e4dcaf1d6fa43f21be954bc61eaac76df",
			Bytes: 1524983, SHA256: "050b598534dbc662f23e30f39b41354b61d02ab8567837bcf9b1091c1c636ab4"},
		{Name: "SMK_CAN_187", N: 187, D: 19993, Classes: 2, Paper: true,
			path: "SMK-CAN-187.mat", blob: "af38a120b93d5701e48e1ae679b5305c2ad2c791"},
		{Name: "arcene", N: 200, D: 10000, Classes: 2, path: "arcene.mat", blob: "3d93bcf2f21a7db1c90ee944dcd157573305192a",
			Bytes: 1900005, SHA256: "779d678207b9a8c0ba8f2f5ecdb2216d9f98bf475ab040e806797efd36331bc5"},
		{Name: "BASEHOCK", N: 1993, D: 4862, Classes: 2, path: "BASEHOCK.mat", blob: "775df01f89c7486e436c92a107b3a203263bec0c",
			Bytes: 279059, SHA256: "e0452e0f3c0fefdc5cb6352165e4ba4a25c3a2a7b5a5b4d44e103742d6317aa0"},
		{Name: "Carcinom", N: 174, D: 9182, Classes: 11, path: "Carcinom.mat", blob: "ed23efd165241be723f0796d8660c67ca8448bcc"},
		{Name: "COIL20", N: 1440, D: 1024, Classes: 20, path: "COIL20.mat", blob: "8f374909e08bf45766a0ec763923d955543006fd",
			Bytes: 3024549, SHA256: "4595ebdda07f47b0eb014fcfaddc22b452f9aed9c1d9261a0d5bc336c1ee1344"},
		{Name: "colon", N: 62, D: 2000, Classes: 2, path: "colon.mat", blob: "0aec8a9467406156bf7f008d7ef98bbed159d582",
			Bytes: 36319, SHA256: "ffcdeba03eb67cec403fa1dc9f827c22a6e2c57786bf3e01dfe1b4b3e25e0a2f"},
		{Name: "gisette", N: 7000, D: 5000, Classes: 2, path: "gisette.mat", blob: "09251d363e834a5cec17634245f09ae33f8c2f3b"},
		{Name: "Isolet", N: 1560, D: 617, Classes: 26, path: "Isolet.mat", blob: "a4d64a9c58c17143784f51ca30aa2ef7ecc86147",
			Bytes: 3652673, SHA256: "ea73c69b1342a7def8199458e53a70307a83d557eceb2579863dda57c3ccd2b1"},
		{Name: "leukemia", N: 72, D: 7070, Classes: 2, path: "leukemia.mat", blob: "7fbd959fc303de30c86080c822d8e955ab22d64e",
			Bytes: 154743, SHA256: "eb92382fb77c968864cb0a92a2c77acde7f88ba7fe5fd5a64b98184e3a05269d"},
		{Name: "lung", N: 203, D: 3312, Classes: 5, path: "lung.mat", blob: "becb82c675f788b040d5ced741955e19b94ce9b8"},
		{Name: "lung_small", N: 73, D: 325, Classes: 7, path: "lung_small.mat", blob: "fbefb85a0f3b6bfc3446d9fe345ed2250aeb4cba",
			Bytes: 7516, SHA256: "93c6a65eb1f6f9f95ac897010c337254a57c57e7f8c0c9a7963a0e03de8233f4"},
		{Name: "lymphoma", N: 96, D: 4026, Classes: 9, path: "lymphoma.mat", blob: "42cb35c54f7dd43216165787a8879e787f587f67",
			Bytes: 110185, SHA256: "bd834ed911d47ecf2e07625ed77617d514d89ee398fa2e7a787230f7cf5243f8"},
		{Name: "madelon", N: 2600, D: 500, Classes: 2, path: "madelon.mat", blob: "6f46eeccf01415ddfea85d6554a98cfebf984810",
			Bytes: 1496573, SHA256: "7dc9c9ff8d902651948e2df7f9cb6ed38c5d91e4c4159914cecb1ddbc7def12c"},
		{Name: "nci9", N: 60, D: 9712, Classes: 9, path: "nci9.mat", blob: "dd1771aed238a90fe80fdae475d7e69f96a59cc2",
			Bytes: 169288, SHA256: "e336aa43eaf3103803252604375a89141043994a54f93222f7ccc12b5b910789"},
		{Name: "ORL", N: 400, D: 1024, Classes: 40, path: "ORL.mat", blob: "5bb172ddf6a66ea79277c430f1a7060314824943",
			Bytes: 376584, SHA256: "e257ec36002e48688ed7f3b9fda13f479f2fd98864fa0672d1353eda1912b189"},
		{Name: "orlraws10P", N: 100, D: 10304, Classes: 10, path: "orlraws10P.mat", blob: "e2a201a9758ba75b5a8a5087daaed745d8f9b257",
			Bytes: 951783, SHA256: "6ffa58759c5636f4ce311d23e44ef8de9f39bbb844902154c0cc5daac71226d6"},
		{Name: "PCMAC", N: 1943, D: 3289, Classes: 2, path: "PCMAC.mat", blob: "b807e8c85fd84e31404a7f5f7361d5c4731eddd4",
			Bytes: 191131, SHA256: "9999dfccf97ab88f87127dd3457da436acb75cda9f0af4750e7cae5fe1a31b25"},
		{Name: "pixraw10P", N: 100, D: 10000, Classes: 10, path: "pixraw10P.mat", blob: "bc11ab31e7f3af9ebe57dae65ae6b710ed972bfa",
			Bytes: 520463, SHA256: "aa4b474244ae847dc2efdc868c0ff58fc3748a830c2ffdf760a1697cf72088f8"},
		{Name: "RELATHE", N: 1427, D: 4322, Classes: 2, path: "RELATHE.mat", blob: "8959a3dad6dee6dc8d1db97139c6ffefbdc295e5",
			Bytes: 226918, SHA256: "1091fe26c721aa69ddc5ce3ebcef54e03565809cae07e1769cef45ad23ab28d0"},
		{Name: "TOX_171", N: 171, D: 5748, Classes: 4, path: "TOX-171.mat", blob: "4375e3a072ca3676408174e73482a806bd60fec5",
			Bytes: 3470586, SHA256: "f52f57e61775b7830c84750456d7fadfd220d1cc8eed26419c3390eb9216cc84"},
		{Name: "USPS", N: 9298, D: 256, Classes: 10, path: "USPS.mat", blob: "ba84f0e79d4cb653e8e6b6b1d31e3ed0c5a7bff0"},
		{Name: "warpAR10P", N: 130, D: 2400, Classes: 10, path: "warpAR10P.mat", blob: "268f7bccf3c491dd0868418a009789c4a1a37780",
			Bytes: 279711, SHA256: "92b5f7e72b5715ada8f2df16e6d8e5effd8e0034a53a656ed9ef76e3f727d413"},
		{Name: "warpPIE10P", N: 210, D: 2420, Classes: 10, path: "warpPIE10P.mat", blob: "67d36c49140f5380c262d02761ceef162f5e0033",
			Bytes: 458267, SHA256: "0d22b0e4fe224ea7347ae266370b6eb0d724d5fd0ad7da71261a58c24e08c3c2"},
		{Name: "Yale", N: 165, D: 1024, Classes: 15, path: "Yale.mat", blob: "e19bddda6f5b15cce59406c3e58b6b04104ace91",
			Bytes: 161021, SHA256: "cccd29abd2c520dd5cc8ff7645b422c2bdadd59406a6b6a0239143d9d44afcf3"},
		{Name: "9_Tumor", N: 60, D: 5726, Classes: 9,
			Bytes: 492256, SHA256: "a6cd9e403ab167aca32840cd66db17d923986faa43fb95a62ead566368e3e7bb"},
		{Name: "chowdary", N: 104, D: 22283, Classes: 2,
			Bytes: 5096518, SHA256: "f5e049f65c35932f3b9b33ed01cecfbd2438323c9cfe7278644f43ab28d221f1"},
	}
}

// findCollected is the entry of a name, in any case and with - for _; the paper and some collections leave the number of rows out of it.
func findCollected(name string) (collected, error) {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "-", "_") }
	wanted := strings.TrimSuffix(plain(name), ".mat")
	var names []string // as they are compared
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

// files are the names that the file goes by.
func (e collected) files() []string {
	names := []string{e.Name + ".mat"}
	if e.path != "" && e.path != names[0] {
		names = append(names, e.path)
	}
	return names
}

// known says by what the file is known.
func (e collected) known() string {
	switch {
	case e.SHA256 != "":
		return e.SHA256
	case e.blob != "":
		return "not verified here (git object " + e.blob + ")"
	}
	return "not verified here"
}

// check compares a file with what is known of it. The error says what differs; it is that of reading the file where it cannot be read.
func (e collected) check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	const remedy = "remove it and run fsnet data get "
	if size := info.Size(); e.Bytes > 0 && size < e.Bytes {
		return errs.New(errs.Failed, remedy+e.Name, "%s is half-written: it has %d bytes of %d", path, size, e.Bytes)
	}
	whole, object := sha256.New(), sha1.New()
	fmt.Fprintf(object, "blob %d\x00", info.Size())
	if _, err := io.Copy(io.MultiWriter(whole, object), f); err != nil {
		return err
	}
	kind, want, got := "SHA-256", e.SHA256, hex.EncodeToString(whole.Sum(nil))
	if want == "" {
		kind, want, got = "git object", e.blob, hex.EncodeToString(object.Sum(nil))
	}
	if got != want {
		return errs.New(errs.Failed, remedy+e.Name, "%s is not %s: its %s is %s, not %s", path, e.Name, kind, got, want)
	}
	return nil
}
