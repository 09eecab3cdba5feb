package program

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/phrase"
)

// request is a line for the program. It asks for a selection, or for
// predictions with the last fit.
type request struct {
	Fit     int    `json:"fit,omitempty"`     // number of the fit
	Predict int    `json:"predict,omitempty"` // number of the fit to predict with
	X       string `json:"x"`                 // NumPy file of the rows, n×d, 64 bits
	// Y is a NumPy file of n classes, numbered from 0, or of n quantities,
	// in 64 bits.
	Y        string   `json:"y,omitempty"`
	Task     string   `json:"task,omitempty"`    // classes or regression
	Classes  int      `json:"classes,omitempty"` // number of classes
	K        int      `json:"k,omitempty"`
	Seed     int64    `json:"seed"`
	Features []string `json:"features,omitempty"` // names of the columns
}

// answer is a line from the program.
type answer struct {
	Fit      int       `json:"fit"`
	Predict  int       `json:"predict"`
	Selected []any     `json:"selected"` // names or numbers of columns, best first
	Scores   []float64 `json:"scores"`   // scores of these columns, falling
	Predicts bool      `json:"predicts"` // can be asked to predict
	Y        []float64 `json:"y"`        // its predictions
	Error    string    `json:"error"`    // why there is no answer

	Progress []int  `json:"progress"` // only for progress: steps done, and all steps
	Stage    string `json:"stage"`    // what the steps are
}

const protocolPage = "docs/methods.md has the protocol"

// protocolError returns the error for an answer that violates the protocol.
func (p *Program) protocolError(remedy, format string, args ...any) error {
	return errs.New(errs.Failed, remedy, p.name+": "+format, args...)
}

// ask sends a request about data and returns the answer. If the program
// explains why it cannot answer, ask returns an error of kind Failed and the
// program keeps running. After any other error the program is killed.
func (p *Program) ask(ctx context.Context, r request, data baseline.Data, w *baseline.Work) (answer, error) {
	got, err := p.exchange(ctx, r, data, w)
	if err != nil {
		p.abandon()
		return answer{}, err
	}
	if got.Error != "" {
		return answer{}, p.protocolError("", "%.300s", got.Error)
	}
	return got, nil
}

// exchange starts the program if necessary, writes a request and reads lines
// until the answer arrives. It reports progress. Only ctx limits its time.
// After an error the program is in an unknown state.
func (p *Program) exchange(ctx context.Context, r request, data baseline.Data, w *baseline.Work) (answer, error) {
	if err := p.ensureRunning(); err != nil {
		return answer{}, err
	}
	line, err := p.write(r, data)
	if err != nil {
		return answer{}, errs.Wrap(err, errs.Failed, "free some space in "+os.TempDir(), "%s: the data cannot be written for it", p.name)
	}
	in, sent := p.process.in, make(chan struct{}) // p.process may be replaced in the meantime
	go func() {                                   // the program may write before it reads
		defer close(sent)
		_, _ = in.Write(line) // the loop below reports if the program has ended
	}()
	for {
		select {
		case <-ctx.Done():
			return answer{}, w.Interrupted(ctx)
		case text, ok := <-p.process.lines:
			if !ok {
				p.process.kill() // it may have written a line that is too long and still be running
				return answer{}, p.protocolError("run it by hand to see why: "+p.command, "it ended without an answer: %s", p.process.how)
			}
			got, err := p.parse(text, r)
			if err != nil {
				return answer{}, err
			}
			if got.Progress == nil {
				select {
				case <-sent:
				case <-ctx.Done():
					err = w.Interrupted(ctx)
				}
				return got, err
			}
			w.Stage = got.Stage
			w.Report(got.Progress[0], got.Progress[1])
		}
	}
}

// ensureRunning starts the program unless it is running.
func (p *Program) ensureRunning() error {
	if p.process != nil {
		return nil
	}
	if p.args == nil {
		return errs.New(errs.Request, "run this where the program is", "%s: no program was found for it", p.name)
	}

	args, hash, err := p.locate()
	if err != nil {
		return err
	}
	if hash != p.hash {
		return errs.New(errs.Request, "leave it alone while rows are made, and run the same command again",
			"%s has changed: its hash was %s and is %s", p.name, p.hash, hash)
	}
	if p.process, err = start(args); err != nil {
		return p.protocolError("look at its first line and its permissions", "it cannot be started: %v", err)
	}
	return nil
}

// write writes the data of a request to the folder of the process and
// returns the line of the request.
func (p *Program) write(r request, data baseline.Data) ([]byte, error) {
	file := func(name string, content []byte) (string, error) {
		path := filepath.Join(p.process.folder, name)
		return path, os.WriteFile(path, content, 0o600)
	}

	var err error
	if r.X, err = file("x.npy", numpy("<f8", slices.Concat(data.Rows...), len(data.Rows), data.Width())); err != nil {
		return nil, err
	}
	switch {
	case r.Fit == 0:
	case data.Regression():
		r.Y, err = file("y.npy", numpy("<f8", data.Target, len(data.Target)))
	default:
		classes := make([]int64, len(data.Y))
		for i, y := range data.Y {
			classes[i] = int64(y)
		}
		r.Y, err = file("y.npy", numpy("<i8", classes, len(classes)))
	}

	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(r)
	return append(line, '\n'), err
}

