// Package trials draws what many trainings found: comparisons of methods, stability over half-samples, tunings and paths.
//
// # Basics
//
// Each figure is the object that a verb of fsnet prints with --json, and each picture one function of it:
//
//	Comparison(Compared)        accuracies, seconds, mean ranks          Vega-Lite, PNG, SVG, text
//	StabilityChart(Stability)   how often each feature is chosen         Vega-Lite, PNG, SVG, text
//	Tuning(Tuned), Path(Tuned)  accuracies with standard errors          Vega-Lite, PNG, SVG, text
//	ComparisonTable, StabilityTable, TuningTable, PathTable              HTML, text
//
// # Caveats
//
// What has no figures yet is drawn as far as it has come, and says so.
package trials
