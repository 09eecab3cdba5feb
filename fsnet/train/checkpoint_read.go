package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/saved"
	"fsnetlab/fsnet/session"
)

// ErrCheckpointVersion is in the errors of LoadCheckpoint for a file that is whole, but was written by another version of FsNet in
// another way.
var ErrCheckpointVersion = errors.New("another format version")

// LoadCheckpoint reads a checkpoint that Save wrote. A file that is none, of another format version, or damaged is refused: the error, of
// kind Request, names the file and what is wrong; it is of kind NotFound where there is no file.
func LoadCheckpoint(path string) (*Checkpoint, error) {
	f, err := saved.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const remedy = "name a file that a session's run directory holds"
	if format := f.Metadata[saved.MetaFormat]; format != checkpointFormat {
		return nil, fault.New(fault.Request, remedy, "%s is no checkpoint of FsNet: its format is %.40q, not %q", path, format, checkpointFormat)
	}
	if v := f.Metadata[saved.MetaFormatVersion]; v != checkpointFormatVersion {
		return nil, &fault.Error{
			Kind: fault.Request, Remedy: "use that fsnet, or open the session with replace=true", Err: ErrCheckpointVersion,
			What: fmt.Sprintf("%s has format version %.20q, written by fsnet %.40s; this one reads version %q, whose steps are not the same", path, v, f.Metadata[saved.MetaFsnetVersion], checkpointFormatVersion),
		}
	}
	r := &checkpointReader{saved.Reader{File: f}}
	if !f.Checked {
		r.Fail("it has no checksums")
	}
	c := r.checkpoint()
	if r.Err != nil {
		return nil, fault.Wrap(r.Err, fault.Request, "an older checkpoint is used instead where there is one", "%s is damaged", path)
	}
	return c, nil
}

// checkpointReader takes a checkpoint out of a file.
type checkpointReader struct{ saved.Reader }

func (r *checkpointReader) checkpoint() *Checkpoint {
	c := &Checkpoint{
		Path: r.File.Path, Dataset: r.Text(saved.MetaDataset), DatasetHash: r.Text(saved.MetaDatasetHash), FsnetVersion: r.Text(saved.MetaFsnetVersion),
		Opened: r.Settings(metaOpened), Settings: r.Settings(saved.MetaSettings), Step: r.Count(saved.MetaStep), Steps: r.Count(metaSteps),
		State: session.State(r.Text(metaState)), Reason: r.Text(metaReason), TestLooks: r.Count(metaTestLooks),
		Backend: r.Text(metaBackend), Device: r.Text(metaDevice),
		Known: r.File.Metadata[metaKnown],
	}
	r.JSON(metaTimeline, &c.Events)
	seconds, err := strconv.ParseFloat(r.Text(metaSpent), 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) {
		r.Fail("%s = %.20q is not a time", metaSpent, r.File.Metadata[metaSpent])
	}
	c.Spent = time.Duration(seconds * float64(time.Second))
	if known := []session.State{session.Idle, session.Paused, session.Settled, session.Done, session.Broken}; !slices.Contains(known, c.State) {
		r.Fail("%s = %.20q is none of %v", metaState, string(c.State), known)
	}
	if c.Step > c.Steps {
		r.Fail("it is at step %d of %d", c.Step, c.Steps)
	}
	if d := c.Opened.Differences(c.Settings); len(d) > 0 {
		r.Fail("its %s changed from %.40q to %.40q, which no session can do", d[0].Key, d[0].From, d[0].To)
	}
	for i, e := range c.Events {
		if e.Step < 0 || e.Step > c.Step || i > 0 && e.Step < c.Events[i-1].Step {
			r.Fail("event %d of its timeline is at step %d", i, e.Step)
		}
	}
	if len(c.Events) == 0 || c.Events[0].Kind != "open" {
		r.Fail("its timeline does not begin with the opening")
	}
	r.watched(c)
	r.recorded(c)
	r.blocks(c)
	return c
}

