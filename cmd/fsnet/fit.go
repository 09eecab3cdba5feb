package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// fitReport is the object that fit --json prints.
type fitReport struct {
	Dataset             string        `json:"dataset"`
	N                   int           `json:"n"`
	D                   int           `json:"d"`
	Classes             []string      `json:"classes"`
	K                   int           `json:"k"`
	Seed                int64         `json:"seed"`
	Protocol            string        `json:"protocol"`
	Backend             string        `json:"backend"`
	Device              string        `json:"device"`
	Epochs              float64       `json:"epochs"` // made, not planned: a run may settle before its end
	Steps               int           `json:"steps"`
	Seconds             float64       `json:"seconds"`
	StepsPerSecond      float64       `json:"steps_per_second"`
	AccuracyTrain       float64       `json:"accuracy_train"`
	AccuracyTest        float64       `json:"accuracy_test"`
	ReconstructionError float64       `json:"reconstruction_error"`
	MutualInformation   float64       `json:"mutual_information"`
	SettledRows         int           `json:"settled_rows"`
	Selected            []fitSelected `json:"selected"`
	Parameters          int           `json:"parameters"`
	ModelKB             float64       `json:"model_kb"`

	majority float64
	reason   string
	source   string
	why      string // this backend
}

type fitSelected struct {
	Rank        int     `json:"rank"`
	Index       int     `json:"index"`
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
}

type fitOptions struct {
	config config.Config
	json   bool
	output string
	save   string
	quiet  bool
}

func newFitCommand() *cobra.Command {
	var o fitOptions
	c := &cobra.Command{
		Use:   "fit [DATA]",
		Short: "Train FsNet and print the K features it chose",
		Long: "Train FsNet and print the K features it chose, with the accuracy of its network on the test rows.\n\n" +
			"DATA is a .mat, .csv or .tsv file, or a built-in data set (fsnet data lists them).\n\n" +
			"--save keeps the model: the chosen features with their scaling, the network that reads them, and the settings, in one\n" +
			"safetensors file. It holds no rows of the data; fsnet.LoadModel reads it in a Go program, and other programs read its tensors.",
		Example: "  fsnet fit ALLAML --k 10 --seed 1\n  fsnet fit expression.csv --label diagnosis --json > genes.json\n  fsnet fit ALLAML --save leukemia.safetensors",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runFit(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config)
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object and nothing else to standard output")
	c.Flags().StringVarP(&o.output, "output", "o", "", "also write that JSON object to a `FILE`")
	c.Flags().StringVar(&o.save, "save", "", "write the trained model to a `FILE`, which is replaced if it is there")
	c.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "no progress bar")
	return c
}

func runFit(ctx context.Context, o fitOptions, args []string, out, messages io.Writer) error {
	switch {
	case len(args) > 1:
		return fault.New(fault.Request, "give one data set; options begin with --", "unexpected argument %q", args[1])
	case len(args) == 1 && o.config.Data != "":
		return fault.New(fault.Request, "give one of them", "both an argument (%s) and --data (%s)", args[0], o.config.Data)
	case len(args) == 1:
		o.config.Data = args[0]
	case o.config.Data == "":
		return fault.New(fault.Request, "name a file or a built-in one, as in: fsnet fit ALLAML", "no data set")
	}
	settings, err := o.config.Resolve()
	if err != nil {
		return err
	}
	if err := o.writable(settings.Data); err != nil { // found out now rather than after the training
		return err
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		return err
	}
	device, err := fsnet.OpenDevice(ctx, settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	t, err := fsnet.Open(ctx, device, data, settings)
	if err != nil {
		return err
	}
	defer t.Close()

	bar := newProgressBar(messages, o.quiet)
	runErr := t.Run(ctx, bar.show)
	bar.end()
	if runErr != nil && !fault.Is(runErr, fault.Interrupted) {
		return runErr
	}
	report, err := newFitReport(t, data.Source)
	if err != nil {
		return errors.Join(runErr, err)
	}
	if runErr != nil { // what was learnt so far is kept where the user can see it, not where a program expects a finished result
		report.print(messages)
		return runErr
	}
	if o.save != "" {
		model, err := t.Model()
		if err != nil {
			return err
		}
		if err := model.Save(o.save); err != nil {
			return err
		}
	}
	if o.output != "" {
		if err := writeFile(o.output, report.json()); err != nil {
			return err
		}
	}
	if o.json {
		_, err = out.Write(report.json())
		return err
	}
	return report.print(out)
}

func newFitReport(t *fsnet.Training, source string) (*fitReport, error) {
	s := t.Status()
	train, err := t.Evaluate("train")
	if err != nil {
		return nil, err
	}
	test, err := t.Evaluate("test")
	if err != nil {
		return nil, err
	}
	selected, err := t.Selection()
	if err != nil {
		return nil, err
	}
	r := &fitReport{
		Dataset: s.Dataset, N: s.N, D: s.D, Classes: s.Classes, K: s.Config.K, Seed: s.Config.Seed, Protocol: s.Config.Protocol,
		Backend: s.Backend, Device: s.Device, Epochs: s.Epoch, Steps: s.Step, Seconds: s.Seconds, StepsPerSecond: s.StepsPerSecond,
		AccuracyTrain: train.Accuracy, AccuracyTest: test.Accuracy, ReconstructionError: test.ReconstructionError,
		MutualInformation: test.MutualInformation, SettledRows: s.SettledRows, Parameters: s.Parameters, ModelKB: s.ModelKB,
		majority: test.Majority, reason: s.Reason, source: source, why: s.BackendReason,
	}
	for _, f := range selected {
		r.Selected = append(r.Selected, fitSelected{f.Rank, f.Index, f.Name, f.Probability})
	}
	return r, nil
}

func (r *fitReport) json() []byte {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic("fsnet: a report that is not JSON: " + err.Error()) // numbers are finite: the training stops where they are not
	}
	return append(text, '\n')
}

