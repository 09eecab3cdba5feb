package device

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/xlaplugin"
)

// cudaOptions are options of go-xla. tf32 would round the operands of
// products to 10 bits. Memory is allocated as needed instead of in advance,
// so that two notebooks can share a GPU, and one process gets at most three
// quarters of it. We use only the first GPU that CUDA_VISIBLE_DEVICES
// leaves, because a context on each of the others would take some hundred
// megabytes.
const cudaOptions = ",tf32=false,preallocate=false,memory_fraction=0.75,visible_devices=0"

const noCUDA = "fsnet doctor says more; backend=auto uses the processor"

// openCUDA opens XLA on a GPU. It first looks for everything that may be
// missing. If XLA notices instead, its messages are hard to read, or it ends
// the process.
func (d *Device) openCUDA() error {
	if d.Plugin = FindPlugin(d.Name); d.Plugin == "" {
		return noPlugin(d.Name, "./install.sh --cuda fetches one, or use backend=auto")
	}
	if err := xlaplugin.CUDADriver(); err != nil {
		return errs.New(errs.Unavailable, "install NVIDIA's driver, or use backend=auto", "backend = %s: %v", d.Name, err)
	}
	// The libraries are next to the plugin itself, not next to a link to it.
	plugin, err := filepath.EvalSymlinks(d.Plugin)
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "./install.sh --cuda fetches one", "the PJRT plugin %s cannot be read", d.Plugin)
	}
	for _, library := range xlaplugin.CUDALibraries(plugin) {
		if library.Required && library.Err != nil {
			return errs.New(errs.Unavailable, "./install.sh --cuda fetches it, or put its directory on LD_LIBRARY_PATH",
				"backend = %s: NVIDIA's library %s does not load: %v", d.Name, library.Name, library.Err)
		}
	}
	restore, err := setCUDAEnvironment(plugin)
	if err != nil {
		return err
	}
	if err := d.openXLA(plugin, cudaOptions, noCUDA); err != nil {
		restore()
		if strings.Contains(err.Error(), "No visible GPU") {
			return errs.New(errs.Unavailable, "look at nvidia-smi and CUDA_VISIBLE_DEVICES, or use backend=auto",
				"backend = %s: the NVIDIA driver shows no GPU", d.Name)
		}
		return err
	}
	d.Description = "XLA on CUDA"
	if s, ok := d.backend.(interface {
		DeviceDescription(compute.DeviceNum) string
	}); ok {
		d.Description = "XLA on " + s.DeviceDescription(0)
	}
	return nil
}

const xlaFlags = "XLA_FLAGS"

// userFlags returns the flags of the variable XLA_FLAGS. It rejects flags that
// the plugin does not know, because XLA would end the process. The error is of
// kind Request.
func userFlags(backend, plugin string) (string, error) {
	const remedy = "correct or unset XLA_FLAGS; in a notebook, %env XLA_FLAGS= empties it"
	flags, err := xlaplugin.UserFlags(os.Getenv(xlaFlags))
	if err != nil {
		return "", errs.Wrap(err, errs.Request, remedy, "backend = %s", backend)
	}

	var names []string
	for _, word := range strings.Fields(flags) {
		if strings.HasPrefix(word, "-") { // other words are part of a quoted value
			names = append(names, word)
		}
	}
	if len(names) == 0 {
		return flags, nil
	}

	known, err := knownFlags(plugin, names)
	if err != nil {
		return flags, nil //nolint:nilerr // loading the plugin reports it
	}
	for _, name := range names {
		if !slices.Contains(known, name) || !strings.HasPrefix(name, "--") {
			return "", errs.New(errs.Request, remedy, "backend = %s: XLA_FLAGS has %s, which this version of XLA does not know", backend, name)
		}
	}
	return flags, nil
}

// knownFlags returns those of the flags that the plugin knows.
func knownFlags(plugin string, flags []string) ([]string, error) {
	file, err := os.Open(plugin)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return xlaplugin.KnownFlags(file, flags)
}

// setCUDAEnvironment sets the variables that the plugin reads, if
// [CUDAFlags] accepts it. restore undoes that.
func setCUDAEnvironment(plugin string) (restore func(), err error) {
	flags, err := CUDAFlags(plugin)
	if err != nil {
		return nil, err
	}

	restore = func() {}
	for name, value := range map[string]string{
		xlaFlags:             flags.Merged,
		"GOPJRT_CUDA_CHECKS": "no", // go-xla's check of the libraries, which warns on standard error
	} {
		before, set := os.LookupEnv(name)
		others := restore
		restore = func() {
			others()
			if set {
				os.Setenv(name, before) //nolint:errcheck // fails for an empty name only
			} else {
				os.Unsetenv(name) //nolint:errcheck // as above
			}
		}
		os.Setenv(name, value) //nolint:errcheck // as above
	}
	return restore, nil
}

// FlagsOfCUDA holds the flags of XLA on a GPU: those of the user (the
// environment variable XLA_FLAGS) and those that make training reproducible.
type FlagsOfCUDA struct {
	Merged     string   // flags that XLA gets
	Overridden []string // flags of the user that prevent reproducibility
}

// reproducible returns the flags under which XLA always computes the same
// bits: no operation may depend on the order of threads, and no kernel is
// chosen by measuring its speed.
func reproducible() []string {
	return []string{"--xla_gpu_deterministic_ops=true", "--xla_gpu_exclude_nondeterministic_ops=true", "--xla_gpu_autotune_level=0"}
}

// CUDAFlags merges the user's flags with ours, as far as the plugin knows
// them. plugin is a path without symbolic links. The error is of kind
// Request if the user's flags cannot be read, and of kind Unavailable if the
// plugin cannot train reproducibly.
func CUDAFlags(plugin string) (FlagsOfCUDA, error) {
	user, err := userFlags("xla:cuda", plugin)
	if err != nil {
		return FlagsOfCUDA{}, err
	}
	ours := reproducible()
	if dir := xlaplugin.CUDADataDirectory(plugin); dir != "" {
		ours = append(ours, "--xla_gpu_cuda_data_dir="+dir)
	}

	known, err := knownFlags(plugin, ours)
	if err != nil {
		return FlagsOfCUDA{}, errs.Wrap(err, errs.Unavailable, "./install.sh --cuda fetches one", "the PJRT plugin %s cannot be read", plugin)
	}
	// Newer plugins may lack the other flags, which are parts of this one.
	if first := ours[0]; !slices.Contains(known, first) {
		return FlagsOfCUDA{}, errs.New(errs.Unavailable, "use the plugin of ./install.sh --cuda",
			"the PJRT plugin %s does not know %s, without which training is not reproducible", plugin, first)
	}
	merged, overridden := xlaplugin.MergeFlags(user, known)
	return FlagsOfCUDA{merged, overridden}, nil
}
