package magic

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
)

// Program is a command of fsnet that a line can run. It runs in another
// process, because a failing device may abort the process.
type Program struct {
	Name, Usage, About string
	Flags              []Flag
}

// Flag is an option of a Program, under the name used in lines.
type Flag struct {
	Name, About, Default string

	Key    bool     // it sets the key of a training with this name
	Truth  bool     // it is true or false
	File   bool     // it is the path of a file
	Values []string // offered by completion, even after a comma
}

// verb returns the program's entry in the language. The program's flags become
// options and keys.
func (p Program) verb() verb {
	v := verb{name: p.Name, usage: p.Usage, about: p.About, maxWords: anyNumber, complete: completeSessionOrData, run: (*request).runProgram}
	var keys []string

	for _, f := range p.Flags {
		o := option{name: f.Name, about: f.About, standard: f.Default}
		switch {
		case f.Key:
			keys = append(keys, f.Name)
			continue
		case f.Name == "grid":
			v.hasGrid = true
			continue
		case f.Name == "progress":
			v.hasProgress = true
			continue
		case f.Name == "json", f.Name == "quiet": // lines can't set them
			continue
		case f.Truth:
			o.kind = truth
		case f.File:
			o.kind = file
		case len(f.Values) > 0:
			o.kind, o.values = list, f.Values
		}
		v.options = append(v.options, o)
	}

	if len(keys) > 0 {
		v.keys = func(key config.Key) bool { return slices.Contains(keys, key.Name) }
	}
	return v
}

// listCompletions returns typed with its last entry replaced by each value that
// typed doesn't contain yet. The caller must select the values that start with
// that entry.
func listCompletions(values []string, typed string) (list []string) {
	entries := strings.Split(typed, ",")
	before := typed[:len(typed)-len(entries[len(entries)-1])]

	for _, value := range values {
		if !slices.Contains(entries[:len(entries)-1], value) {
			list = append(list, before+value)
		}
	}
	return list
}

// runProgram runs the verb's command with the line's words and options. If you
// interrupt the cell, the command is interrupted, and then shows what is done.
func (r *request) runProgram(ctx context.Context) error {
	data, settings, err := r.inputs(ctx)
	if err != nil {
		return err
	}

	args, err := r.arguments(settings)
	if err != nil {
		return err
	}

	more := ""
	// The command writes each row when it is done, so the same line can
	// continue.
	if output, _ := r.verb.option("output"); output.kind == file && r.verb.hasProgress {
		file := r.values["output"]
		if file == "" {
			if file, err = r.rowsFile(r.verb.name, slices.Concat(args, data)); err != nil {
				return err
			}
			written := file
			if r.directory != "" {
				written = r.locate(file)
			}
			args = append(args, "--output="+written)
		}
		more = "run the same line again to continue with " + file
	}

	// After -- a word that starts with a dash is the name of a file, not an
	// option.
	args = slices.Concat(args, []string{"--"}, data)

	id := r.options.NewID()
	draw := drawings()[r.verb.name]
	report, last, ended, err := r.runChild(ctx, args, func(text string, partial json.RawMessage) {
		if draw != nil && len(partial) > 0 {
			if pictures, err := draw(partial); err == nil && len(pictures) > 0 {
				r.out.Update(id, pictures[len(pictures)-1])
			}
			return
		}
		r.out.Update(id, note(text+" · as of "+time.Now().Format(time.DateTime)).WithTerminal(text))
	})

	if err != nil {
		return err
	}

	done := "something"
	if draw == nil {
		if text := strings.TrimRight(string(report), "\n"); text != "" {
			r.out.Display(note(text))
		}
	} else if done, err = r.show(report, id, draw); err != nil {
		return err
	}

	if r.verb.name == "stability" {
		r.remember(report)
	}

	switch {
	case ended == nil:
		return nil
	case ctx.Err() != nil:
		return errs.New(errs.Interrupted, more, "interrupted with %s done", done)
	case last == "":
		return errs.Wrap(ended, errs.Failed, cmp.Or(more, "fsnet doctor looks at this machine"), "fsnet %s ended", r.verb.name)
	}
	return r.childError(strings.TrimPrefix(last, "fsnet: "))
}

// ErrorsVariable is the environment variable with which a command prints its error as JSON. Its
// remedy then has keys, as a line of a notebook does, instead of options.
const ErrorsVariable = "FSNET_ERRORS"

