package train

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/saved"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train/record"
	"fsnetlab/internal/installation"
	"fsnetlab/internal/safetensors"
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
	Known        string // hash of what was known of the features beforehand; "" of nothing

	blocks []block
	record record.Record
}

// block is one layer's parameters and RMSprop's state of them.
type block struct {
	name           string
	dims           []int
	theta, squares []float32
}

// A checkpoint's file. The format version goes up when older programs would misread it, and when the steps that follow from a state
// change: a training that is taken up is the one that was laid down, bit for bit.
const (
	checkpointFormat        = "fsnet-checkpoint"
	checkpointFormatVersion = "5"

	metaOpened    = "opened"   // settings as opened
	metaTimeline  = "timeline" // events
	metaSteps     = "steps"    // in the whole annealing
	metaState     = "state"
	metaReason    = "reason"
	metaTestLooks = "test_looks"
	metaSpent     = "seconds"
	metaBackend   = "backend"
	metaDevice    = "device"
	metaKnown     = "known" // absent where nothing was known beforehand

	tensorParameters = "parameters/" // + layer: as in a model's file, the predictors and the decoder included
	tensorSquares    = "rmsprop/"    // + layer
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
	theta, squares, err := t.engine.Parameters()
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{
		Dataset: t.data.Name, DatasetHash: t.data.Hash, Opened: t.checkpoints.list[0].settings, Settings: t.settings,
		Step: t.step, Steps: t.Steps(), State: t.state, Reason: t.reason, TestLooks: t.looks, Spent: t.throughput.spent,
		Backend: t.device.Name, Device: t.device.Description, FsnetVersion: installation.Version(), Known: t.known.Hash(),
		Events: slices.Clip(t.events), record: t.record.Snapshot(), // these only grow at their ends, beyond what is seen here
	}
	for _, p := range t.engine.Layout.Parameters() {
		end := p.Start + p.Size()
		c.blocks = append(c.blocks, block{p.Name, p.Dims, theta[p.Start:end], squares[p.Start:end]})
	}
	return c, nil
}

// Save writes the checkpoint, for its owner alone (0600); a file that is there is replaced, whole or not at all. The
// error is of kind Failed where the disk is full or may not be written to.
func (c *Checkpoint) Save(path string) error {
	const defect = "this is a defect: report it"
	f := &safetensors.File{Tensors: map[string]safetensors.Tensor{}, Metadata: map[string]string{
		saved.MetaFormat: checkpointFormat, saved.MetaFormatVersion: checkpointFormatVersion, saved.MetaFsnetVersion: c.FsnetVersion,
		saved.MetaDataset: c.Dataset, saved.MetaDatasetHash: c.DatasetHash, metaState: string(c.State), metaReason: c.Reason,
		saved.MetaStep: strconv.Itoa(c.Step), metaSteps: strconv.Itoa(c.Steps), metaTestLooks: strconv.Itoa(c.TestLooks),
		metaSpent: strconv.FormatFloat(c.Spent.Seconds(), 'g', -1, 64), metaBackend: c.Backend, metaDevice: c.Device,
	}}
	for key, value := range map[string]any{
		metaOpened: c.Opened, saved.MetaSettings: c.Settings, metaTimeline: c.Events,
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return fault.Wrap(err, fault.Failed, defect, "%s is not written: its %s", path, key)
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
	if err := c.record.Write(f, c.Settings.K); err != nil {
		return fault.Wrap(err, fault.Failed, defect, "%s is not written", path)
	}
	return fault.NotWritten(safetensors.WritePrivate(path, f))
}
