package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/suggest"
)

type empty struct{}

// methods are the handlers of the verbs. life is how long the service is there: verbs that change where a training stands follow it rather
// than their connection.
func methods(life context.Context, service session.Service) handlers {
	return handlers{
		"ping": method(func(context.Context, empty) (empty, error) { return empty{}, nil }),
		"open": method(func(_ context.Context, p session.OpenRequest) (session.Status, error) { return service.Open(life, p) }),
		"step": method(func(_ context.Context, p session.StepParams) (session.Status, error) {
			return service.Step(life, p.Session, p.N)
		}),
		"run": method(func(_ context.Context, p session.RunParams) (session.Status, error) {
			return service.Run(life, p.Session, p.Until)
		}),
		"rewind": method(func(_ context.Context, p session.RewindParams) (session.Status, error) {
			if p.Step == nil {
				return session.Status{}, newError(codeBadParams, fault.New(fault.Request, "give its step", "rewind has no step to go to"))
			}
			return service.Rewind(life, p.Session, *p.Step)
		}),
		"fork": method(func(_ context.Context, p session.ForkParams) (session.Status, error) {
			step := -1
			if p.Step != nil {
				step = *p.Step
			}
			return service.Fork(life, p.Session, session.ForkRequest{As: p.As, Step: step, Replace: p.Replace})
		}),
		"pause":  named(service.Pause),
		"status": named(service.Status),
		"selection": named(func(ctx context.Context, name string) ([]session.Selected, error) {
			return listed(service.Selection(ctx, name))
		}),
		"close":    named(func(_ context.Context, name string) (empty, error) { return empty{}, service.Close(life, name) }),
		"sessions": method(func(ctx context.Context, _ empty) ([]session.Status, error) { return listed(service.Sessions(ctx)) }),
		"set": method(func(ctx context.Context, p session.SetParams) (session.Event, error) {
			return service.Set(ctx, p.Session, p.Changes)
		}),
		"matrix": method(func(ctx context.Context, p session.MatrixParams) (session.Matrix, error) {
			return service.Matrix(ctx, p.Session, p.MatrixRequest)
		}),
		"feature": method(func(ctx context.Context, p session.FeatureParams) (session.Feature, error) {
			return service.Feature(ctx, p.Session, string(p.Feature))
		}),
		"features": method(func(ctx context.Context, p session.FeaturesParams) ([]string, error) {
			return service.Features(ctx, p.Session, p.FeaturesRequest)
		}),
		"rows": method(func(ctx context.Context, p session.RowsParams) (session.Rows, error) {
			return service.Rows(ctx, p.Session, p.RowsRequest)
		}),
		"history": method(func(ctx context.Context, p session.HistoryParams) (session.History, error) {
			return service.History(ctx, p.Session, p.HistoryRequest)
		}),
		"evaluate": method(func(ctx context.Context, p session.EvaluateParams) (session.Evaluation, error) {
			return service.Evaluate(ctx, p.Session, p.Part)
		}),
	}
}

// named is a verb that takes the name of a session alone.
func named[R any](verb func(context.Context, string) (R, error)) Handler {
	return method(func(ctx context.Context, p session.NameParams) (R, error) { return verb(ctx, p.Session) })
}

// listed is [] rather than null where a list is empty.
func listed[T any](list []T, err error) ([]T, error) { return append([]T{}, list...), err }

// method decodes the parameters strictly and calls a verb.
func method[P, R any](verb func(context.Context, P) (R, error)) Handler {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if err := decode(params, &p); err != nil {
			return nil, newError(codeBadParams, err)
		}
		return verb(ctx, p)
	}
}

// decode reads parameters and refuses words it does not know: a misspelt key would otherwise be no key at all.
func decode(params json.RawMessage, into any) *fault.Error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	decoder := json.NewDecoder(bytes.NewReader(params))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return fault.New(fault.Request, "send one object", "something follows the parameters")
		}
		return nil
	}
	if mistyped := (*json.UnmarshalTypeError)(nil); errors.As(err, &mistyped) {
		where := mistyped.Field
		if where == "" {
			where = "params"
		}
		return fault.New(fault.Request, "give "+article(mistyped.Type), "%s is %s", where, mistyped.Value)
	}
	// encoding/json has no type for this error.
	if quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		known := fields(reflect.TypeOf(into).Elem())
		return fault.New(fault.Request, suggest.DidYouMean(strings.Trim(quoted, `"`), known), "the parameter %.100s is not known", quoted)
	}
	return fault.Wrap(err, fault.Request, "send one JSON object", "the parameters cannot be read")
}

// fields lists the JSON names in a type of parameters, those of its parts included.
func fields(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" {
			names = append(names, name)
		}
		part := f.Type
		if part.Kind() == reflect.Pointer {
			part = part.Elem()
		}
		if part.Kind() == reflect.Struct {
			names = append(names, fields(part)...)
		}
	}
	return names
}

func article(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return article(t.Elem())
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	default:
		return "a text"
	}
}