// childError returns the error that a command printed in its last line. An option before the file
// that it is about becomes one of the line.
func (r *request) childError(last string) error {
	var e errs.Error
	if err := json.Unmarshal([]byte(last), &e); err != nil || e.Kind == "" {
		return errs.New(errs.Failed, "", "%s", last)
	}
	if name, rest, ok := strings.Cut(strings.TrimPrefix(e.What, "--"), " "); ok && strings.HasPrefix(e.What, "--") {
		if o, _ := r.verb.option(name); o.kind == file {
			e.What = name + "=" + rest
		}
	}
	return &e
}

// inputs returns the data sets and settings of a line. The name of an open
// session means its data and settings. If the line has no name, the current
// session is used.
func (r *request) inputs(ctx context.Context) (data []string, c config.Config, err error) {
	data, c = slices.Clone(r.words), r.config

	if c.Data != "" {
		data = append(data, c.Data)
	}

	if r.verb.keys == nil || len(data) > 1 || c.Data != "" {
		return data, c, nil
	}

	name := r.Current()
	if len(data) == 1 {
		name = data[0]
	}

	if name == "" {
		return nil, c, errs.New(errs.Request, "write %fsnet "+r.verb.name+" ALLAML, or name a session", "%s of which session or data?",
			r.verb.name)
	}

	open, err := r.openStatus(ctx, name)
	if err != nil || open == nil {
		return []string{name}, c, err
	}

	if err := checkTable(ctx, *open); err != nil {
		return nil, c, err
	}

	r.session, r.settings, r.directory = name, open.Config, open.Directory
	keys := open.Config.Config()
	for _, key := range keys.Given() {
		text := keys.Text(key.Name)
		if c.Text(key.Name) == "" && text != key.Default(open.Config.Protocol) && text != "" {
			if err := c.Set(key.Name, text); err != nil {
				return nil, c, err
			}
		}
	}

	return []string{keys.Data}, c, nil
}

// checkTable returns an error if a session's data are now another table, for
// example because the file was edited or moved. It reads the table as the
// session did.
func checkTable(ctx context.Context, now session.Status) error {
	if now.DataHash == "" {
		return nil
	}

	data, err := dataset.Open(ctx, now.Config, now.Directory)
	if err != nil {
		return err
	}

	if data.Hash != now.DataHash {
		return errs.New(errs.Request, "bring the table back, or open the session again with replace=true",
			"%s is another table than session %s has", now.Config.Data, now.Session)
	}
	return nil
}

// openStatus returns the status of the open session of a name. It returns nil
// without an error if there is no such session.
func (i *Interpreter) openStatus(ctx context.Context, name string) (*session.Status, error) {
	host, err := i.options.Host(ctx)
	if err != nil {
		return nil, err
	}

	status, err := session.On(host, name).Status(ctx)
	switch {
	case errs.Is(err, errs.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &status, nil
}

// arguments returns the arguments of the fsnet process that runs the command,
// starting with the verb. Keys with several values form its grid. It fails if
// a verb with a grid has no such key.
func (r *request) arguments(c config.Config) ([]string, error) {
	args := []string{r.verb.name}
	if drawings()[r.verb.name] != nil {
		args = append(args, "--json")
	}

	if r.verb.hasProgress {
		args = append(args, "--progress=json")
	}
	flag := func(name, value string) { args = append(args, "--"+strings.ReplaceAll(name, "_", "-")+"="+value) }

	for _, key := range c.Given() {
		inGrid := slices.ContainsFunc(r.grid, func(o Option) bool { return strings.ReplaceAll(o.Key, "-", "_") == key.Name })
		if key.Name != "data" && r.verb.accepts(key) && !inGrid {
			flag(key.Name, c.Text(key.Name))
		}
	}

	if r.verb.hasGrid {
		var grid []string
		for _, o := range r.grid {
			grid = append(grid, o.Key+"="+o.Value)
		}
		if len(grid) == 0 {
			return nil, errs.New(errs.Request, "give a key at least two values: %fsnet "+r.verb.name+" ALLAML k=5,10,20",
				"%s: there is nothing to choose from", r.verb.name)
		}
		flag("grid", strings.Join(grid, " "))
	}

	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		value := r.values[name]
		if o, _ := r.verb.option(name); o.kind == file && r.directory != "" { // files of the line are relative to the notebook
			value = r.locate(value)
		}
		flag(name, value)
	}

	return args, nil
}

// child runs fsnet with args. progress receives the reports on standard error,
// and last is the last other line there. printed is the standard output, and
// ended is the process's exit error. err means that the process couldn't be
// started. If ctx ends, runChild interrupts the command. The command then
// prints what is done.
func (r *request) runChild(ctx context.Context, args []string, progress func(text string, partial json.RawMessage)) (
	printed []byte, last string, ended, err error) {
	program := r.program
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return nil, "", nil, errs.Wrap(err, errs.Failed, "use the command fsnet "+r.verb.name, "the path of this program is not known")
		}
	}

	cmd := exec.Command(program, args...)                //nolint:gosec // it runs this program, and without a shell
	cmd.Dir = cmp.Or(r.directory, r.options.Directory()) // where the session's relative paths start
	cmd.Env = r.options.Variables.Environment(ErrorsVariable + "=json")
	var out bytes.Buffer
	cmd.Stdout = &out

	messages, writer := io.Pipe() // exec's pipe is closed when the command ends, even if it wasn't read
	cmd.Stderr = writer

	p, err := process.Start(cmd)
	if err != nil {
		return nil, "", nil, errs.Wrap(err, errs.Failed, "", "fsnet %s cannot be started", r.verb.name)
	}

	go func() {
		defer writer.Close()
		select {
		case <-ctx.Done():
			p.Signal(syscall.SIGINT)
			r.awaitEnd(p, process.ForceInterrupt(ctx))
		case <-p.Done():
		}
	}()

	defer func() { // the command has ended, unless progress panicked
		messages.Close()
		p.Stop(remindAfter)
	}()

	for line := range process.Lines(messages) {
		if text, partial, ok := r.parseReport(line); !ok {
			last = line
		} else if text != "" {
			progress(text, partial)
		}
	}

	return out.Bytes(), last, p.Err(), nil
}

