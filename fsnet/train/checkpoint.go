package train

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
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/safetensors"
	"fsnetlab/internal/system"
)

// Checkpoint is a complete training at one step. Together with the data set
// it is all that [Resume] needs. It holds no rows of the data and no names
// of features or samples. Its file is in the safetensors format: the
// parameters and the state of RMSprop by layer, the record, and the rest as
// text in the metadata.
type Checkpoint struct {
	Path         string          // path of its file, or ""
	Dataset      string          // name of the data set
	DatasetHash  string          // hash of the training data
	Opened       config.Settings // settings with which the training was opened
	Settings     config.Settings // settings in force at Step
	Step, Steps  int             // steps made, and steps of the whole annealing
	State        session.State
	Reason       string
	Events       []session.Event // the timeline up to Step
	TestLooks    int             // number of evaluations of the test rows
	Spent        time.Duration   // time spent on steps
	Backend      string          // backend of the last step
	Device       string
	FsnetVersion string // version of the program that wrote the file
	Known        string // Hash of the constraints on features. It is "" if there are none.

	blocks []block
	record record
	ending *ending // nil before the ending
	scores finalScores
	older  bool // the file is of a version without endings
}

// block holds the parameters of one layer and the state of RMSprop for them.
type block struct {
	name           string
	dims           []int
	theta, squares []float32
}

// The metadata keys and tensor names of a checkpoint's file. The format version
// rises when older programs would misread the file. It also rises when the
// steps that follow from a state change, because a resumed training must
// continue bit for bit.
const (
	checkpointFormat        = "fsnet-checkpoint"
	checkpointFormatVersion = "8"
	checkpointWithoutEnding = "7" // Can be read, too. Version 8 adds the contest and the final networks.

	metaOpened    = "opened"   // settings as opened
	metaTimeline  = "timeline" // events
	metaSteps     = "steps"    // steps of the whole annealing
	metaState     = "state"
	metaReason    = "reason"
	metaTestLooks = "test_looks"
	metaSpent     = "seconds"
	metaBackend   = "backend"
	metaDevice    = "device"
	metaKnown     = "known"  // left out if there are no constraints on features
	metaEnding    = "ending" // left out before the ending

	// The parameters of a layer, and its state of RMSprop, are stored under
	// these prefixes and the name of the layer, as in the file of a model. They
	// include the predictors and the decoder.
	tensorParameters = "parameters/"
	tensorSquares    = "rmsprop/" // + layer
	// The final networks are stored as final/L/weights (networks×in×out) and
	// final/L/biases (networks×out), where L counts the layers from 0. Before
	// the ending, the file lacks these tensors.
	tensorFinal = "final/"
)

// Checkpoint captures the current state. Any goroutine may call save at any
// time, also while the training continues. It writes the captured state to a
// file.
func (t *Training) Checkpoint() (save func(path string) error, err error) {
	c, err := t.snapshot()
	if err != nil {
		return nil, err
	}
	return c.Save, nil
}

// snapshot copies the parameters from the device. It shares the events and
// the record, because their entries never change. It returns an error if the
// training is closed or the device cannot be read.
func (t *Training) snapshot() (*Checkpoint, error) {
	if t.state == session.Closed {
		return nil, errs.New(errs.NotFound, "open it again", "the training is closed")
	}

	if err := t.scoreFinal(); err != nil {
		return nil, err
	}
	theta, squares, err := t.engine.Parameters()
	if err != nil {
		return nil, err
	}

	c := &Checkpoint{
		Dataset: t.data.Name, DatasetHash: t.data.Hash, Opened: t.checkpoints.list[0].settings, Settings: t.settings,
		Step: t.step, Steps: t.Steps(), State: t.state, Reason: t.reason, TestLooks: t.looks, Spent: t.pace.Spent,
		Backend: t.device.Name, Device: t.device.Description, FsnetVersion: system.Version(), Known: t.known.Hash(),
		// The training only appends to these lists, so the copies do not
		// change.
		Events: slices.Clip(t.events), record: t.record.snapshot(),
		ending: t.ending, scores: t.scores,
	}

	for _, p := range t.engine.Layout.Parameters() {
		end := p.Start + p.Size()
		c.blocks = append(c.blocks, block{p.Name, p.Dims, theta[p.Start:end], squares[p.Start:end]})
	}
	return c, nil
}

