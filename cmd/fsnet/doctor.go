package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/internal/xlaplugin"
	"fsnetlab/kernel"
	"fsnetlab/kernel/gonb"
)

// newDoctorCommand returns fsnet doctor. It prints all findings. It fails if
// one of them is a problem, but not because of notes.
func newDoctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine: device, plugin, versions, kernel; every problem with its remedy",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			findings := examine(c.Context())
			if asJSON {
				if err := printJSON(c.OutOrStdout(), findings); err != nil {
					return err
				}
			} else if err := printFindings(c.OutOrStdout(), findings); err != nil {
				return err
			}
			problems := 0
			for _, f := range findings {
				if f.State == "problem" {
					problems++
				}
			}
			if problems > 0 {
				return errs.New(errs.Failed, "each has its remedy above", "%d of %s found a problem", problems, phrase.Count(len(findings), "check"))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON list of the findings")
	return c
}

// finding is a line of the doctor: ok, or a problem with its remedy. A note is
// a problem that FsNet works around.
type finding struct {
	Subject string `json:"subject"`          // what was examined
	State   string `json:"state"`            // ok · note · problem
	Text    string `json:"text"`             // what was found
	Remedy  string `json:"remedy,omitempty"` // what to do
}

func ok(subject, format string, args ...any) finding {
	return finding{subject, "ok", fmt.Sprintf(format, args...), ""}
}

// failing turns an error into a note or a problem.
func failing(subject, state string, err error) finding {
	return finding{subject, state, errs.Of(err).What, errs.Of(err).Remedy}
}

// examine examines everything and returns a finding for each subject, in the
// order of printing. It trains ten steps.
func examine(ctx context.Context) []finding {
	list := []finding{ok("version", "fsnet %s, %s, %s, %s/%s, %s", system.Version(), strings.Join(system.Libraries(), ", "),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, phrase.Count(runtime.NumCPU(), "core"))}
	list = append(list, examineCUDA(ctx)...)
	list = append(list, examinePlugin("xla:cpu"), examineDevice(ctx), examinePrograms())
	list = append(list, examineTools()...)
	return append(list, examineKernelspec(), examineSockets())
}

// examinePlugin reports a PJRT plugin with its origin and hash.
func examinePlugin(name string) finding {
	path := device.FindPlugin(name)
	if path == "" {
		return finding{"plugin " + name, "note", "none in " + strings.Join(device.PluginDirectories(), ", "),
			"./install.sh fetches one; until then FsNet trains on the Go backend, about ten times slower"}
	}

	sum, err := hashFile(path)
	if err != nil {
		return finding{"plugin " + name, "problem", err.Error(), "make the file readable, or remove it and run ./install.sh again"}
	}

	text := path + ", sha256 " + sum
	origin, err := pluginOrigin(path)
	switch {
	case err != nil:
		text += ", origin not recorded"
	case origin.SHA256 != sum:
		return finding{"plugin " + name, "problem", text + " differs from what was installed (" + origin.SHA256 + ")",
			"remove it and run ./install.sh again"}
	default:
		text += ", from " + origin.Origin + " " + origin.Version
	}

	return ok("plugin "+name, "%s", text)
}

