package xlaplugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// CUDADriver loads NVIDIA's driver. If it cannot be loaded, the error says why.
func CUDADriver() error {
	if err := load("libcuda.so.1"); err != nil {
		return fmt.Errorf("no NVIDIA driver (%w)", err)
	}
	return nil
}

// CUDADriverVersion returns the version of the driver's kernel module, such as
// 580.159.03, from /proc/driver/nvidia/version. If there is no driver, it
// returns "".
func CUDADriverVersion() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	return moduleVersion(string(text))
}

// moduleVersion finds the version in "NVRM version: NVIDIA UNIX x86_64 Kernel
// Module  580.159.03 Tue …".
func moduleVersion(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return regexp.MustCompile(`\b\d{3,}\.\d+(\.\d+)*\b`).FindString(line)
}

// GPU describes one device as nvidia-smi does.
type GPU struct {
	Name        string
	Capability  string // compute capability, such as 9.0
	Driver      string // version
	Total, Free int64  // bytes of memory
}

// GPUs lists the devices that the driver sees. If CUDA_VISIBLE_DEVICES is set,
// it lists only the first of its devices. It fails if there is no nvidia-smi or
// no device, or after 20 s.
func GPUs(ctx context.Context) ([]GPU, error) {
	program, err := exec.LookPath("nvidia-smi")
	if err != nil {
		program = "/usr/lib/wsl/lib/nvidia-smi" // where Windows puts it
		if _, missing := os.Stat(program); missing != nil {
			return nil, errors.New("nvidia-smi is not on the PATH")
		}
	}
	args := []string{"--query-gpu=name,compute_cap,driver_version,memory.total,memory.free", "--format=csv,noheader,nounits"}
	if first, _, _ := strings.Cut(os.Getenv("CUDA_VISIBLE_DEVICES"), ","); first != "" {
		args = append(args, "--id="+first)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second) // a driver that hangs must not hang us
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("nvidia-smi: %w", err)
	}
	return parseGPUs(string(out))
}

// parseGPUs reads one device per line, with sizes in MiB.
func parseGPUs(text string) ([]GPU, error) {
	var list []GPU
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		fields := strings.Split(line, ", ")
		if len(fields) != 5 {
			return nil, fmt.Errorf("nvidia-smi says %q", line)
		}
		g := GPU{Name: fields[0], Capability: fields[1], Driver: fields[2]}
		for i, target := range []*int64{&g.Total, &g.Free} {
			if size, err := strconv.ParseInt(fields[3+i], 10, 64); err == nil { // "[N/A]" stays 0: unknown
				*target = size << 20
			}
		}
		list = append(list, g)
	}
	if len(list) == 0 {
		return nil, errors.New("the driver reports no GPU")
	}
	return list, nil
}
