package train

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// What replaces P at the end of a training is evaluated as it is, and a model
// can be made of it: a noisy sample, and the features before the first step.
func TestTraining_OtherSelectionsHaveNoContest(t *testing.T) {
	d, data := devicetest.All(t)[0], planted(40, 30)
	sample, built := config.RulesOf(config.FsNet), config.RulesOf(config.FsNet)
	sample.Selection, built.Evaluation = config.BySample, config.AsBuilt
	for _, c := range []config.Config{{Rules: &sample}, {Rules: &built}, {}} {
		c.K, c.Data, c.Epochs, c.Seed = 3, data.Name, 4, 2
		training := must(Open(t.Context(), d, data, must(c.Resolve())))
		defer training.Close()
		check(t, training.Run(t.Context(), nil))
		e, err := training.Evaluate(session.Test)
		if err != nil || e.Rows == 0 {
			t.Fatalf("%+v: %v", c, err)
		}
		fitted, err := training.Fitted()
		if one := c.Rules != nil; err != nil || (len(fitted.Networks) == 1) != one {
			t.Errorf("%+v: %d networks, %v", c, len(fitted.Networks), err)
		}
	}
}
