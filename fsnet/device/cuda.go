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

// cudaOptions are go-xla's. tf32 would round the operands of products to 10 bits. Memory is taken as it is needed and not in advance, so
// that two notebooks share a GPU, and at most three quarters of it by one process. Other GPUs than the first that CUDA_VISIBLE_DEVICES
// leaves are not touched: on each a context would take some hundred megabytes.
const cudaOptions = ",tf32=false,preallocate=false,memory_fraction=0.75,visible_devices=0"

const noCUDA = "fsnet doctor says more; backend=auto uses the processor"

// openCUDA opens XLA on a GPU. Everything that can be missing is looked for first, since XLA's own words for it are hard to read, or end
// the process.
func (d *Device) openCUDA() error {
	if d.Plugin = FindPlugin(d.Name); d.Plugin == "" {
		return noPlugin(d.Name, "./install.sh --cuda fetches one, or use backend=auto")
	}
	if err := xlaplugin.CUDADriver(); err != nil {
		return errs.New(errs.Unavailable, "install NVIDIA's driver, or use backend=auto", "backend = %s: %v", d.Name, err)
	}
	// What lies beside the plugin is looked for where the plugin itself is, not where a link to it is.
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

// setCUDAEnvironment sets what the plugin reads from the environment and returns how to take it back.
func setCUDAEnvironment(plugin string) (restore func(), err error) {
	flags, err := CUDAFlags(plugin)
	if err != nil {
		return nil, err
	}
	return setEnvironment(map[string]string{
		xlaFlags:             flags.Merged,
		"GOPJRT_CUDA_CHECKS": "no", // go-xla's own look at the libraries, which warns on standard error
	}), nil
}

// setEnvironment sets variables and returns how to take it back.
func setEnvironment(values map[string]string) (restore func()) {
	old := map[string]*string{}
	for name, value := range values {
		if before, ok := os.LookupEnv(name); ok {
			old[name] = &before
		} else {
			old[name] = nil
		}
		os.Setenv(name, value) //nolint:errcheck // fails for an empty name only
	}
	return func() {
		for name, value := range old {
			if value == nil {
				os.Unsetenv(name) //nolint:errcheck // as above
			} else {
				os.Setenv(name, *value) //nolint:errcheck // as above
			}
		}
	}
}

// FlagsOfCUDA are XLA's flags on a GPU: the user's own (the environment variable XLA_FLAGS) and those that make training reproducible.
type FlagsOfCUDA struct {
	Merged     string   // what XLA gets
	Overridden []string // flags of the user that stand against reproducibility
}

// reproducible are the flags under which XLA gives the same bits each time: no operation whose result depends on the order of threads,
// and no choice of a kernel by measuring which is faster today.
func reproducible() []string {
	return []string{"--xla_gpu_deterministic_ops=true", "--xla_gpu_exclude_nondeterministic_ops=true", "--xla_gpu_autotune_level=0"}
}

// CUDAFlags joins the user's flags with those that the plugin, a path without symbolic links, knows of ours.
func CUDAFlags(plugin string) (FlagsOfCUDA, error) {
	user, err := xlaplugin.UserFlags(os.Getenv(xlaFlags))
	if err != nil {
		return FlagsOfCUDA{}, errs.Wrap(err, errs.Request, "correct or unset XLA_FLAGS", "backend = xla:cuda")
	}
	ours := reproducible()
	if dir := xlaplugin.CUDADataDirectory(plugin); dir != "" {
		ours = append(ours, "--xla_gpu_cuda_data_dir="+dir)
	}
	known, err := knownFlags(plugin, ours)
	if err != nil {
		return FlagsOfCUDA{}, errs.Wrap(err, errs.Unavailable, "./install.sh --cuda fetches one", "the PJRT plugin %s cannot be read", plugin)
	}
	if first := ours[0]; !slices.Contains(known, first) { // the others are parts of it, and may be gone one day
		return FlagsOfCUDA{}, errs.New(errs.Unavailable, "use the plugin of ./install.sh --cuda",
			"the PJRT plugin %s does not know %s, without which training is not reproducible", plugin, first)
	}
	merged, overridden := xlaplugin.MergeFlags(user, known)
	return FlagsOfCUDA{merged, overridden}, nil
}

// knownFlags are those of the list that a plugin knows.
func knownFlags(plugin string, flags []string) ([]string, error) {
	file, err := os.Open(plugin)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return xlaplugin.KnownFlags(file, flags)
}
