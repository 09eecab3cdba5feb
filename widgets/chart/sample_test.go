package chart

import (
	"fmt"
	"math"
	"math/rand/v2"

	"fsnetlab/fsnet/session"
)

// genes are names as they stand in expression data.
var genes = []string{"Zyxin", "FAH", "CD33", "APLP2", "LYN", "MYB", "TCF3 (E2A)", "CCND3", "ADM", "LEPR", "CST3", "PTX3", "ELA2", "CSTA", "MCL1", "SPTAN1", "RBBP4", "TOP2B",
	"Macmarcks", "HOXA9", "IL8 precursor", "DF D component of complement (adipsin)", "X95735_at", "M27891_at", "U46499_at", "MGST1", "CTSD", "ATP6C vacuolar H+ ATPase proton channel subunit", "LGALS3", "CD63", "ACADM", "PSMA6",
	"PPGB", "GTF2E2", "CRYZ", "TIMP1", "VIM", "SNRPN", "CD19", "PRG1"}

// sampleMatrix is P of K selectors at a moment: share 0 is near the start, 1 settled. Columns are ordered as the session orders them.
func sampleMatrix(k, columns int, share float64) session.Matrix {
	random := rand.New(rand.NewPCG(7, uint64(k*1000+columns)))
	m := session.Matrix{Session: "leukemia", Of: "probability", Step: 1512, Epoch: 378 * share, Tau: 10 * math.Pow(0.001, share), D: 7129}
	for j := range columns {
		name := fmt.Sprintf("%s_%d", genes[j%len(genes)], j)
		if j < len(genes) {
			name = genes[j]
		}
		m.Names = append(m.Names, name)
		m.Index = append(m.Index, (j*1733+29)%7129)
	}
	for i := range k {
		sharpness := 9.5 * share * (0.5 + 0.8*random.Float64())
		logits := make([]float64, columns)
		total := 0.0
		for j := range logits {
			logits[j] = 1.3*random.NormFloat64()*share + 0.6*sharpness*boolean(j%k == i && j < 3*k)*random.Float64()
			if j == i%columns {
				logits[j] = sharpness
			}
			logits[j] = math.Exp(logits[j])
			total += logits[j]
		}
		others := float64(7129-columns) * math.Exp(-2.5*share*random.Float64()-2*share)
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

// sampleHistory is 300 epochs of noisy falling losses, with two changes of live keys and a stop.
func sampleHistory(epochs int) session.History {
	const perEpoch = 5
	random := rand.New(rand.NewPCG(3, 4))
	h := session.History{Session: "leukemia", Step: epochs * perEpoch, PerEpoch: perEpoch, Curves: map[string]session.Curve{}}
	add := func(metric string, step int, v float64) {
		c := h.Curves[metric]
		c.Steps, c.Values = append(c.Steps, step), append(c.Values, v)
		h.Curves[metric] = c
	}
	for e := 1; e <= epochs; e++ {
		t, step := float64(e)/float64(epochs), e*perEpoch
		lambda := 1.0
		if e > 120 {
			lambda = 0.1
		}
		class := (0.02 + 0.68*math.Exp(-5*t)) * math.Exp(0.35*random.NormFloat64())
		reconstruction := (0.62 + 0.4*math.Exp(-7*t)) * math.Exp(0.06*random.NormFloat64())
		add("loss_class", step, class)
		add("loss_reconstruction", step, reconstruction)
		add("loss", step, class+lambda*reconstruction)
		add("accuracy_train", step, math.Min(1, math.Round(38*(0.62+0.37*(1-math.Exp(-6*t))+0.05*random.NormFloat64()))/38))
		add("accuracy_validation", step, math.Min(1, math.Round(18*(0.6+0.33*(1-math.Exp(-5*t))+0.04*random.NormFloat64()))/18))
		tau := 10 * math.Pow(0.001, t)
		if e > 200 && e < 230 {
			tau = 10 * math.Pow(0.001, 200.0/300)
		}
		add("tau", step, tau)
		add("max_probability", step, 1/(1+math.Exp(-14*(t-0.55)))*0.97+0.0002)
		add("entropy", step, 8.8*(1-t))
		add("unique_rows", step, 10)
		add("learning_rate", step, 1e-3)
		add("lambda", step, lambda)
	}
	h.Events = []session.Event{
		{Step: 0, Kind: "open", Text: "opened"},
		{Step: 600, Epoch: 120, Kind: "set", Text: "lambda 1 → 0.1"},
		{Step: 1000, Epoch: 200, Kind: "set", Text: "schedule exponential → hold:0.1"},
		{Step: 1150, Epoch: 230, Kind: "set", Text: "schedule hold:0.1 → exponential"},
		{Step: epochs * perEpoch, Epoch: float64(epochs), Kind: "stop", Text: "settled"},
	}
	return h
}

func sampleSelection(k int) []session.Selected {
	var list []session.Selected
	for i := range k {
		p := 0.98 * math.Exp(-0.002*float64(i*i*i))
		list = append(list, session.Selected{Rank: i + 1, Index: (i*1733 + 29) % 7129, Name: genes[(i*3+1)%len(genes)], Probability: p, Margin: p * 0.9, Selector: (i*7 + 3) % k})
	}
	return list
}

func sampleEvaluation() session.Evaluation {
	return session.Evaluation{Session: "leukemia", Part: "test", Rows: 36, Step: 1512, Accuracy: 34.0 / 36, BalancedAccuracy: 0.9375, Majority: 24.0 / 36,
		Confusion: [][]int{{24, 0}, {2, 10}}, Classes: []string{"ALL", "AML"}, ReconstructionError: 0.8123, MutualInformation: 0.2113, TestLooks: 2}
}

func sampleStatus() session.Status {
	s := session.Status{Session: "leukemia", State: session.Running, Dataset: "ALLAML", N: 72, D: 7129, Step: 630, Steps: 1500, StepsPerEpoch: 5, Epoch: 126, Tau: 0.549,
		Trained: true, Loss: 0.2312, LossClass: 0.1411, LossReconstruction: 0.8998, AccuracyTrain: 0.974, AccuracyValidation: new(0.944), Validate: 8,
		MaxProbability: new(0.4127), SettledRows: 3, UniqueRows: new(10), StepsPerSecond: 412.3, SecondsLeft: 2.1, Backend: "xla:cpu"}
	s.Config.K, s.Config.Epochs = 10, 300
	return s
}