// Save writes the checkpoint with mode 0600. It replaces an existing file
// atomically. If the disk is full or not writable, the error is of kind Failed.
func (c *Checkpoint) Save(path string) error {
	const defect = "this is a defect: report it"
	f := &safetensors.File{Tensors: map[string]safetensors.Tensor{}, Metadata: map[string]string{
		MetaFormat: checkpointFormat, MetaFormatVersion: checkpointFormatVersion, MetaFsnetVersion: c.FsnetVersion,
		MetaDataset: c.Dataset, MetaDatasetHash: c.DatasetHash, metaState: string(c.State), metaReason: c.Reason,
		MetaStep: strconv.Itoa(c.Step), metaSteps: strconv.Itoa(c.Steps), metaTestLooks: strconv.Itoa(c.TestLooks),
		metaSpent: strconv.FormatFloat(c.Spent.Seconds(), 'g', -1, 64), metaBackend: c.Backend, metaDevice: c.Device,
	}}

	for key, value := range map[string]any{
		metaOpened: c.Opened, MetaSettings: c.Settings, metaTimeline: c.Events,
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return errs.Wrap(err, errs.Failed, defect, "%s is not written: its %s", path, key)
		}
		f.Metadata[key] = string(text)
	}
	if c.Known != "" {
		f.Metadata[metaKnown] = c.Known
	}

	for _, b := range c.blocks {
		f.Tensors[tensorParameters+b.name] = safetensors.Of(b.theta, b.dims...)
		f.Tensors[tensorSquares+b.name] = safetensors.Of(b.squares, b.dims...)
	}

	if err := c.writeEnding(f); err != nil {
		return errs.Wrap(err, errs.Failed, defect, "%s is not written", path)
	}
	if err := c.record.write(f, c.Settings.K); err != nil {
		return errs.Wrap(err, errs.Failed, defect, "%s is not written", path)
	}
	return errs.NotWritten(safetensors.WritePrivate(path, f))
}

// ErrCheckpointVersion is wrapped by errors of [LoadCheckpoint] for an
// intact file in the format of another version of FsNet.
var ErrCheckpointVersion = errors.New("another format version")

// LoadCheckpoint reads a checkpoint that [Checkpoint.Save] wrote. If the file
// is of another kind, has another format version or is damaged, the error is of
// kind Request and names the file and the fault. If the file does not exist,
// the error is of kind NotFound.
func LoadCheckpoint(path string) (*Checkpoint, error) {
	f, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	const remedy = "name a file that a session's run directory holds"

	if format := f.Metadata[MetaFormat]; format != checkpointFormat {
		return nil, errs.New(errs.Request, remedy, "%s is not an FsNet checkpoint: its format is %.40q, not %q", path, format, checkpointFormat)
	}

	version := f.Metadata[MetaFormatVersion]
	if v := version; v != checkpointFormatVersion && v != checkpointWithoutEnding {
		return nil, &errs.Error{
			Kind: errs.Request, Remedy: "use that fsnet, or open the session with replace=true", Err: ErrCheckpointVersion,
			What: fmt.Sprintf("%s has format version %.20q, written by fsnet %.40s; this one reads version %q, whose steps are not the same", path,
				v, f.Metadata[MetaFsnetVersion], checkpointFormatVersion),
		}
	}

	r := &checkpointReader{Reader{File: f}}
	if !f.Checked {
		r.Fail("it has no checksums")
	}
	c := r.checkpoint()
	c.older = version == checkpointWithoutEnding
	if r.Err != nil {
		return nil, errs.Wrap(r.Err, errs.Request, "an older checkpoint is used instead where there is one", "%s is damaged", path)
	}
	return c, nil
}

// checkpointReader reads a checkpoint from a file.
type checkpointReader struct{ Reader }

