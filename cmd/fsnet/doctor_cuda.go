package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/cuda"
)

// examineCUDA looks at what training on an NVIDIA GPU needs, from the driver up: nothing here is a problem, since the processor is always
// there to train on.
func examineCUDA(ctx context.Context) []finding {
	driver := examineDriver(ctx)
	plugin := device.FindPlugin("xla:cuda")
	if plugin == "" {
		remedy := "only needed for a GPU"
		if driver.State == "ok" {
			remedy = "./install.sh --cuda fetches it: about 3 GB to download, 4 GB of disk"
		}
		return []finding{driver, {"plugin xla:cuda", "note", "none in " + strings.Join(device.PluginDirectories(), ", "), remedy}}
	}
	list := []finding{driver, examinePlugin("xla:cuda")}
	plugin, err := filepath.EvalSymlinks(plugin)
	if err != nil {
		return list // examinePlugin has said that it cannot be read
	}
	return append(list, examineLibraries(plugin), examineFlags(plugin))
}

func examineDriver(ctx context.Context) finding {
	const subject = "NVIDIA driver"
	if err := cuda.Driver(); err != nil {
		if version := cuda.DriverVersion(); version != "" {
			return finding{subject, "note", fmt.Sprintf("the kernel has driver %s, but this program has %v", version, err),
				"in a container: start it with the driver's libraries (--gpus all); else install the driver's user part, or put it on LD_LIBRARY_PATH"}
		}
		return finding{subject, "note", err.Error(), "only needed for a GPU; it comes from NVIDIA or your system"}
	}
	gpus, err := cuda.GPUs(ctx)
	if err != nil {
		return finding{subject, "note", fmt.Sprintf("there (%s), but %v", orUnknown(cuda.DriverVersion()), err),
			"look at nvidia-smi and CUDA_VISIBLE_DEVICES"}
	}
	texts := make([]string, len(gpus))
	for i, g := range gpus {
		texts[i] = fmt.Sprintf("%s (compute capability %s, %.1f of %.1f GB free)", g.Name, g.Capability, float64(g.Free)/1e9,
			float64(g.Total)/1e9)
	}
	text := fmt.Sprintf("%s, %s", gpus[0].Driver, strings.Join(texts, ", "))
	if len(gpus) > 1 {
		return finding{subject, "ok", text + "; FsNet takes the first", "CUDA_VISIBLE_DEVICES=1 would make it the second"}
	}
	return finding{subject, "ok", text, ""}
}

func orUnknown(version string) string {
	if version == "" {
		return "version unknown"
	}
	return version
}

// examineLibraries loads what the plugin will look for.
func examineLibraries(plugin string) finding {
	subject := "CUDA libraries"
	var missing []string
	required := false
	list := cuda.Libraries(plugin)
	for _, l := range list {
		if l.Err != nil {
			missing = append(missing, l.Name)
			required = required || l.Required
		}
	}
	place := cuda.Directory(plugin)
	if place == "" {
		place = "where the system looks for libraries"
	}
	text := fmt.Sprintf("%d of %d for CUDA %d in %s", len(list)-len(missing), len(list), cuda.Major(plugin), place)
	switch {
	case len(missing) == 0:
		return finding{subject, "ok", text, ""}
	case required:
		return finding{subject, "note", text + "; without these no GPU is used: " + strings.Join(missing, ", "),
			"./install.sh --cuda fetches them, or put their directory on LD_LIBRARY_PATH"}
	default:
		return finding{subject, "note", text + "; missing, and perhaps not needed: " + strings.Join(missing, ", "),
			"if training on the GPU fails: ./install.sh --cuda"}
	}
}

// examineFlags shows what XLA gets, and which of the user's flags stand against reproducibility.
func examineFlags(plugin string) finding {
	const subject = "XLA_FLAGS on CUDA"
	flags, err := device.CUDAFlags(plugin)
	if err != nil {
		return finding{subject, "note", fault.Of(err).What, fault.Of(err).Remedy}
	}
	if len(flags.Overridden) > 0 {
		return finding{subject, "note", flags.Merged,
			"your own flags win: with " + strings.Join(flags.Overridden, " ") + " the same seed may give other bits"}
	}
	return finding{subject, "ok", flags.Merged, ""}
}
