package fsnet

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/safetensors"
)

// ErrCheckpointVersion is in the errors of LoadCheckpoint for a file that is whole, but was written by another version of FsNet in
// another way.
var ErrCheckpointVersion = errors.New("another format version")

// LoadCheckpoint reads a checkpoint that Save wrote. A file that is none, of another format version, or damaged is refused: the error, of
// kind Request, names the file and what is wrong; it is of kind NotFound where there is no file.
func LoadCheckpoint(path string) (*Checkpoint, error) {
	f, err := safetensors.Read(path)
	if err != nil {
		return nil, err
	}
	const remedy = "name a file that a session's run directory holds"
	if format := f.Metadata[metaFormat]; format != checkpointFormat {
		return nil, fault.New(fault.Request, remedy, "%s is no checkpoint of FsNet: its format is %.40q, not %q", path, format, checkpointFormat)
	}
	if v := f.Metadata[metaFormatVersion]; v != checkpointFormatVersion {
		return nil, &fault.Error{
			Kind: fault.Request, Remedy: "use that fsnet, or open the session with replace=true", Err: ErrCheckpointVersion,
			What: fmt.Sprintf("%s has format version %.20q, written by fsnet %.40s; this one reads version %q, whose steps are not the same", path, v, f.Metadata[metaFsnetVersion], checkpointFormatVersion),
		}
	}
	r := &checkpointReader{fileReader{file: f}}
	if !f.Checked {
		r.fail("it has no checksums")
	}
	c := r.checkpoint()
	if r.err != nil {
		return nil, fault.Wrap(r.err, fault.Request, "an older checkpoint is used instead where there is one", "%s is damaged", path)
	}
	return c, nil
}

// checkpointReader takes a checkpoint out of a file.
type checkpointReader struct{ fileReader }

func (r *checkpointReader) checkpoint() *Checkpoint {
	c := &Checkpoint{
		Path: r.file.Path, Dataset: r.text(metaDataset), DatasetHash: r.text(metaDatasetHash), FsnetVersion: r.text(metaFsnetVersion),
		Opened: r.settings(metaOpened), Settings: r.settings(metaSettings), Step: r.count(metaStep), Steps: r.count(metaSteps),
		State: session.State(r.text(metaState)), Reason: r.text(metaReason), TestLooks: r.count(metaTestLooks),
		Backend: r.text(metaBackend), Device: r.text(metaDevice),
	}
	r.json(metaTimeline, &c.Events)
	seconds, err := strconv.ParseFloat(r.text(metaSpent), 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) {
		r.fail("%s = %.20q is not a time", metaSpent, r.file.Metadata[metaSpent])
	}
	c.Spent = time.Duration(seconds * float64(time.Second))
	if known := []session.State{session.Idle, session.Paused, session.Settled, session.Done, session.Broken}; !slices.Contains(known, c.State) {
		r.fail("%s = %.20q is none of %v", metaState, string(c.State), known)
	}
	if c.Step > c.Steps {
		r.fail("it is at step %d of %d", c.Step, c.Steps)
	}
	if d := c.Opened.Differences(c.Settings); len(d) > 0 {
		r.fail("its %s changed from %.40q to %.40q, which no session can do", d[0].Key, d[0].From, d[0].To)
	}
	for i, e := range c.Events {
		if e.Step < 0 || e.Step > c.Step || i > 0 && e.Step < c.Events[i-1].Step {
			r.fail("event %d of its timeline is at step %d", i, e.Step)
		}
	}
	if len(c.Events) == 0 || c.Events[0].Kind != "open" {
		r.fail("its timeline does not begin with the opening")
	}
	r.watched(c)
	r.recorded(c)
	r.blocks(c)
	return c
}

func (r *checkpointReader) watched(c *Checkpoint) {
	var w savedWatch
	r.json(metaWatch, &w)
	var p savedPatience
	r.json(metaPatience, &p)
	if r.err != nil {
		return
	}
	if err := w.check(c.Settings.K, c.Step); err != nil {
		r.fail("%s: %w", metaWatch, err)
	}
	if p.BestLossEpoch < 0 || p.BestLossEpoch > c.Step {
		r.fail("%s: epoch %d", metaPatience, p.BestLossEpoch)
	}
	c.watch, c.patience = w.watch(), p.patience()
}