// origin is the installer's record next to a plugin.
type origin struct {
	File    string `json:"file"`
	Origin  string `json:"origin"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// pluginOrigin returns the record in ORIGIN.json next to a plugin. It fails if
// the record is missing or about another file.
func pluginOrigin(path string) (origin, error) {
	var o origin
	text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "ORIGIN.json"))
	if err != nil {
		return o, err
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return o, err
	}
	if o.File != filepath.Base(path) {
		return o, fmt.Errorf("no record of %s", filepath.Base(path))
	}
	return o, nil
}

// hashFile returns the SHA-256 of a file, in hex.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// examineDevice trains ten steps on the built-in data.
func examineDevice(ctx context.Context) finding {
	broken := func(err error) finding { return failing("device", "problem", err) }

	device, err := device.Open(ctx, "auto")
	if err != nil {
		return broken(err)
	}
	defer device.Close()

	settings, err := config.Config{Data: dataset.Builtins()[0].Name}.Resolve()
	if err != nil {
		return broken(err)
	}

	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		return broken(err)
	}

	t, err := train.Open(ctx, device, data, settings)
	if err != nil {
		return broken(err)
	}
	defer t.Close()

	for t.Status().Step < 10 {
		if _, err := t.Advance(ctx, 10-t.Status().Step); err != nil {
			return broken(err)
		}
		if err := ctx.Err(); err != nil {
			return broken(err)
		}
	}

	return ok("device", "%s, %s (%s); a step of %s takes %.1f ms", device.Name, device.Description, device.Reason, data.Name,
		1000/t.Status().StepsPerSecond)
}

// examinePrograms reports the store of compiled programs, or why there is none.
func examinePrograms() finding {
	const subject = "compiled programs"
	store, err := device.ProgramStore()
	if err != nil {
		return failing(subject, "note", err)
	}

	programs, size, err := store.Holds()
	if err == nil {
		err = store.Check()
	}
	if err != nil {
		return finding{subject, "note", "no more are kept: " + err.Error(),
			"free space there, make it yours, or name another directory in " + device.ProgramsVariable}
	}

	return ok(subject, "%s, %.1f of at most %d MB; \"rm -r '%s'\" forgets them, which costs the time to compile again",
		phrase.Count(programs, "program"), float64(size)/1e6, xlaplugin.StoreLimit/1_000_000, store.Path())
}

// examineTools looks for the programs that a notebook needs besides this one. A
// wheel brings no programs for Go cells, and is complete without them.
func examineTools() []finding {
	var list []finding
	problem, remedy := "problem", "run ./install.sh"
	if system.Prefix() != "" {
		problem, remedy = "note", "run ./install.sh in a clone of FsNet Lab; %fsnet lines work without it"
	}

	for _, tool := range []struct{ name, use, missing, remedy string }{
		{"go", "compiles the Go cells", problem, "install Go 1.26.5 or later"},
		{"gonb", "runs the Go cells", problem, remedy},
		{"goimports", "completes the imports of Go cells", problem, remedy},
		{"gopls", "completes and explains Go code", "note",
			"run ./install.sh; until then cells run, but Tab and Shift-Tab know only %fsnet lines"},
		{"jupyter", "the notebook", "problem", "run ./install.sh, which makes a Python environment of its own"},
	} {
		path := findTool(tool.name)
		if path == "" {
			list = append(list, finding{tool.name, tool.missing, "not found (" + tool.use + ")", tool.remedy})
			continue
		}

		if tool.name == "gonb" {
			if err := gonb.CheckVersion(path); err != nil {
				list = append(list, failing(tool.name, "problem", err))
				continue
			}
			path += " " + gonb.Version
		}
		list = append(list, ok(tool.name, "%s (%s)", path, tool.use))
	}
	return list
}

// findTool returns the path of a program. It looks in this installation first,
// then on the PATH. It returns "" if there is none.
func findTool(name string) string {
	installed := system.Home()
	places := []string{filepath.Join(installed, "bin"), filepath.Join(installed, "venv", "bin")}
	if prefix := system.Prefix(); prefix != "" {
		places = append([]string{filepath.Join(prefix, "bin")}, places...)
	}
	for _, dir := range places {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// examineKernelspec reports whether Jupyter knows this kernel.
func examineKernelspec() finding {
	dir, err := kernel.SpecDirectory()
	if err == nil {
		err = kernel.CheckSpec(dir)
	}
	if err != nil {
		return failing("kernelspec", "problem", err)
	}
	return ok("kernelspec", "%s", kernel.DescribeSpec(dir))
}

// examineSockets checks that it can create a private directory for sockets.
func examineSockets() finding {
	dir, err := os.MkdirTemp(os.Getenv("XDG_RUNTIME_DIR"), "fsnet-doctor-")
	if err != nil {
		return finding{"sockets", "problem", err.Error(), "set XDG_RUNTIME_DIR or TMPDIR to a directory that you may write to"}
	}
	defer os.Remove(dir)
	return ok("sockets", "%s", filepath.Dir(dir))
}

// printFindings prints findings as text.
func printFindings(out io.Writer, list []finding) error {
	for _, f := range list {
		mark := map[string]string{"ok": "✓", "note": "·", "problem": "✗"}[f.State]
		if _, err := fmt.Fprintf(out, "%s %-17s %s\n", mark, f.Subject, f.Text); err != nil {
			return err
		}
		if f.Remedy != "" {
			if _, err := fmt.Fprintf(out, "  %-17s → %s\n", "", f.Remedy); err != nil {
				return err
			}
		}
	}
	return nil
}

// examineCUDA examines what training on an NVIDIA GPU needs, starting with the
// driver. No finding is a problem, because the processor can always train.
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
		return list // examinePlugin has reported it
	}

	return append(list, examineLibraries(plugin), examineFlags(plugin))
}

// examineDriver reports the NVIDIA driver and its GPUs. The finding is ok or a
// note.
func examineDriver(ctx context.Context) finding {
	const subject = "NVIDIA driver"
	if err := xlaplugin.CUDADriver(); err != nil {
		if version := xlaplugin.CUDADriverVersion(); version != "" {
			return finding{subject, "note", fmt.Sprintf("the kernel has driver %s, but this program has %v", version, err),
				"in a container: start it with the driver's libraries (--gpus all); else install the driver's user part, or put it on LD_LIBRARY_PATH"}
		}
		return finding{subject, "note", err.Error(), "only needed for a GPU; it comes from NVIDIA or your system"}
	}

	gpus, err := xlaplugin.GPUs(ctx)
	if err != nil {
		return finding{subject, "note", fmt.Sprintf("there (%s), but %v", cmp.Or(xlaplugin.CUDADriverVersion(), "version unknown"), err),
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
	return ok(subject, "%s", text)
}

// examineLibraries loads the NVIDIA libraries that the CUDA plugin will look
// for, and reports those that are missing.
func examineLibraries(plugin string) finding {
	subject := "CUDA libraries"
	var missing []string
	required := false
	list := xlaplugin.CUDALibraries(plugin)

	for _, l := range list {
		if l.Err != nil {
			missing = append(missing, l.Name)
			required = required || l.Required
		}
	}

	text := fmt.Sprintf("%d of %d for CUDA %d in %s", len(list)-len(missing), len(list), xlaplugin.CUDAMajor(plugin),
		cmp.Or(xlaplugin.CUDADirectory(plugin), "where the system looks for libraries"))

	switch {
	case len(missing) == 0:
		return ok(subject, "%s", text)
	case required:
		return finding{subject, "note", text + "; without these no GPU is used: " + strings.Join(missing, ", "),
			"./install.sh --cuda fetches them, or put their directory on LD_LIBRARY_PATH"}
	default:
		return finding{subject, "note", text + "; missing, and perhaps not needed: " + strings.Join(missing, ", "),
			"if training on the GPU fails: ./install.sh --cuda"}
	}
}

// examineFlags reports the flags that XLA gets, and which of the user's flags
// endanger reproducibility.
func examineFlags(plugin string) finding {
	const subject = "XLA_FLAGS on CUDA"
	flags, err := device.CUDAFlags(plugin)
	if err != nil {
		return failing(subject, "note", err)
	}
	if len(flags.Overridden) > 0 {
		return finding{subject, "note", flags.Merged,
			"your own flags win: with " + strings.Join(flags.Overridden, " ") + " the same seed may give other bits"}
	}
	return ok(subject, "%s", flags.Merged)
}
