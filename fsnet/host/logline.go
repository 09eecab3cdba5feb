package host

import (
	"time"

	"fsnetlab/fsnet/config"
)

// LogLine is a line of the file that the key log names. Every line has time, session, kind, step and epoch; what else it has depends on its
// kind. Fields are by name, as they are written.
type LogLine struct {
	AccuracyTrain      *float64         `json:"accuracy_train,omitempty"`      // metrics: of the training batches
	AccuracyValidation *float64         `json:"accuracy_validation,omitempty"` // metrics: of the validation rows
	Backend            *string          `json:"backend,omitempty"`             // open: where it runs: xla:cpu, xla:cuda or go
	Changes            []config.Change  `json:"changes,omitempty"`             // set: what was changed
	Config             *config.Settings `json:"config,omitempty"`              // open: every key, as in force
	D                  *int             `json:"d,omitempty"`                   // open: features
	Dataset            *string          `json:"dataset,omitempty"`             // open: name of the data set
	Device             *string          `json:"device,omitempty"`              // open: the hardware, in words
	Entropy            *float64         `json:"entropy,omitempty"`             // metrics: of a row of P, in bits, the mean
	Epoch              float64          `json:"epoch"`                         // where the training stood
	Kind               string           `json:"kind"`                          // metrics, or an event: open, set, stop, rewind, fork, resume
	Lambda             *float64         `json:"lambda,omitempty"`              // metrics: weight of the reconstruction
	LearningRate       *float64         `json:"learning_rate,omitempty"`       // metrics: of RMSprop
	Loss               *float64         `json:"loss,omitempty"`                // metrics: what is minimised
	LossClass          *float64         `json:"loss_class,omitempty"`          // metrics: of the classifier; of a quantity, its squared error
	LossReconstruction *float64         `json:"loss_reconstruction,omitempty"` // metrics: of the reconstruction, without lambda
	MaxProbability     *float64         `json:"max_probability,omitempty"`     // metrics: largest entry of a row of P, the mean
	N                  *int             `json:"n,omitempty"`                   // open: rows (samples)
	R2Train            *float64         `json:"r2_train,omitempty"`            // metrics: of a quantity: R² of the training batches
	R2Validation       *float64         `json:"r2_validation,omitempty"`       // metrics: of a quantity: R² of the validation rows
	Session            string           `json:"session"`                       // name of the session; several may share a file
	Sharpness          *float64         `json:"sharpness,omitempty"`           // metrics: what the selectors' logits are multiplied by
	Step               int              `json:"step"`                          // where the training stood
	StepsPerEpoch      *int             `json:"steps_per_epoch,omitempty"`     // open
	Tau                *float64         `json:"tau,omitempty"`                 // metrics: temperature
	Text               *string          `json:"text,omitempty"`                // events other than open: what happened, for people
	Time               string           `json:"time"`                          // when the line was made, RFC 3339 in UTC
	UniqueRows         *float64         `json:"unique_rows,omitempty"`         // metrics: different leaders among the selectors
}

// figure is where the line has a metric of this name; nil of one that it does not know.
func (l *LogLine) figure(name string) **float64 {
	switch name {
	case "accuracy_train":
		return &l.AccuracyTrain
	case "accuracy_validation":
		return &l.AccuracyValidation
	case "entropy":
		return &l.Entropy
	case "lambda":
		return &l.Lambda
	case "learning_rate":
		return &l.LearningRate
	case "loss":
		return &l.Loss
	case "loss_class":
		return &l.LossClass
	case "loss_reconstruction":
		return &l.LossReconstruction
	case "max_probability":
		return &l.MaxProbability
	case "r2_train":
		return &l.R2Train
	case "r2_validation":
		return &l.R2Validation
	case "sharpness":
		return &l.Sharpness
	case "tau":
		return &l.Tau
	case "unique_rows":
		return &l.UniqueRows
	}
	return nil
}

// line is the common part of a line.
func (l *metricsLog) line(kind string, step int, epoch float64) *LogLine {
	return &LogLine{Time: l.now().UTC().Format(time.RFC3339Nano), Session: l.session, Kind: kind, Step: step, Epoch: epoch}
}
