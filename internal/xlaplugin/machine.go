package xlaplugin

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// edge is the number of bytes to read from each end of a plugin. Any change to
// its code moves the tables there.
const edge = 1 << 20

// machine hashes everything a compiled program depends on, except the source
// and its options: the plugin, its flags, the processor, the number of threads
// (because XLA divides loops by it), and the GPUs with their driver. If XLA is
// to dump what it compiles, it returns an error, because a stored program is
// not compiled.
func machine(plugin string, cards []GPU) (Key, error) {
	flags, err := UserFlags(os.Getenv("XLA_FLAGS"))
	if err != nil {
		return Key{}, err
	}
	if strings.Contains(flags, "--xla_dump") {
		return Key{}, errors.New("XLA is to write down what it compiles, so it has to compile")
	}
	h := sha256.New()
	cpu := cpuid.CPU
	hashTexts(h, "1", runtime.GOOS, runtime.GOARCH, flags, os.Getenv("PJRT_NPROC"), os.Getenv("NPROC"),
		fmt.Sprint(runtime.NumCPU(), cpu.BrandName, cpu.Family, cpu.Model, cpu.Stepping, cpu.FeatureSet()))
	for _, c := range cards {
		hashTexts(h, c.Name, c.Capability, c.Driver)
	}
	f, err := os.Open(plugin)
	if err != nil {
		return Key{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Key{}, err
	}
	hashTexts(h, fmt.Sprint(info.Size(), info.ModTime().UnixNano()))
	for _, from := range []int64{0, max(0, info.Size()-edge)} {
		if _, err := io.Copy(h, io.NewSectionReader(f, from, edge)); err != nil {
			return Key{}, err
		}
	}
	return Key(h.Sum(nil)), nil
}

// hashTexts writes texts to a hash. Each follows its length.
func hashTexts[T ~string | ~[]byte](h hash.Hash, texts ...T) {
	for _, text := range texts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
}
