package sessiontest

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// Subjects are configurations for the engine behind a service under test.
type Subjects struct {
	// Short ends by itself within seconds, after at least 10 epochs of at least
	// 2 steps. K is at least 2, and stop=never.
	Short session.Config
	// Long is Short with epochs for minutes.
	Long session.Config

	// Each of the following may be empty if the engine can't do it. Its test is
	// then skipped.
	Settling session.Config // settles before its last epoch, within seconds; stop=settled
	// Contested is Settling with a contest that exchanges a feature. K is at
	// least 2.
	Contested session.Config
	Failing   session.Config // a loss stops being a number within 100 steps
	Crashing  session.Config // the engine panics within 100 steps
	Lasting   session.Config // its rewinds and forks last until their context ends

	Rounds int // of simultaneous calls; 0 means 16
}

// limit bounds every wait of the suite. When it has passed, the test fails. It
// is generous, for the race detector and busy machines, and no test waits for
// it to pass.
const limit = 3 * time.Minute

func fakes() Subjects {
	never, settled := "never", "settled"
	return Subjects{
		Short:    session.Config{Data: "planted", K: 3, Epochs: 20, Stop: never},
		Long:     session.Config{Data: "planted", K: 3, Epochs: 1_000_000_000, Stop: never},
		Settling: session.Config{Data: "planted", K: 3, Epochs: 20, Stop: settled},
		Failing:  session.Config{Data: "nan:70", K: 3, Epochs: 100, Stop: never},
		Crashing: session.Config{Data: "panic:70", K: 3, Epochs: 100, Stop: never},
		Lasting:  session.Config{Data: "long", K: 3, Epochs: 100, Stop: never},
	}
}

// Conform runs the suite. newCaller returns a new service without sessions,
// whose trainings are those of package fake.
func Conform(t *testing.T, newCaller func(t *testing.T) session.Caller) {
	t.Helper()
	ConformOn(t, fakes(), newCaller)
}

// ConformOn runs the suite on a service with any engine.
func ConformOn(t *testing.T, subjects Subjects, newCaller func(t *testing.T) session.Caller) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"open", (*suite).open},
		{"names", (*suite).names},
		{"attach", (*suite).attach},
		{"replace", (*suite).replace},
		{"one open for many", (*suite).openAtOnce},
		{"step", (*suite).step},
		{"steps add up", (*suite).stepsAddUp},
		{"run", (*suite).run},
		{"run until settled", (*suite).runUntilSettled},
		{"busy", (*suite).busy},
		{"verbs during a run", (*suite).duringRun},
		{"pause", (*suite).pause},
		{"cancel", (*suite).cancel},
		{"run in the background", (*suite).runInBackground},
		{"a run in the background ends", (*suite).backgroundEnds},
		{"a run in the background fails", (*suite).backgroundFails},
		{"rewind", (*suite).rewind},
		{"rewind what failed", (*suite).rewindFailed},
		{"a rewind is interrupted", (*suite).rewindInterrupted},
		{"verbs during a rewind", (*suite).duringRewind},
		{"verbs during a fork", (*suite).duringFork},
		{"fork", (*suite).fork},
		{"fork refused", (*suite).forkRefused},
		{"fork during a run", (*suite).forkDuringRun},
		{"a fork ends with its parent", (*suite).forkInterrupted},
		{"one choice", (*suite).oneChoice},
		{"one choice after a contest", (*suite).oneChoiceContested},
		{"set", (*suite).set},
		{"set during a run", (*suite).setDuringRun},
		{"selection", (*suite).selection},
		{"matrix", (*suite).matrix},
		{"matrix of a past step", (*suite).pastMatrix},
		{"feature", (*suite).feature},
		{"rows", (*suite).rows},
		{"features", (*suite).features},
		{"history", (*suite).history},
		{"evaluate", (*suite).evaluate},
		{"watch", (*suite).watched},
		{"watch a run", (*suite).watchedRun},
		{"watch slowly", (*suite).watchedSlowly},
		{"watch a failure", (*suite).watchedFailure},
		{"watch refused", (*suite).watchRefused},
		{"sessions", (*suite).sessions},
		{"close", (*suite).close},
		{"close during a run", (*suite).closeDuringRun},
		{"unknown session", (*suite).unknown},
		{"wrong values", (*suite).wrongValues},
		{"failed", (*suite).failed},
		{"crashed", (*suite).crashed},
		{"many at once", (*suite).manyAtOnce},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			directory := t.TempDir() // made before the service, it is removed after the service has ended
			s := &suite{T: t, ctx: ctx, Caller: within{newCaller(t), directory}, subjects: subjects}
			defer s.endUnexpected()
			c.test(s)
		})
	}
}