// remindAfter is how long an interrupted command may continue before the user
// learns how to kill it.
const remindAfter = 2 * time.Second

// awaitEnd waits for an interrupted command. The command may end late, during a
// long call of its device, or never, if it was stopped. Once forced is closed,
// awaitEnd kills it.
func (r *request) awaitEnd(p *process.Process, forced <-chan struct{}) {
	remind := time.NewTimer(remindAfter)
	defer remind.Stop()
	for {
		select {
		case <-p.Done():
			return
		case <-remind.C:
			if forced != nil {
				r.out.Display(note("interrupted: fsnet " + r.verb.name + " finishes its present step; interrupt again to end it at once"))
			}
		case <-forced:
			p.Signal(syscall.SIGKILL)
			<-p.Done()
			return
		}
	}
}

// parseReport parses a line of --progress=json: the amount done and, from some
// programs, a partial report. It shows notes at once. ok is false if the line
// isn't a progress report.
func (r *request) parseReport(line string) (text string, report json.RawMessage, ok bool) {
	var p struct {
		Done, Total, Planned int
		What, Note           string
		Share, Left          float64 // Left is in seconds, and 0 if unknown
		Report               json.RawMessage
	}

	switch err := json.Unmarshal([]byte(line), &p); {
	case err == nil && p.Note != "":
		r.out.Display(note(p.Note))
		return "", nil, true
	case err == nil && p.Total > 0:
		text = fmt.Sprintf("%d of %s · %s", p.Done, phrase.Count(p.Total, "fit"), p.What)
	case err == nil && p.Planned > 0:
		text = fmt.Sprintf("%d of %s · %.0f%%", p.Done, phrase.Count(p.Planned, "half-sample"), 100*p.Share)
	default:
		return "", nil, false
	}

	if p.Left > 0 {
		text += " · " + chart.Duration(p.Left) + " left"
	}
	return text, p.Report, true
}

// rowsFile creates the file for a line's rows if the line names none, and
// returns its path relative to the working directory. The name depends on the
// line, so that the same line continues.
func (i *Interpreter) rowsFile(folder string, args []string) (string, error) {
	sum := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	file := filepath.Join(".fsnet", folder, hex.EncodeToString(sum[:6])+".jsonl")
	directory := filepath.Join(i.options.Directory(), ".fsnet")

	err := os.MkdirAll(filepath.Join(directory, folder), 0o700)
	if err == nil {
		err = createPrivate(filepath.Join(directory, ".gitignore"), "*\n")
	}
	if err == nil {
		err = createPrivate(filepath.Join(i.options.Directory(), file), "") // the command keeps its permissions
	}

	if err != nil {
		return "", errs.Wrap(err, errs.Request, "name a file: output=FILE", "the rows cannot be kept beside the notebook")
	}
	return file, nil
}

// createPrivate creates a file that only its owner can read, unless the file
// exists.
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

// completeSessionOrData offers the open sessions and data.
func completeSessionOrData(ctx context.Context, i *Interpreter, text string, earlier []word) []string {
	return append(i.openSessions(ctx), i.dataNames(text)...)
}