// checkpoint reads the whole file. The caller must check r.Err: if it is set,
// the result is invalid.
func (r *checkpointReader) checkpoint() *Checkpoint {
	c := &Checkpoint{
		Path: r.File.Path, Dataset: r.Text(MetaDataset), DatasetHash: r.Text(MetaDatasetHash),
		FsnetVersion: r.Text(MetaFsnetVersion),
		Opened:       r.Settings(metaOpened), Settings: r.Settings(MetaSettings), Step: r.Count(MetaStep), Steps: r.Count(metaSteps),
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

	c.record = readRecord(&r.Reader, c.Settings.K, c.Step)
	r.ending(c)
	r.blocks(c)
	return c
}

// blocks reads the layers of the file into c. It fails if a number is not
// finite. You must call it last, because it also fails if the file has tensors
// that have not been read. Resume checks whether the layers fit the data and
// the settings.
func (r *checkpointReader) blocks(c *Checkpoint) {
	for name, t := range r.File.Tensors {
		layer, ok := strings.CutPrefix(name, tensorParameters)
		if !ok {
			continue
		}
		b := block{name: layer, dims: t.Shape, theta: Values[float32](&r.Reader, name, t.Shape...),
			squares: Values[float32](&r.Reader, tensorSquares+layer, t.Shape...)}
		for i, v := range b.theta {
			// A mean square may overflow to +Inf without breaking the training.
			if r.Err == nil && (!isFinite(v) || !(b.squares[i] >= 0)) {
				r.Fail("number %d of %s is %v, and its mean square %v", i, name, v, b.squares[i])
			}
		}
		c.blocks = append(c.blocks, b)
	}
	if r.TensorsRead != len(r.File.Tensors) {
		r.Fail("it has %d tensors, of which %d are known", len(r.File.Tensors), r.TensorsRead)
	}
}

// isFinite reports whether v is neither NaN nor infinite.
func isFinite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }

// The metadata keys and tensor names of a record in a checkpoint's file.
const (
	metaSettled  = "settled"  // whether it was settled at the last regular look
	metaPatience = "patience" // state of the search for the best training loss

	tensorEpochs = "record/epochs" // measurements of epochs, at most mostEpochs×9, F64
	tensorSteps  = "record/steps"  // measurements of single steps, at most mostSteps×9, F64
	// tensorOpen is the epoch in progress, in F64: its number of steps, then a
	// measurement that holds sums instead of means.
	tensorOpen = "record/open"
	// looks×6, F64: step, max_probability, max_soft, entropy, unique_rows,
	// accuracy_validation
	tensorObservations = "record/observations"
	// looks×2K, F64: the K leaders, as features of the graph, then their K
	// probabilities
	tensorSelectors = "record/selectors"
	// These hold the early looks in the same way. A file without early looks
	// lacks them.
	tensorEarly        = "record/early"
	tensorEarlyLeaders = "record/early_selectors"
	observationColumns = 6 // the last one is NaN without validation rows
)

// write puts the record of k selectors into a file.
func (r *record) write(f *safetensors.File, k int) error {
	for key, value := range map[string]any{metaSettled: r.now.settled, metaPatience: r.now.patience} {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("its %s: %w", key, err)
		}
		f.Metadata[key] = string(text)
	}

	for name, list := range map[string][]measurement{tensorEpochs: r.epochs, tensorSteps: r.steps} {
		rows := make([]float64, 0, measurementColumns*len(list))
		for _, m := range list {
			rows = append(rows, m[:]...)
		}
		f.Tensors[name] = safetensors.Of(rows, len(list), measurementColumns)
	}

	open := r.now.open
	f.Tensors[tensorOpen] = safetensors.Of(append([]float64{float64(open.steps)}, open.sums[:]...), 1+measurementColumns)
	r.writeLooks(f, k, false, tensorObservations, tensorSelectors)
	r.writeLooks(f, k, true, tensorEarly, tensorEarlyLeaders)
	return nil
}

// writeLooks writes either the early or the regular looks to two tensors. It
// omits the tensors of early looks if there are no early looks.
func (r *record) writeLooks(f *safetensors.File, k int, early bool, observations, leaders string) {
	var looks, selectors []float64
	n := 0
	for _, l := range r.looks {
		if l.early != early {
			continue
		}
		n++
		looks = append(looks, float64(l.Step), l.MaxProbability, l.MaxSoft, l.Entropy, float64(l.Unique), l.Validation)
		for _, j := range l.leaders {
			selectors = append(selectors, float64(j))
		}
		selectors = append(selectors, l.leading...)
	}

	if n > 0 || !early {
		f.Tensors[observations] = safetensors.Of(looks, n, observationColumns)
		f.Tensors[leaders] = safetensors.Of(selectors, n, 2*k)
	}
}