func (r *fitReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %d rows × %d features, classes %v (%s)\n", r.Dataset, r.N, r.D, r.Classes, r.source)
	fmt.Fprintf(out, "%s protocol, K = %d, seed %d, on %s (%s; %s)\n\n", r.Protocol, r.K, r.Seed, r.Backend, r.Device, r.why)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rank\tfeature\tcolumn\tprobability")
	for _, f := range r.Selected {
		fmt.Fprintf(w, "%d\t%s\t%d\t%.3f\n", f.Rank, f.Name, f.Index, f.Probability)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\naccuracy %.3f on the test rows (always the most frequent class: %.3f), %.3f on the training rows\n", r.AccuracyTest, r.majority, r.AccuracyTrain)
	fmt.Fprintf(out, "%d of %d selectors settled; %s\n", r.SettledRows, r.K, r.reason)
	_, err := fmt.Fprintf(out, "%d steps (%.4g epochs) in %.1f s, %.0f steps a second; %d parameters, %.1f kB\n", r.Steps, r.Epochs, r.Seconds, r.StepsPerSecond, r.Parameters, r.ModelKB)
	return err
}

// writable finds out whether the files that were asked for can be written, each to a place of its own and none over the data.
func (o fitOptions) writable(data string) error {
	for _, file := range []struct{ flag, path string }{{"--output", o.output}, {"--save", o.save}} {
		if file.path == "" {
			continue
		}
		if err := writable(file.path); err != nil {
			return err
		}
		if same(file.path, data) {
			return fault.New(fault.Request, "name another file", "%s %s is the data set", file.flag, file.path)
		}
	}
	if o.save != "" && o.output != "" && (filepath.Clean(o.save) == filepath.Clean(o.output) || same(o.save, o.output)) {
		return fault.New(fault.Request, "name another file", "--save %s is the file of --output", o.save)
	}
	return nil
}

// same is whether two paths name one file that is there.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// writable finds out whether a file can be written there, without touching a file that is there already.
func writable(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return fault.New(fault.Request, "name a file in it", "the output %s is a directory", path)
	}
	if err == nil && !info.Mode().IsRegular() { // it would be replaced by a file, be it /dev/null
		return fault.New(fault.Request, "name a file; --json prints to standard output", "the output %s is not a regular file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".fsnet-*")
	if err != nil {
		return fault.Wrap(err, fault.Request, "choose a directory that exists and that you may write to", "the output %s cannot be written", path)
	}
	f.Close()
	return os.Remove(f.Name())
}

// writeFile replaces a file whole or not at all.
func writeFile(path string, text []byte) error {
	failed := func(err error) error {
		return fault.Wrap(err, fault.Failed, "free some space or choose another place", "the output %s cannot be written", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".fsnet-*")
	if err != nil {
		return failed(err)
	}
	defer os.Remove(f.Name()) // does nothing once it is renamed
	if _, err = f.Write(text); err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// status line of the progress bar.
func statusLine(s session.Status) string {
	return fmt.Sprintf("epoch %.0f/%d  τ %.3g  loss %.3f  class %.3f  recon %.3f  P %.2f", s.Epoch, s.Config.Epochs, s.Tau, s.Loss, s.LossClass, s.LossReconstruction, s.MaxProbability)
}
