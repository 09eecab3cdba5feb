package chart

import (
	"fmt"
	"math"
	"math/rand/v2"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// genes are names as they stand in expression data.
var genes = []string{"Zyxin", "FAH", "CD33", "APLP2", "LYN", "MYB", "TCF3 (E2A)", "CCND3",
	"ADM", "LEPR", "CST3", "PTX3", "ELA2", "CSTA", "MCL1", "SPTAN1", "RBBP4", "TOP2B",
	"Macmarcks", "HOXA9", "IL8 precursor", "DF D component of complement (adipsin)", "X95735_at", "M27891_at",
	"U46499_at", "MGST1", "CTSD", "ATP6C vacuolar H+ ATPase proton channel subunit", "LGALS3", "CD63", "ACADM", "PSMA6",
	"PPGB", "GTF2E2", "CRYZ", "TIMP1", "VIM", "SNRPN", "CD19", "PRG1"}

// The samples are moments of one training: the 36 training rows of ALLAML, 8 of them for validation, the others in batches of 8, for 300
// epochs.
const (
	sampleTraining   = 28
	sampleValidation = 8
	samplePerEpoch   = 4
	sampleEpochs     = 300
)

// sampleTau is the temperature of an epoch.
func sampleTau(epoch float64) float64 { return 10 * math.Pow(0.001, epoch/sampleEpochs) }

// sampleName is a name that no other column has.
func sampleName(j int) string {
	if j < len(genes) {
		return genes[j]
	}
	return fmt.Sprintf("%s_%d", genes[j%len(genes)], j)
}

// sampleMatrix is P of K selectors at a moment: share 0 is the start, 1 the end, where all are settled. Columns are ordered as the
// session orders them; k is no multiple of 7.
func sampleMatrix(k, columns int, share float64) session.Matrix {
	random := rand.New(rand.NewPCG(7, uint64(k*1000+columns)))
	epoch := math.Round(sampleEpochs * share)
	m := session.Matrix{
		Session: "leukemia", Of: "probability", Step: int(epoch) * samplePerEpoch, Epoch: epoch, Tau: sampleTau(epoch), D: 7129,
	}
	for j := range columns {
		m.Names, m.Index = append(m.Names, sampleName(j)), append(m.Index, (j*1733+29)%7129)
	}
	for i := range k {
		sharpness := 10 * math.Pow(share, 1+1.5*random.Float64()) // selectors settle one after the other
		logits := make([]float64, columns)
		total := 0.0
		for j := range logits {
			logits[j] = 1.3*random.NormFloat64()*share + 0.5*sharpness*boolean(j%k == i && j < 3*k)*random.Float64()
			if j == i%columns {
				logits[j] = sharpness
			}
			logits[j] = math.Exp(logits[j])
			total += logits[j]
		}
		others := float64(7129-columns) * math.Exp(-9*share*(0.6+0.4*random.Float64()))
		total += others
		for j := range logits {
			logits[j] /= total
		}
		m.Selectors = append(m.Selectors, (i*7+3)%k)
		m.Values = append(m.Values, logits)
		m.LeftOut = append(m.LeftOut, others/total)
	}
	return m
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// sampleHistory is so many epochs of noisy falling losses, with three changes of live keys and, where it ends there, the stop.
func sampleHistory(epochs int) session.History {
	random := rand.New(rand.NewPCG(3, 4))
	h := session.History{Session: "leukemia", Step: epochs * samplePerEpoch, PerEpoch: samplePerEpoch, Curves: map[string]session.Curve{}}
	add := func(metric string, step int, v float64) {
		c := h.Curves[metric]
		c.Steps, c.Values = append(c.Steps, step), append(c.Values, v)
		h.Curves[metric] = c
	}
	of := func(rows, share float64) float64 { return math.Min(1, math.Round(rows*share)/rows) }
	for e := 1; e <= epochs; e++ {
		t, step := float64(e)/sampleEpochs, e*samplePerEpoch
		lambda := 1.0
		if e > 120 {
			lambda = 0.1
		}
		class := (0.02 + 0.68*math.Exp(-5*t)) * math.Exp(0.35*random.NormFloat64())
		reconstruction := (0.62 + 0.4*math.Exp(-7*t)) * math.Exp(0.06*random.NormFloat64())
		add("loss_class", step, class)
		add("loss_reconstruction", step, reconstruction)
		add("loss", step, class+lambda*reconstruction)
		add("accuracy_train", step, of(sampleTraining, 0.62+0.37*(1-math.Exp(-6*t))+0.05*random.NormFloat64()))
		add("accuracy_validation", step, of(sampleValidation, 0.6+0.33*(1-math.Exp(-5*t))+0.04*random.NormFloat64()))
		tau := sampleTau(float64(e))
		if e > 200 && e <= 230 {
			tau = sampleTau(200)
		}
		add("tau", step, tau)
		add("max_probability", step, 1/(1+math.Exp(-14*(t-0.55)))*0.97+0.0002)
		add("entropy", step, 8.8*(1-t))
		add("unique_rows", step, 10)
		add("learning_rate", step, 1e-3)
		add("lambda", step, lambda)
	}
	for _, e := range []session.Event{
		{Epoch: 0, Kind: "open", Text: "opened"},
		{Epoch: 120, Kind: "set", Text: "lambda 1 → 0.1", Changes: []config.Change{{Key: "lambda", From: "1", To: "0.1"}}},
		{Epoch: 200, Kind: "set", Text: "schedule exponential → hold:0.1"},
		{Epoch: 230, Kind: "set", Text: "schedule hold:0.1 → exponential"},
		{Epoch: sampleStop, Kind: "stop", Text: "settled"},
	} {
		if e.Step = int(e.Epoch) * samplePerEpoch; e.Step <= h.Step && (e.Kind != "stop" || e.Step == h.Step) {
			h.Events = append(h.Events, e)
		}
	}
	return h
}

// sampleStop is the epoch after which all selectors were settled.
const sampleStop = 285

// sampleSelection is that of K selectors, of which the first have settled; k is no multiple of 7.
func sampleSelection(k int) []session.Selected {
	var list []session.Selected
	for i := range k {
		p := 0.98 * math.Exp(-0.002*float64(i*i*i))
		list = append(list, session.Selected{
			Rank: i + 1, Index: (i*1733 + 29) % 7129, Name: sampleName(i), Probability: p, Margin: p * 0.9, Selector: (i*7 + 3) % k,
		})
	}
	return list
}

func sampleEvaluation() session.Evaluation {
	return session.Evaluation{
		Session: "leukemia", Part: "test", Rows: 36, Step: 1140,
		Score: session.Score{Metric: session.Accuracy, Value: 34.0 / 36}, BalancedAccuracy: new((1 + 10.0/12) / 2), Guess: 24.0 / 36,
		Confusion: [][]int{{24, 0}, {2, 10}}, Classes: []string{"ALL", "AML"}, ReconstructionError: 0.8123, MutualInformation: 0.2113,
		TestLooks: 2,
	}
}

func sampleStatus() session.Status {
	s := session.Status{
		Session: "leukemia", State: session.Running, Dataset: "ALLAML", N: 72, D: 7129,
		Step: 504, Steps: sampleEpochs * samplePerEpoch, StepsPerEpoch: samplePerEpoch, Epoch: 126, Tau: sampleTau(126),
		Trained: true, LossClass: 0.1411, LossReconstruction: 0.8998, TrainScore: session.Score{Value: 27.0 / sampleTraining},
		ValidationScore: &session.Score{Value: 7.0 / sampleValidation}, Validate: sampleValidation,
		MaxProbability: new(0.4127), SettledRows: 3, UniqueRows: new(10), StepsPerSecond: 412.3, Backend: "xla:cpu",
	}
	s.Config.K, s.Config.Epochs, s.Config.Lambda = 10, sampleEpochs, 0.1
	s.Loss = s.LossClass + s.Config.Lambda*s.LossReconstruction
	s.SecondsLeft = float64(s.Steps-s.Step) / s.StepsPerSecond
	return s
}