// readRecord reads the record of k selectors up to a step. The caller must
// check from.Err: if it is set, the result is invalid.
func readRecord(from *Reader, k, step int) record {
	var r record
	r.readState(from, step)
	r.readEpochs(from, step)

	r.looks = readLooks(from, k, step, tensorObservations, tensorSelectors)
	if _, ok := from.File.Tensors[tensorEarly]; ok {
		for _, l := range readLooks(from, k, step, tensorEarly, tensorEarlyLeaders) {
			l.early = true
			r.looks = append(r.looks, l)
		}
		slices.SortFunc(r.looks, func(a, b look) int { return a.Step - b.Step })
	}
	return r
}

// readState reads whether the training was settled, and its patience. It
// fails if the best epoch is negative or beyond the step.
func (r *record) readState(from *Reader, step int) {
	p := &r.now.patience
	from.JSON(metaSettled, &r.now.settled)
	from.JSON(metaPatience, p)
	if from.Err != nil {
		return
	}
	if p.BestLossEpoch < 0 || p.BestLossEpoch > step {
		from.Fail("%s: epoch %d", metaPatience, p.BestLossEpoch)
	}
}

// readEpochs reads the single steps, the completed epochs and the epoch in
// progress. It fails unless the epoch in progress has the steps between the
// last completed epoch and step.
func (r *record) readEpochs(from *Reader, step int) {
	r.steps, _ = readMeasurements(from, tensorSteps, step)
	epochs, last := readMeasurements(from, tensorEpochs, step)
	r.epochs = epochs
	open := Values[float64](from, tensorOpen, 1+measurementColumns)
	if from.Err != nil {
		return
	}

	if made := step - last; open[0] != float64(made) || made > 0 && open[1] != float64(step) || slices.ContainsFunc(open, math.IsNaN) {
		from.Fail("%s is %v at step %d, and the epoch before ended at step %d", tensorOpen, open, step, last)
		return
	}
	r.now.open = openEpoch{steps: step - last, sums: measurement(open[1:])}
	if n := len(r.epochs); n > 0 {
		r.now.open.before = r.epochs[n-1]
	}
}

// readMeasurements reads a list of measurements, and returns the step of the
// last one. It fails, and the list is nil, unless their steps rise to at
// most step and no number is NaN.
func readMeasurements(from *Reader, name string, step int) (list []measurement, last int) {
	for row := range slices.Chunk(Values[float64](from, name, lengthOf(from, name), measurementColumns), measurementColumns) {
		if !(row[0] > float64(last) && row[0] <= float64(step)) || slices.ContainsFunc(row, math.IsNaN) {
			from.Fail("row %v of %s follows step %d", row, name, last)
			return nil, last
		}
		last = int(row[0])
		list = append(list, measurement(row))
	}
	return list, last
}

// readLooks reads the early or the regular looks of k selectors from two
// tensors. It does not mark them as early. It fails unless their steps rise
// to at most step.
func readLooks(from *Reader, k, step int, observations, leaders string) (looks []look) {
	last := 0
	list := Values[float64](from, observations, lengthOf(from, observations), observationColumns)
	for o := range slices.Chunk(list, observationColumns) {
		inOrder := o[0] > float64(last) && o[0] <= float64(step)
		if !inOrder || slices.ContainsFunc(o[1:4], math.IsNaN) || !(o[4] >= 0 && o[4] <= float64(k)) {
			from.Fail("row %v of %s follows step %d", o, observations, last)
			return nil
		}
		last = int(o[0])
		looks = append(looks, look{Step: last, MaxProbability: o[1], MaxSoft: o[2], Entropy: o[3], Unique: int(o[4]), Validation: o[5]})
	}

	k = max(k, 1) // A damaged file may have any k.
	selectors := Values[float64](from, leaders, len(looks), 2*k)
	for i, s := range slices.Collect(slices.Chunk(selectors, 2*k)) {
		l := &looks[i]
		for _, j := range s[:k] {
			l.leaders = append(l.leaders, int(j))
		}
		l.leading = s[k:]
	}
	return looks
}

// lengthOf returns the number of rows of a matrix, or 0 if the file has no
// matrix of that name.
func lengthOf(from *Reader, name string) int {
	if t, ok := from.File.Tensors[name]; ok && len(t.Shape) == 2 {
		return t.Shape[0]
	}
	return 0
}
