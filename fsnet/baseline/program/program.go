// Package program runs feature selection methods that are other programs, in
// any language and with any library.
//
// The program is started once and answers one request after another.
// Requests and answers are JSON, one line each, on standard input and
// output, and the data are in NumPy files. docs/methods.md describes the
// protocol. Start with [Program], a [baseline.Method] like any other.
//
//	rf, err := program.New("rf", "./rf.py")
//	rf, err = rf.In("")                   // finds the files that the command names, and reads what identifies them
//	model, err := rf.Fit(ctx, data, baseline.Options{K: 10, Seed: 1})
//	accuracy, err := rf.Score(ctx, test)  // nil if the program only selects
//	rf.Close()
//
// # Caveats
//
// If a program answers nonsense, or ctx is canceled, the program is killed
// with its process group. The next Fit starts it again. There is no time
// limit. Fits of one Program take turns.
//
// A Program is identified by the content of the files in its command.
// Modules that it imports are not included.
package program

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// version rises when a change of the protocol makes programs select
// differently.
const version = 1

// Program is a method that is computed by a command.
type Program struct {
	name, command string
	directory     string   // where relative paths of the command start
	args          []string // arguments of the process; nil before In
	hash          string   // hash of the command; "" before In

	turn    sync.Mutex
	process *process
	fits    int
	last    answer // answer to the last fit
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// New returns a program for a command: a program file and its arguments,
// separated by spaces. A program FILE.py is run by the Python of the
// installation if that has NumPy, otherwise by python3. Any other program
// must be executable.
func New(name, command string) (*Program, error) {
	switch {
	case !validName.MatchString(name):
		return nil, errs.New(errs.Request, "write letters, digits, dots, dashes and underscores, as in rf=./rf.py",
			"the program's name %.40q", name)
	case len(strings.Fields(command)) == 0:
		return nil, errs.New(errs.Request, "write "+name+"=./"+name+".py", "%s: no program", name)
	}
	return &Program{name: name, command: strings.TrimSpace(command)}, nil
}

// Command returns the command as it was given to [New].
func (p *Program) Command() string { return p.command }

// Hash identifies the program. It consists of sixteen digits of the hash of
// its command, in which the name of each file is replaced by its content.
func (p *Program) Hash() string { return p.hash }

// In returns the program in a directory, where its relative paths start. If
// directory is "", it is the current one. In reads the files that the
// command names. It returns an error if the program is missing, cannot be
// read or cannot be executed, or if there is no Python for it.
func (p *Program) In(directory string) (*Program, error) {
	directory, err := filepath.Abs(directory)
	if err != nil {
		return nil, errs.With(err, errs.Failed, "change to a directory that exists")
	}
	found := &Program{name: p.name, command: p.command, directory: directory}
	found.args, found.hash, err = found.locate()
	return found, err
}

// As returns a program with a given hash but without files. It cannot be
// fitted. It identifies rows that were computed elsewhere.
func (p *Program) As(hash string) *Program {
	return &Program{name: p.name, command: p.command, hash: hash}
}

// locate returns the command with the paths of its files, and its hash. It
// reads the files again on each call.
func (p *Program) locate() (args []string, hash string, err error) {
	sum := sha256.New()
	for i, word := range strings.Fields(p.command) {
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.directory, word)
		}
		content, err := os.ReadFile(path)
		switch {
		case err == nil:
			fmt.Fprintf(sum, "file %x\n", sha256.Sum256(content))
		case i == 0 && strings.Contains(word, "/"):
			return nil, "", p.unreadable(path, err)
		default:
			path = word
			fmt.Fprintf(sum, "word %q\n", word)
		}

		if i > 0 {
			args = append(args, path)
			continue
		}

		first, err := p.launcher(path)
		if err != nil {
			return nil, "", err
		}
		args = append(args, first...)
	}
	return args, hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// launcher returns the beginning of the command: the program, preceded by
