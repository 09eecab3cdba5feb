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
	"fsnetlab/fsnet/train/record"
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
		return nil, fault.New(fault.Request, remedy, "%s is not an FsNet checkpoint: its format is %.40q, not %q", path, format, checkpointFormat)
	}
	if v := f.Metadata[saved.MetaFormatVersion]; v != checkpointFormatVersion {
		return nil, &fault.Error{
			Kind: fault.Request, Remedy: "use that fsnet, or open the session with replace=true", Err: ErrCheckpointVersion,
			What: fmt.Sprintf("%s has format version %.20q, written by fsnet %.40s; this one reads version %q, whose steps are not the same", path,
				v, f.Metadata[saved.MetaFsnetVersion], checkpointFormatVersion),
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
		Path: r.File.Path, Dataset: r.Text(saved.MetaDataset), DatasetHash: r.Text(saved.MetaDatasetHash),
		FsnetVersion: r.Text(saved.MetaFsnetVersion),
		Opened:       r.Settings(metaOpened), Settings: r.Settings(saved.MetaSettings), Step: r.Count(saved.MetaStep), Steps: r.Count(metaSteps),
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
	if known := []session.State{session.Idle, session.Paused, session.Settled, session.Done,
		session.Broken}; !slices.Contains(known, c.State) {
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
	c.record = record.Read(&r.Reader, c.Settings.K, c.Step)
	r.blocks(c)
	return c
}

// blocks takes the layers that are there. Whether they are those of the data and the settings is known when it is resumed.
func (r *checkpointReader) blocks(c *Checkpoint) {
	for name, t := range r.File.Tensors {
		layer, ok := strings.CutPrefix(name, tensorParameters)
		if !ok {
			continue
		}
		b := block{name: layer, dims: t.Shape, theta: saved.Values[float32](&r.Reader, name, t.Shape...),
			squares: saved.Values[float32](&r.Reader, tensorSquares+layer, t.Shape...)}
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