// within opens sessions in a directory, unless the request names one. Looks at
// test rows are counted by directory, so a test with its own directory knows
// all of them.
type within struct {
	session.Caller
	directory string
}

func (w within) Call(ctx context.Context, verb string, params, result any) error {
	if request, opens := params.(session.OpenRequest); opens && request.Directory == "" {
		request.Directory = w.directory
		params = request
	}
	return w.Caller.Call(ctx, verb, params, result)
}

// suite is one test of the suite, with the service and helpers.
type suite struct {
	*testing.T
	session.Caller
	ctx      context.Context //nolint:containedctx // it lives as long as the test
	subjects Subjects
}

func (s *suite) on(name string) session.Session { return session.On(s, name) }

// mustOpen opens a session of that configuration.
func (s *suite) mustOpen(name string, c session.Config) session.Status {
	s.Helper()
	return must(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: name, Config: c}))
}

// unexpected wraps the error with which must panics.
type unexpected struct{ error }

// must returns the result of a verb. An error ends the test. Only the goroutine
// of the test may call it.
func must[T any](result T, err error) T {
	if err != nil {
		panic(unexpected{err})
	}
	return result
}

// errorOf returns the error of a verb.
func errorOf[T any](_ T, err error) error { return err }

func (s *suite) ok(err error) { must(0, err) }

// endUnexpected, deferred, ends the test after a panic of must.
func (s *suite) endUnexpected() {
	switch p := recover().(type) {
	case nil:
	case unexpected:
		s.Fatalf("unexpected error: %v\n%s", p.error, debug.Stack())
	default:
		panic(p)
	}
}

// needs skips a test if the engine lacks its subject.
func (s *suite) needs(c session.Config) session.Config {
	s.Helper()
	if c.Data == "" {
		s.Skip("this engine cannot be made to do it")
	}
	return c
}

// fails checks an error's kind and words, and that it is one line with a
// remedy.
func (s *suite) fails(err error, kind errs.Kind, words ...string) {
	s.Helper()
	var f *errs.Error
	switch {
	case err == nil:
		s.Errorf("no error, want one of kind %s", kind)
	case !errors.As(err, &f):
		s.Errorf("%T is no *errs.Error: %v", err, err)
	case f.Kind != kind:
		s.Errorf("kind %s, want %s: %v", f.Kind, kind, err)
	case f.What == "" || strings.ContainsAny(err.Error(), "\n\t") || len(err.Error()) > 1000:
		s.Errorf("not one readable line: %q", err)
	case f.Remedy == "" && kind != errs.Interrupted:
		s.Errorf("it does not say what to do: %v", err)
	}
	for _, word := range words {
		if err != nil && !strings.Contains(err.Error(), word) {
			s.Errorf("%q does not contain %q", err, word)
		}
	}
}

// outcome is the result of a verb in the background.
type outcome struct {
	status session.Status
	err    error
}

// begin calls a verb in the background.
func begin(verb func() (session.Status, error)) <-chan outcome {
	ended := make(chan outcome, 1)
	go func() {
		status, err := verb()
		ended <- outcome{status, err}
	}()
	return ended
}

// background runs until the end, and returns once the run has begun.
func (s *suite) background(ctx context.Context, name string) <-chan outcome {
	s.Helper()
	ended := begin(func() (session.Status, error) { return s.on(name).Run(ctx, session.Until{}) })
	s.until(name, func(status session.Status) bool { return status.State == session.Running && status.Step > 0 })
	return ended
}

// until polls the status until fits returns true. Between polls it yields the
// processor.
func (s *suite) until(name string, fits func(session.Status) bool) session.Status {
	s.Helper()
	for {
		status := must(s.on(name).Status(s.ctx))
		if fits(status) {
			return status
		}
		time.Sleep(time.Millisecond)
	}
}

// stop pauses a run in the background and waits for it.
func (s *suite) stop(name string, ended <-chan outcome) {
	s.Helper()
	must(s.on(name).Pause(s.ctx))
	must(s.end(ended))
}

// end waits for a verb in the background.
func (s *suite) end(ended <-chan outcome) (session.Status, error) {
	s.Helper()
	select {
	case o := <-ended:
		return o.status, o.err
	case <-s.ctx.Done():
		s.Fatal("the run does not end")
		return session.Status{}, nil
	}
}