// the Python that runs it if it is a .py file. A name without a path is
// looked up in PATH.
func (p *Program) launcher(path string) ([]string, error) {
	if !filepath.IsAbs(path) {
		found, err := exec.LookPath(path)
		if err != nil {
			return nil, errs.New(errs.NotFound, "write its path, as in "+p.name+"=./"+path, "%s: there is no program %.80q", p.name, path)
		}
		return []string{found}, nil
	}
	if strings.HasSuffix(path, ".py") {
		python, err := python()
		if err != nil {
			return nil, errs.New(errs.Unavailable, "install Python, or name one: "+p.name+"=/path/to/python "+p.command,
				"%s: there is no python3", p.name)
		}
		return []string{python, path}, nil
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		return nil, errs.New(errs.Request, "chmod +x it, or name what runs it: "+p.name+"=COMMAND "+p.command,
			"%s: %s is not executable", p.name, path)
	}
	return []string{path}, nil
}

// unreadable returns the error for a file of the program that cannot be
// read.
func (p *Program) unreadable(path string, err error) error {
	if os.IsNotExist(err) {
		return errs.New(errs.NotFound, "look at its path, which starts at the current directory, or at that of a plan",
			"%s: there is no program %s", p.name, path)
	}
	if e := new(fs.PathError); errors.As(err, &e) {
		err = e.Err
	}
	return errs.New(errs.Request, "name a file that can be read", "%s: %s: %v", p.name, path, err)
}

// python returns the Python of the installation if it has NumPy, as it does
// with the packages that methods/ needs. Otherwise it returns the Python in
// PATH.
func python() (string, error) {
	for _, prefix := range []string{system.Prefix(), filepath.Join(system.Home(), "venv")} {
		found, err := filepath.Glob(filepath.Join(prefix, "lib", "python3*", "site-packages", "numpy"))
		if err == nil && len(found) > 0 && filepath.IsAbs(prefix) {
			return filepath.Join(prefix, "bin", "python3"), nil
		}
	}
	return exec.LookPath("python3")
}

// Entry describes the method. Whether it accepts quantities is up to the
// program.
func (p *Program) Entry() baseline.Entry {
	return baseline.Entry{Name: p.name, Version: version, About: p.command, Selects: true, Regression: true}
}

// Fit asks the program for K features. If the program fails, dies or
// violates the protocol, the error is of kind Failed and names the program.
func (p *Program) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	w, err := baseline.Begin(p, data, o, "")
	if err != nil {
		return nil, err
	}

	p.fits++
	p.last = answer{}
	ask := request{Fit: p.fits, K: o.K, Seed: o.Seed, Classes: data.Classes, Task: "classes", Features: data.Features}
	if data.Regression() {
		ask.Task = "regression"
	}

	got, err := p.ask(ctx, ask, data, w)
	if err != nil {
		return nil, err
	}

	selected, err := p.parseSelection(got, data, o.K)
	if err != nil {
		p.abandon()
		return nil, err
	}

	p.last = got
	return &baseline.Model{Method: p.name, Features: data.Width(), Selected: selected}, nil
}

// Score asks the program, as fitted last, about new rows. It returns the
// share of classes that are predicted correctly or, for quantities,
// metric.R2. It returns nil if the program only selects.
func (p *Program) Score(ctx context.Context, test baseline.Data) (*float64, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	if !p.last.Predicts {
		return nil, nil
	}
	rows := baseline.Data{Rows: test.Rows} // without their labels
	got, err := p.ask(ctx, request{Predict: p.fits}, rows, &baseline.Work{Entry: p.Entry()})
	if err != nil {
		return nil, err
	}

	score, err := p.score(got, test)
	if err != nil {
		p.abandon()
		return nil, err
	}
	return &score, nil
}

// Close ends the program. It kills the program if that does not end within
// two seconds. Another Fit starts it again.
func (p *Program) Close() {
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.process != nil {
		p.process.finish()
		p.process = nil
	}
}

// abandon kills the program, because its next answer would belong to an
// abandoned request.
func (p *Program) abandon() {
	if p.process != nil {
		p.process.kill()
		p.process = nil
	}
}
