package xlaplugin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// some are flags of ours.
func some() []string {
	return []string{"--xla_gpu_deterministic_ops=true", "--xla_gpu_exclude_nondeterministic_ops=true", "--xla_gpu_autotune_level=0"}
}

// The user's flags come first and override ours, and merging again changes
// nothing.
func TestMergeFlags_UserWins(t *testing.T) {
	ours := some()
	all := strings.Join(ours, " ")
	for _, test := range []struct {
		name, user, merged string
		overridden         []string
	}{
		{"none of the user's", "", all, nil},
		{"another flag stays in front", "--xla_dump_to=/d", "--xla_dump_to=/d " + all, nil},
		{"the same flag is not repeated", ours[0], ours[0] + " " + ours[1] + " " + ours[2], nil},
		{"the user's value wins and is said", "--xla_gpu_autotune_level=4  --a=b", "--xla_gpu_autotune_level=4  --a=b " + ours[0] + " " + ours[1],
			[]string{"--xla_gpu_autotune_level=4"}},
		{"a flag without a value", "--xla_gpu_deterministic_ops", "--xla_gpu_deterministic_ops " + ours[1] + " " + ours[2],
			[]string{"--xla_gpu_deterministic_ops"}},
		{"a longer name is another flag", "--xla_gpu_autotune_level_of_tomorrow=1", "--xla_gpu_autotune_level_of_tomorrow=1 " + all, nil},
		{"lines, as in a file", "--a=1\n--xla_gpu_deterministic_ops=false", "--a=1\n--xla_gpu_deterministic_ops=false " + ours[1] + " " + ours[2],
			[]string{"--xla_gpu_deterministic_ops=false"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			merged, overridden := MergeFlags(test.user, ours)
			if merged != test.merged || !slices.Equal(overridden, test.overridden) {
				t.Errorf("%q, %q; want %q, %q", merged, overridden, test.merged, test.overridden)
			}
			again, _ := MergeFlags(merged, ours)
			if again != merged {
				t.Errorf("merging twice changes it: %q, then %q", merged, again)
			}
		})
	}
}

// Flags are the text itself, or the content of the file that it names.
func TestUserFlags_TextOrFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "flags")
	if err := os.WriteFile(file, []byte("--a=1\n--b=2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{"": "", " --a=1 ": "--a=1", file: "--a=1\n--b=2"} {
		if got, err := UserFlags(value); err != nil || got != want {
			t.Errorf("User(%q) = %q, %v; want %q", value, got, err, want)
		}
	}
	if _, err := UserFlags(file + ".gone"); err == nil || !strings.Contains(err.Error(), file+".gone") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A flag is known if the library contains its whole name, wherever blocks of
// the file end.
func TestKnownFlags_InLibrary(t *testing.T) {
	const block = 1 << 20
	// A name that lies across the end of a block, one that is only part of
	// another, and one at the very end.
	text := strings.Repeat("x", block-8) + "\x00xla_across\x00" + strings.Repeat("y", block) + "\x00xla_part_of_another\x00\x00xla_last\x00"
	known, err := KnownFlags(strings.NewReader(text), []string{"--xla_across=1", "--xla_part=2", "--xla_last", "--xla_gone=3"})
	if err != nil || !slices.Equal(known, []string{"--xla_across=1", "--xla_last"}) {
		t.Errorf("%q, %v", known, err)
	}
	known, err = KnownFlags(iotest.OneByteReader(strings.NewReader("\x00xla_a\x00")), []string{"--xla_a=1"})
	if err != nil || len(known) != 1 {
		t.Errorf("byte by byte: %q, %v", known, err)
	}
	if _, err := KnownFlags(iotest.ErrReader(os.ErrPermission), []string{"--xla_a=1"}); err == nil {
		t.Error("a file that cannot be read was read")
	}
}

func FuzzMerge(f *testing.F) {
	for _, seed := range []string{"", "--a=1", "--xla_gpu_autotune_level=4", "-x\n--y", "=", "--", "--xla_gpu_deterministic_ops"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, user string) {
		merged, overridden := MergeFlags(user, some())
		if !strings.HasPrefix(merged, user) {
			t.Fatalf("%q is not kept in %q", user, merged)
		}
		seen := map[string]bool{}
		for _, flag := range strings.Fields(merged) {
			seen[nameOf(flag)] = true
		}
		for _, flag := range some() {
			if !seen[nameOf(flag)] {
				t.Fatalf("%s is missing from %q", flag, merged)
			}
		}
		for _, flag := range overridden {
			if slices.Contains(some(), flag) {
				t.Fatalf("%s is ours, not the user's", flag)
			}
		}
	})
}