// numpy returns an array in the file format of NumPy, version 1.0.
func numpy[T int64 | float64](kind string, values []T, shape ...int) []byte {
	text := ""
	for _, n := range shape {
		text += fmt.Sprintf("%d, ", n)
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, text)
	const before, step = 10, 64 // values start at a multiple of step
	for (before+len(head)+1)%step != 0 {
		head += " "
	}
	head += "\n"

	b := bytes.NewBuffer(make([]byte, 0, before+len(head)+8*len(values)))
	b.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(b, binary.LittleEndian, uint16(len(head))) // writing to memory cannot fail
	b.WriteString(head)
	_ = binary.Write(b, binary.LittleEndian, values)
	return b.Bytes()
}

// parse parses a line of the program. It must be progress, or the answer to
// r. Otherwise the error is of kind Failed.
func (p *Program) parse(line string, r request) (answer, error) {
	var got answer
	words := json.NewDecoder(bytes.NewReader([]byte(line)))
	words.DisallowUnknownFields()
	words.UseNumber()
	if err := words.Decode(&got); err != nil || words.More() {
		why := "more than an object"
		if err != nil {
			why = err.Error()
		}
		return got, p.protocolError("print answers alone to standard output, a JSON object a line; "+protocolPage, "it wrote %.80q (%s)", line, why)
	}

	switch {
	case got.Progress != nil && (len(got.Progress) != 2 || got.Progress[0] < 0 || got.Progress[1] < max(1, got.Progress[0])):
		return got, p.protocolError("write [done, all]", "progress = %v", got.Progress)
	case got.Progress != nil && (got.Fit != 0 || got.Predict != 0):
		return got, p.protocolError("write two lines", "progress and an answer in one line")
	case got.Progress == nil && (got.Fit != r.Fit || got.Predict != r.Predict):
		return got, p.protocolError("answer each request once, with its fit or predict",
			"asked for fit = %d, predict = %d, it answered fit = %d, predict = %d", r.Fit, r.Predict, got.Fit, got.Predict)
	}
	return got, nil
}

// parseSelection returns the k features named in the answer. Their score is
// 0 if the answer has no scores. It rejects another number of features,
// unknown or repeated features, and scores that rise, with errors of kind
// Failed.
func (p *Program) parseSelection(got answer, data baseline.Data, k int) ([]baseline.Feature, error) {
	switch {
	case len(got.Selected) != k:
		return nil, p.protocolError("select as many as k says; those that are left fill up the end",
			"it selected %s, not %d", phrase.Count(len(got.Selected), "feature"), k)
	case len(got.Scores) > 0 && len(got.Scores) != k:
		return nil, p.protocolError("give each feature its score, or leave scores out",
			"%s for %s", phrase.Count(len(got.Scores), "score"), phrase.Count(k, "feature"))
	}

	taken := map[int]bool{}
	features := make([]baseline.Feature, k)
	for i, what := range got.Selected {
		column := -1
		switch what := what.(type) {
		case string:
			column = slices.Index(data.Features, what)
		case json.Number:
			if n, err := what.Int64(); err == nil && n >= 0 && n < int64(data.Width()) {
				column = int(n)
			}
		}

		switch {
		case column < 0:
			return nil, p.protocolError(fmt.Sprintf("give names from features, or numbers from 0 to %d", data.Width()-1),
				"it selected %.60q, which is not a feature", fmt.Sprint(what))
		case taken[column]:
			return nil, p.protocolError("select each once", "it selected %.60q twice", fmt.Sprint(what))
		}

		taken[column] = true
		features[i].Index = column
		if got.Scores == nil {
			continue
		}
		features[i].Score = got.Scores[i]
		if i > 0 && got.Scores[i] > got.Scores[i-1] {
			return nil, p.protocolError("give the best feature first, with scores that fall, or leave scores out",
				"score %d is %g, after %g", i+1, got.Scores[i], got.Scores[i-1])
		}
	}
	return features, nil
}

// score returns the accuracy of the predictions of an answer, or R². It
// rejects predictions that are not as many as the rows, or that are not
// classes, with errors of kind Failed.
func (p *Program) score(got answer, test baseline.Data) (float64, error) {
	if len(got.Y) != len(test.Rows) {
		return 0, p.protocolError("predict each row once", "%s for %s", phrase.Count(len(got.Y), "prediction"), phrase.Count(len(test.Rows), "row"))
	}
	if test.Regression() {
		return metric.R2(test.Target, got.Y), nil
	}

	predicted := make([]int, len(got.Y))
	for i, y := range got.Y {
		if y != math.Trunc(y) || y < 0 || y >= float64(test.Classes) {
			return 0, p.protocolError(fmt.Sprintf("predict classes from 0 to %d", test.Classes-1), "it predicted class %g", y)
		}
		predicted[i] = int(y)
	}
	return metric.Accuracy(test.Y, predicted), nil
}
