package replica_test

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

func line(t testing.TB, object any) string {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// What is no runner is told so, in one line.
func TestServeRefusesStrangers(t *testing.T) {
	var out bytes.Buffer
	for _, in := range []string{"hello\n", "[]\n", `{"settings":7}` + "\n", "\x00\xff\n"} {
		if err := replica.Serve(t.Context(), strings.NewReader(in), &out); !fault.Is(err, fault.Request) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", in, err)
		}
	}
	if err := replica.Serve(t.Context(), strings.NewReader(""), &out); err != nil {
		t.Errorf("a runner that has gone: %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("it answered %q", out.String())
	}
}

// Data that are not there are an answer.
func TestServeAnswersWhatIsWrong(t *testing.T) {
	settings := quick(t)
	settings.Data = "nothing-here.csv"
	in, end := newLines(line(t, map[string]any{"settings": settings, "directory": t.TempDir()}))
	out := answers{end: end}
	if err := replica.Serve(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `"kind":"not-found"`) || !strings.Contains(got, "nothing-here.csv") {
		t.Errorf("it answered %s", got)
	}
}

func TestTrainInterrupted(t *testing.T) {
	settings := quick(t)
	settings.Epochs, settings.Stop = 1_000_000, "never"
	ctx, cancel := context.WithCancel(t.Context())
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		t.Fatal(err)
	}
	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	save := t.TempDir() + "/model.safetensors"
	result, err := replica.Train(ctx, device, data, settings, save, func(s fsnetStatus) {
		if s.Step > 100 {
			cancel()
		}
	})
	if !fault.Is(err, fault.Interrupted) || result == nil || result.Steps < 100 || len(result.Selected) != 3 {
		t.Errorf("%+v: %v", result, err)
	}
	if _, err := fsnet.Load(save); !fault.Is(err, fault.NotFound) {
		t.Errorf("it saved an unfinished model: %v", err)
	}
}

// Results cross the wire with every bit and with their notes.
func TestReplyKeepsResults(t *testing.T) {
	want := result(0.1+0.2, gene(1, 1.0/3), gene(7, 5e-324))
	want.Notes = replica.Notes{Majority: 2.0 / 3, Reason: "settled", Source: "a \"file\"\n", BackendReason: "x"}
	r, err := replica.ParseReply([]byte(line(t, map[string]any{"result": map[string]any{"result": want, "notes": want.Notes}})))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Result.Result; !reflect.DeepEqual(got.Selected, want.Selected) || got.AccuracyTest != want.AccuracyTest ||
		r.Result.Notes != want.Notes {
		t.Errorf("%+v, want %+v", r.Result, want)
	}
}

func FuzzParseReply(f *testing.F) {
	for _, seed := range []string{
		`{"ready":{"dataset_hash":"ab"}}`, `{"steps":{"step":3,"steps":9}}`, `{"alive":{"cpu":0.5}}`, `{"fault":{"kind":"request","what":"k","remedy":"r"}}`,
		`{"result":{"result":{"seed":3,"selected":[{"rank":1}]},"notes":{"majority":0.5}}}`, `{}`, `{"ready":{},"steps":{}}`, `[`, `null`, "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := replica.ParseReply(text)
		if err != nil {
			if !fault.Is(err, fault.Failed) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		again, err := replica.ParseReply([]byte(line(t, r)))
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%q is %+v, written and read again %+v: %v", text, r, again, err)
		}
	})
}