func (r *checkpointReader) watched(c *Checkpoint) {
	var w savedConvergence
	r.JSON(metaWatch, &w)
	var p savedPatience
	r.JSON(metaPatience, &p)
	if r.Err != nil {
		return
	}
	if err := w.check(c.Settings.K, c.Step); err != nil {
		r.Fail("%s: %w", metaWatch, err)
	}
	if p.BestLossEpoch < 0 || p.BestLossEpoch > c.Step {
		r.Fail("%s: epoch %d", metaPatience, p.BestLossEpoch)
	}
	c.convergence, c.patience = w.convergence(), p.patience()
}

func (r *checkpointReader) recorded(c *Checkpoint) {
	last := 0
	for row := range slices.Chunk(saved.Values[float64](&r.Reader, tensorEpochs, r.rows(tensorEpochs), epochColumns), epochColumns) {
		if !(row[0] > float64(last) && row[0] <= float64(c.Step)) || slices.ContainsFunc(row, math.IsNaN) {
			r.Fail("row %v of %s follows step %d", row, tensorEpochs, last)
			return
		}
		last = int(row[0])
		c.epochs = append(c.epochs, epochOf(row))
	}
	if open := saved.Values[float64](&r.Reader, tensorOpen, 1+epochColumns); r.Err == nil {
		if made := c.Step - last; open[0] != float64(made) || made > 0 && open[1] != float64(c.Step) || slices.ContainsFunc(open, math.IsNaN) {
			r.Fail("%s is %v at step %d, and the epoch before ended at step %d", tensorOpen, open, c.Step, last)
			return
		}
		c.open = openEpoch{steps: c.Step - last, sums: epochOf(open[1:])}
		if n := len(c.epochs); n > 0 {
			c.open.before = c.epochs[n-1]
		}
	}
	last = 0
	for o := range slices.Chunk(saved.Values[float64](&r.Reader, tensorObservations, r.rows(tensorObservations), observationColumns), observationColumns) {
		if !(o[0] > float64(last) && o[0] <= float64(c.Step)) || math.IsNaN(o[1]) || math.IsNaN(o[2]) || !(o[3] >= 0 && o[3] <= float64(c.Settings.K)) {
			r.Fail("row %v of %s follows step %d", o, tensorObservations, last)
			return
		}
		last = int(o[0])
		c.observations = append(c.observations, observationRecord{last, rowSummary{maxProbability: o[1], entropy: o[2], unique: int(o[3])}, o[4]})
	}
	k := max(c.Settings.K, 1) // a damaged file may say anything
	for i, s := range slices.Collect(slices.Chunk(saved.Values[float64](&r.Reader, tensorSelectors, len(c.observations), 2*k), 2*k)) {
		o := &c.observations[i]
		for _, j := range s[:k] {
			o.leaders = append(o.leaders, int(j))
		}
		o.leading = s[k:]
	}
}

// rows is the length of a tensor of rows, or 0.
func (r *checkpointReader) rows(name string) int {
	if t, ok := r.File.Tensors[name]; ok && len(t.Shape) == 2 {
		return t.Shape[0]
	}
	return 0
}

// row is an epoch as a checkpoint's file holds it.
func (e epochRecord) row() []float64 {
	return []float64{float64(e.step), e.loss, e.lossClass, e.lossReconstruction, e.accuracy, e.tau, e.learningRate, e.lambda, e.sharpness}
}

func epochOf(row []float64) epochRecord {
	return epochRecord{int(row[0]), row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8]}
}

// blocks takes the layers that are there. Whether they are those of the data and the settings is known when it is resumed.
func (r *checkpointReader) blocks(c *Checkpoint) {
	for name, t := range r.File.Tensors {
		layer, ok := strings.CutPrefix(name, tensorParameters)
		if !ok {
			continue
		}
		b := block{name: layer, dims: t.Shape, theta: saved.Values[float32](&r.Reader, name, t.Shape...), squares: saved.Values[float32](&r.Reader, tensorSquares+layer, t.Shape...)}
		for i, v := range b.theta {
			if r.Err == nil && (!isFinite(v) || !(b.squares[i] >= 0)) { // a square can overflow, and the training go on
				r.Fail("number %d of %s is %v, and its mean square %v", i, name, v, b.squares[i])
			}
		}
		c.blocks = append(c.blocks, b)
	}
	if r.TensorsRead != len(r.File.Tensors) {
		r.Fail("it has %d tensors, of which %d are known", len(r.File.Tensors), r.TensorsRead)
	}
}

func isFinite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
