package fsnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/safetensors"
	"fsnetlab/internal/version"
)

// Checkpoint is a training at one step, complete: with the data set it is all that Resume needs. It holds no rows of the data and no
// names of features or samples. Its file is in the safetensors format: the parameters and RMSprop's state by layer, what was
// recorded, and the rest as text in its metadata.
type Checkpoint struct {
	Path         string          // it was read from, or ""
	Dataset      string          // name
	DatasetHash  string          // of the data that it was trained on
	Opened       config.Settings // as the training was opened
	Settings     config.Settings // as in force at Step
	Step, Steps  int             // steps made, and in the whole annealing
	State        session.State
	Reason       string
	Events       []session.Event // the timeline up to here
	TestLooks    int             // at the test rows
	Spent        time.Duration   // on training
	Backend      string          // that made the last step
	Device       string
	FsnetVersion string // of the program that wrote it

	blocks       []block
	watch        watch
	patience     patience
	steps        []stepRecord
	observations []observationRecord
}

// block is one layer's parameters and RMSprop's state of them.
type block struct {
	name           string
	dims           []int
	theta, squares []float32
}

// A checkpoint's file. The format version goes up when older programs would misread it, and when the steps that follow from a state
// change: a training that is taken up is the one that was laid down, bit for bit. (2: the noise's index is added to its key. 3: a
// class's rows of Φ are folded into the weights, and sums go over two parts of the features. 4: the noise's key has 64 bits.)
const (
	checkpointFormat        = "fsnet-checkpoint"
	checkpointFormatVersion = "4"

	metaOpened    = "opened"   // settings as opened
	metaTimeline  = "timeline" // events
	metaSteps     = "steps"    // in the whole annealing
	metaState     = "state"
	metaReason    = "reason"
	metaTestLooks = "test_looks"
	metaSpent     = "seconds"
	metaBackend   = "backend"
	metaDevice    = "device"
	metaWatch     = "watch"
	metaPatience  = "patience"

	tensorParameters   = "parameters/"         // + layer: as in a model's file, the predictors and the decoder included
	tensorSquares      = "rmsprop/"            // + layer
	tensorSteps        = "record/steps"        // steps×7: see stepColumns
	tensorObservations = "record/observations" // looks×5, F64: step, max_probability, entropy, unique_rows, accuracy_validation
	tensorSelectors    = "record/selectors"    // looks×2K, F64: the K leaders, as features of the graph, and their K probabilities
	stepColumns        = 7                     // loss, loss_class, loss_reconstruction, accuracy_train, tau, learning_rate, lambda
	observationColumns = 5                     // NaN where there are no validation rows
)

// Checkpoint takes the training's state at this moment. Save writes it to a file; it may be called at any time and in any goroutine,
// whatever the training does meanwhile.
func (t *Training) Checkpoint() (save func(path string) error, err error) {
	c, err := t.snapshot()
	if err != nil {
		return nil, err
	}
	return c.Save, nil
}

func (t *Training) snapshot() (*Checkpoint, error) {
	if t.state == session.Closed {
		return nil, fault.New(fault.NotFound, "open it again", "the training is closed")
	}
	theta, squares, err := t.engine.parameters()
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{
		Dataset: t.data.Name, DatasetHash: t.data.Hash, Opened: t.checkpoints.list[0].settings, Settings: t.settings,
		Step: t.step, Steps: t.Steps(), State: t.state, Reason: t.reason, TestLooks: t.looks, Spent: t.pace.spent,
		Backend: t.device.Name, Device: t.device.Description, FsnetVersion: version.Version(),
		// These only grow at their ends, beyond what is seen here.
		Events: slices.Clip(t.events), steps: slices.Clip(t.record.steps), observations: slices.Clip(t.record.observations),
		watch: t.watch.clone(), patience: t.record.patience,
	}
	for _, p := range t.engine.arch.parameters() {
		end := p.start + p.size()
		c.blocks = append(c.blocks, block{p.name, p.dims, theta[p.start:end], squares[p.start:end]})
	}
	return c, nil
}

// Save writes the checkpoint, for its owner alone (0600); a file that is there is replaced, whole or not at all. The
// error is of kind Failed where the disk is full or may not be written to.
func (c *Checkpoint) Save(path string) error {
	f := &safetensors.File{Tensors: map[string]safetensors.Tensor{}, Metadata: map[string]string{
		metaFormat: checkpointFormat, metaFormatVersion: checkpointFormatVersion, metaFsnetVersion: c.FsnetVersion,
		metaDataset: c.Dataset, metaDatasetHash: c.DatasetHash, metaState: string(c.State), metaReason: c.Reason,
		metaStep: strconv.Itoa(c.Step), metaSteps: strconv.Itoa(c.Steps), metaTestLooks: strconv.Itoa(c.TestLooks),
		metaSpent: strconv.FormatFloat(c.Spent.Seconds(), 'g', -1, 64), metaBackend: c.Backend, metaDevice: c.Device,
	}}
	for key, value := range map[string]any{
		metaOpened: c.Opened, metaSettings: c.Settings, metaTimeline: c.Events, metaWatch: c.watch.saved(), metaPatience: c.patience.saved(),
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return fault.Wrap(err, fault.Failed, "this is a defect: report it", "%s is not written: its %s", path, key)
		}
		f.Metadata[key] = string(text)
	}
	for _, b := range c.blocks {
		f.Tensors[tensorParameters+b.name] = safetensors.Of(b.theta, b.dims...)
		f.Tensors[tensorSquares+b.name] = safetensors.Of(b.squares, b.dims...)
	}
	steps := make([]float32, 0, stepColumns*len(c.steps))
	for _, s := range c.steps {
		steps = append(steps, s.loss, s.lossClass, s.lossReconstruction, s.accuracy, s.tau, s.learningRate, s.lambda)
	}
	f.Tensors[tensorSteps] = safetensors.Of(steps, len(c.steps), stepColumns)
	looks := make([]float64, 0, observationColumns*len(c.observations))
	for _, o := range c.observations {
		looks = append(looks, float64(o.step), o.maxProbability, o.entropy, float64(o.unique), o.validation)
	}
	f.Tensors[tensorObservations] = safetensors.Of(looks, len(c.observations), observationColumns)
	selectors := make([]float64, 0, 2*c.Settings.K*len(c.observations))
	for _, o := range c.observations {
		for _, j := range o.leaders {
			selectors = append(selectors, float64(j))
		}
		selectors = append(selectors, o.leading...)
	}
	f.Tensors[tensorSelectors] = safetensors.Of(selectors, len(c.observations), 2*c.Settings.K)
	return safetensors.WritePrivate(path, f)
}

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
	flat := values[float32](&r.fileReader, tensorSteps, c.Step, stepColumns)
	for s := range slices.Chunk(flat, stepColumns) {
		c.steps = append(c.steps, stepRecord{s[0], s[1], s[2], s[3], s[4], s[5], s[6]})
	}
	rows := 0
	if t, ok := r.file.Tensors[tensorObservations]; ok && len(t.Shape) == 2 {
		rows = t.Shape[0]
	}
	last := 0
	for o := range slices.Chunk(values[float64](&r.fileReader, tensorObservations, rows, observationColumns), observationColumns) {
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
