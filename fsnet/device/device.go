package device

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Backends lists the values of the key backend but auto, the best first.
func Backends() []string { return []string{"xla:cuda", "xla:cpu", "go"} }

// Device is where graphs run, with the programs compiled for it. It may be shared by trainings and goroutines.
type Device struct {
	Name        string // xla:cuda · xla:cpu · go
	Description string // the hardware, for people
	Reason      string // why this one was taken, in words
	Plugin      string // path of the PJRT plugin; "" for go

	backend  compute.Backend
	programs programCache
}

// Open opens a backend by name. auto takes the first of Backends that works and says in Reason what it passed over.
func Open(ctx context.Context, name string) (*Device, error) {
	if name != "auto" && name != "" {
		return openNamed(name, "asked for by name")
	}
	var passed []string
	for _, candidate := range Backends() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if candidate != "go" && !hasXLA {
			passed = append(passed, candidate+" is not in this fsnet, which was built without a C compiler")
			continue
		}
		if candidate != "go" && FindPlugin(candidate) == "" {
			passed = append(passed, candidate+" has no plugin")
			continue
		}
		d, err := openNamed(candidate, "")
		if err != nil {
			passed = append(passed, candidate+" cannot be used: "+firstLine(strings.TrimPrefix(fault.Of(err).What, "backend = "+candidate+": ")))
			continue
		}
		d.Reason = "the best that works here"
		if len(passed) > 0 {
			d.Reason = "the best that works here: " + strings.Join(passed, "; ")
		}
		return d, nil
	}
	return nil, fault.New(fault.Unavailable, "run fsnet doctor", "no backend works: %s", strings.Join(passed, "; "))
}

func openNamed(name, reason string) (*Device, error) {
	d := &Device{Name: name, Reason: reason}
	err := guardPanic(func() error {
		var err error
		switch name {
		case "go":
			// One operation at a time, each on all cores. Several products at once, each waiting for more workers of the one pool that
			// they all hold, wait for ever.
			d.backend, err = gobackend.New("ops_sequential")
			d.Description = fmt.Sprintf("GoMLX's Go backend, %s (about ten times slower than XLA)", count.Of(runtime.NumCPU(), "core"))
		case "xla:cpu", "xla:cuda":
			switch {
			case !hasXLA:
				err = d.withoutXLA()
			case name == "xla:cpu":
				err = d.openCPU()
			default:
				err = d.openCUDA()
			}
		default:
			err = fault.New(fault.Request, "choose one of auto, "+strings.Join(Backends(), ", "), "backend = %q is not known", name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Backend is GoMLX's handle of the device, for building other graphs on it.
func (d *Device) Backend() compute.Backend { return d.backend }

// Close frees the device. Trainings that use it must be closed before.
func (d *Device) Close() {
	d.programs.close()
	if d.backend != nil {
		d.backend.Finalize()
		d.backend = nil
	}
}

// guardPanic turns a panic of a library into an error.
func guardPanic(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.New(fault.Unavailable, "run fsnet doctor", "the backend stopped while it was opened: %v", r)
		}
	}()
	return work()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
