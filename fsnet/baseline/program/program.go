// Package program is a method of feature selection that another program computes: any language, any library.
//
// The program is started once and answers one request after another: JSON, a line each, on standard input and output, with the data in
// NumPy files. docs/methods.md is its protocol. A [Program] is a [baseline.Method] like the others.
//
//	rf, err := program.New("rf", "./rf.py")
//	rf, err = rf.In("")                   // finds the files that the command names, and reads what identifies them
//	model, err := rf.Fit(ctx, data, baseline.Options{K: 10, Seed: 1})
//	accuracy, err := rf.Score(ctx, test)  // nil where the program only selects
//	rf.Close()
//
// # Caveats
//
// A program that answers nonsense, or that ctx cancels, is killed with its process group; the next Fit starts it again. There is no time
// limit. Fits of one Program take turns.
//
// The identity of a Program is the content of the files in its command: a module that it imports is not among them.
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

// version goes up when the protocol changes so that programs select otherwise than before.
const version = 1

// Program is a method that a command computes.
type Program struct {
	name, command string
	directory     string   // where relative paths of the command begin
	args          []string // of the process; nil before In
	hash          string   // of the command; "" before In

	turn    sync.Mutex
	process *process
	fits    int
	fitted  answer // the last one
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// New names a command: a program and its arguments, with spaces between. A program FILE.py is run by the Python of the
// installation where that has NumPy, else by python3; any other must be executable.
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

// Command is the command as it was written.
func (p *Program) Command() string { return p.command }

// Hash identifies the program: sixteen digits of the hash of its command, in which the content of a file stands for its name.
func (p *Program) Hash() string { return p.hash }

// In is the program in a directory, where its relative paths begin; "" is the current one.
func (p *Program) In(directory string) (*Program, error) {
	directory, err := filepath.Abs(directory)
	if err != nil {
		return nil, errs.With(err, errs.Failed, "change to a directory that exists")
	}
	found := &Program{name: p.name, command: p.command, directory: directory}
	found.args, found.hash, err = found.find()
	return found, err
}

// As is the program of a hash, which has no files and cannot be fitted: rows that it made elsewhere are identified by it.
func (p *Program) As(hash string) *Program {
	return &Program{name: p.name, command: p.command, hash: hash}
}

// find is the command with its files' paths, and its hash.
func (p *Program) find() (args []string, hash string, err error) {
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
		first, err := p.first(path)
		if err != nil {
			return nil, "", err
		}
		args = append(args, first...)
	}
	return args, hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// first is the program itself, after the Python that runs it.
func (p *Program) first(path string) ([]string, error) {
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

// python is that of the installation where it has NumPy, as with the packages that methods/ needs, else that of the user's path.
func python() (string, error) {
	for _, prefix := range []string{system.Prefix(), filepath.Join(system.Home(), "venv")} {
		found, err := filepath.Glob(filepath.Join(prefix, "lib", "python3*", "site-packages", "numpy"))
		if err == nil && len(found) > 0 && filepath.IsAbs(prefix) {
			return filepath.Join(prefix, "bin", "python3"), nil
		}
	}
	return exec.LookPath("python3")
}

// Entry is what the method is. Whether it takes quantities the program itself says, when it is asked.
func (p *Program) Entry() baseline.Entry {
	return baseline.Entry{Name: p.name, Version: version, About: p.command, Selects: true, Regression: true}
}

// Memory is nothing: nobody knows what the program takes.
func (p *Program) Memory(baseline.Sizes) int64 { return 0 }

// Fit asks the program for K features. A program that fails, dies or answers otherwise than the protocol says is an error of kind Failed
// that names it.
func (p *Program) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	w, err := baseline.Begin(ctx, p, data, o, "")
	if err != nil {
		return nil, err
	}
	p.fits++
	p.fitted = answer{}
	ask := request{Fit: p.fits, K: o.K, Seed: o.Seed, Classes: data.Classes, Task: "classes", Features: data.Features}
	if data.Regression() {
		ask.Task = "regression"
	}
	got, err := p.ask(ctx, ask, data, w)
	if err != nil {
		return nil, err
	}
	selected, err := p.selected(got, data, o.K)
	if err != nil {
		p.end()
		return nil, err
	}
	p.fitted = got
	return &baseline.Model{Method: p.name, Features: data.Width(), Selected: selected}, nil
}

// Score asks the program that was fitted last about rows that it has not seen: the share of classes, or of quantities metric.R2, that it
// predicts. It is nil where the program only selects.
func (p *Program) Score(ctx context.Context, test baseline.Data) (*float64, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	if !p.fitted.Predicts {
		return nil, nil
	}
	rows := baseline.Data{Rows: test.Rows} // it is not told what they are
	got, err := p.ask(ctx, request{Predict: p.fits}, rows, &baseline.Work{Entry: p.Entry()})
	if err != nil {
		return nil, err
	}
	score, err := p.score(got, test)
	if err != nil {
		p.end()
		return nil, err
	}
	return &score, nil
}

// Close ends the program, and lets it end by itself where it does so at once.
func (p *Program) Close() {
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.process != nil {
		p.process.finish()
		p.process = nil
	}
}

// end kills the program: what it would say next belongs to nobody.
func (p *Program) end() {
	if p.process != nil {
		p.process.kill()
		p.process = nil
	}
}