func (r *checkpointReader) recorded(c *Checkpoint) {
	last := 0
	for row := range slices.Chunk(values[float64](&r.fileReader, tensorEpochs, r.rows(tensorEpochs), epochColumns), epochColumns) {
		if !(row[0] > float64(last) && row[0] <= float64(c.Step)) || slices.ContainsFunc(row, math.IsNaN) {
			r.fail("row %v of %s follows step %d", row, tensorEpochs, last)
			return
		}
		last = int(row[0])
		c.epochs = append(c.epochs, epochOf(row))
	}
	if open := values[float64](&r.fileReader, tensorOpen, 1+epochColumns); r.err == nil {
		if made := c.Step - last; open[0] != float64(made) || made > 0 && open[1] != float64(c.Step) || slices.ContainsFunc(open, math.IsNaN) {
			r.fail("%s is %v at step %d, and the epoch before ended at step %d", tensorOpen, open, c.Step, last)
			return
		}
		c.open = openEpoch{steps: c.Step - last, sums: epochOf(open[1:])}
		if n := len(c.epochs); n > 0 {
			c.open.before = c.epochs[n-1]
		}
	}
	last = 0
	for o := range slices.Chunk(values[float64](&r.fileReader, tensorObservations, r.rows(tensorObservations), observationColumns), observationColumns) {
		if !(o[0] > float64(last) && o[0] <= float64(c.Step)) || math.IsNaN(o[1]) || math.IsNaN(o[2]) || !(o[3] >= 0 && o[3] <= float64(c.Settings.K)) {
			r.fail("row %v of %s follows step %d", o, tensorObservations, last)
			return
		}
		last = int(o[0])
		c.observations = append(c.observations, observationRecord{last, rowSummary{maxProbability: o[1], entropy: o[2], unique: int(o[3])}, o[4]})
	}
	k := max(c.Settings.K, 1) // a damaged file may say anything
	for i, s := range slices.Collect(slices.Chunk(values[float64](&r.fileReader, tensorSelectors, len(c.observations), 2*k), 2*k)) {
		o := &c.observations[i]
		for _, j := range s[:k] {
			o.leaders = append(o.leaders, int(j))
		}
		o.leading = s[k:]
	}
}

// rows is the length of a tensor of rows, or 0.
func (r *checkpointReader) rows(name string) int {
	if t, ok := r.file.Tensors[name]; ok && len(t.Shape) == 2 {
		return t.Shape[0]
	}
	return 0
}

// row is an epoch as a checkpoint's file holds it.
func (e epochRecord) row() []float64 {
	return []float64{float64(e.step), e.loss, e.lossClass, e.lossReconstruction, e.accuracy, e.tau, e.learningRate, e.lambda}
}

func epochOf(row []float64) epochRecord {
	return epochRecord{int(row[0]), row[1], row[2], row[3], row[4], row[5], row[6], row[7]}
}

// blocks takes the layers that are there. Whether they are those of the data and the settings is known when it is resumed.
func (r *checkpointReader) blocks(c *Checkpoint) {
	for name, t := range r.file.Tensors {
		layer, ok := strings.CutPrefix(name, tensorParameters)
		if !ok {
			continue
		}
		b := block{name: layer, dims: t.Shape, theta: values[float32](&r.fileReader, name, t.Shape...), squares: values[float32](&r.fileReader, tensorSquares+layer, t.Shape...)}
		for i, v := range b.theta {
			if r.err == nil && (!isFinite(v) || !(b.squares[i] >= 0)) { // a square can overflow, and the training go on
				r.fail("number %d of %s is %v, and its mean square %v", i, name, v, b.squares[i])
			}
		}
		c.blocks = append(c.blocks, b)
	}
	if r.read != len(r.file.Tensors) {
		r.fail("it has %d tensors, of which %d are known", len(r.file.Tensors), r.read)
	}
}

func isFinite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
