// Package replica trains one configuration many times over, each time with another seed, and says what the trainings have in common:
// which features are chosen again and again, how the accuracy varies, how stable the selection is.
//
// # Nouns
//
//   - a [Plan] is what to train: settings, and how many replicas. Replica r has the seed of the settings + r and with it also its own
//     split, initial parameters, batches and noise, since all of these are functions of the seed;
//   - a [Result] is what one training came to, as fsnet fit --json prints it; [Train] makes one;
//   - [Workers] train the replicas of a plan in processes, one for each core, or one on a GPU;
//   - a [Summary] is what the results say together.
//
// # Basics
//
//	runner := &replica.Workers{Command: func() *exec.Cmd { return exec.Command(program, "worker") }}
//	replicas, err := runner.Run(ctx, replica.Plan{Settings: settings, Replicas: 20}, nil)
//	summary := replica.Summarize(replica.Results(replicas))
//
// # Caveats
//
// Each worker reads the data once, for all of its replicas, and holds it beside a scaled copy and a training; the parent does not read it.
// So fewer workers take less memory; Workers starts no more than have room together, by what the first one says that it takes.
//
// Each replica has the bits of its single training on that device.
//
// On Linux a worker is pinned to one core before XLA is loaded, unless a quota of processor time leaves less than the cores. XLA has one
// thread in every worker, pinned or not, which gives the same bits as a training on all cores.
package replica
