package kernel

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/jupyter"
)

// SpecName is the kernel's name. Its folder has this name, and notebooks refer to
// it.
const SpecName = "fsnet"

// DisplayName is the name shown in the launcher.
const DisplayName = "FsNet (Go)"

//go:embed logos
var logoFiles embed.FS

// spec is the content of kernel.json.
type spec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	Protocol      string            `json:"kernel_protocol_version"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env,omitempty"`
	Metadata      map[string]any    `json:"metadata"`
}

// specArguments returns the arguments that Jupyter starts the program with. They
// also tell our kernelspecs from others.
func specArguments() []string { return []string{"kernel", "--connection-file", "{connection_file}"} }

// ResourceDir is the prefix of a command that lies next to the kernelspec.
// Jupyter replaces it with the kernelspec's directory. A wheel uses it, because
// you may install a wheel anywhere.
const ResourceDir = "{resource_dir}"

// InstallSpec writes the kernelspec into dir, replacing one of ours. command is the
// absolute path of fsnet, or starts with ResourceDir. env holds variables that
// the kernel needs, such as a home other than the default.
func InstallSpec(dir, command string, env map[string]string) error {
	failed := func(err error) error {
		return errs.Wrap(err, errs.Failed, "make the directory writable, or name another one", "the kernelspec %s cannot be written", dir)
	}

	if !filepath.IsAbs(command) && !strings.HasPrefix(command, ResourceDir) {
		return errs.New(errs.Request, "give its absolute path", "the kernel's command %q is not absolute", command)
	}
	if foreignSpec(dir) {
		return errs.New(errs.Request, "move it away, or name another directory", "%s is another kernel of that name", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failed(err)
	}

	text, err := json.MarshalIndent(spec{
		Argv:          append([]string{command}, specArguments()...),
		DisplayName:   DisplayName,
		Language:      "go",
		Protocol:      jupyter.ProtocolVersion,
		InterruptMode: "message",
		Env:           env,
		Metadata:      map[string]any{"debugger": false},
	}, "", "  ")
	if err != nil {
		return failed(err)
	}

	logos, err := logoFiles.ReadDir("logos")
	if err != nil {
		return failed(err)
	}

	for _, logo := range logos {
		image, err := logoFiles.ReadFile("logos/" + logo.Name())
		if err != nil {
			return failed(err)
		}
		if err := os.WriteFile(filepath.Join(dir, logo.Name()), image, 0o644); err != nil {
			return failed(err)
		}
	}

	text = append(text, '\n')
	file := filepath.Join(dir, "kernel.json")
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, text) {
		return nil // Jupyter may be reading it
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return failed(err)
	}
	return nil
}

// foreignSpec reports whether dir has a kernel.json that InstallSpec didn't write, for
// example one that doesn't parse. If the file can't be read, foreign returns
// false.
func foreignSpec(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		return false
	}
	var s spec
	err = json.Unmarshal(text, &s)
	return err != nil || len(s.Argv) == 0 || !slices.Equal(s.Argv[1:], specArguments())
}

// UserSpecDirectory returns the directory where Jupyter looks for this user's
// kernelspec.
func UserSpecDirectory() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Join(dir, "kernels", SpecName), nil
	}

	home, err := os.UserHomeDir()
	if err != nil {
		return "", errs.Wrap(err, errs.Request, "set HOME or JUPYTER_DATA_DIR", "no home directory")
	}

	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter", "kernels", SpecName), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter", "kernels", SpecName), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter", "kernels", SpecName), nil
}

// SpecDirectory returns the directory of this program's kernelspec. If both came in
// a wheel, it is next to the program. Otherwise it is UserDirectory.
func SpecDirectory() (string, error) {
	if prefix := system.Prefix(); prefix != "" {
		dir := filepath.Join(prefix, "share", "jupyter", "kernels", SpecName)
		if _, err := os.Stat(filepath.Join(dir, "kernel.json")); err == nil {
			return dir, nil
		}
	}
	return UserSpecDirectory()
}

// CheckSpec returns an error that explains why Jupyter couldn't start the kernel of
// dir. It returns nil if Jupyter could.
func CheckSpec(dir string) error {
	const again = "run ./install.sh"

	text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		return errs.Wrap(err, errs.NotFound, again, "no kernelspec")
	}

	var s spec
	if err := json.Unmarshal(text, &s); err != nil {
		return errs.Wrap(err, errs.Failed, again, "%s is not JSON", filepath.Join(dir, "kernel.json"))
	}
	if len(s.Argv) == 0 {
		return errs.New(errs.Failed, again, "%s names no command", filepath.Join(dir, "kernel.json"))
	}

	command := strings.Replace(s.Argv[0], ResourceDir, dir, 1)
	info, err := os.Stat(command)
	if err != nil {
		return errs.Wrap(err, errs.Failed, again, "the kernel's command is gone")
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return errs.New(errs.Failed, again, "the kernel's command %s is not a program", command)
	}

	if s.InterruptMode != "message" {
		return errs.New(errs.Failed, again, "interrupt_mode is %q, not message: a signal would end the kernel rather than the cell",
			s.InterruptMode)
	}
	return nil
}

// DescribeSpec describes a kernelspec for the user to read.
func DescribeSpec(dir string) string { return fmt.Sprintf("%s in %s", DisplayName, dir) }
