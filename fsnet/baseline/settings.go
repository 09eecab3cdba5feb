package baseline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/nearest"
)

// setting is something a method can be told in its name, such as b=20.
type setting struct {
	key string
	set func(value string) error
}

// apply sets "key=value,key=value" on a method's settings.
func apply(method, text string, settings []setting) error {
	keys := make([]string, len(settings))
	for i, s := range settings {
		keys[i] = s.key
	}
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		i := slices.Index(keys, key)
		switch {
		case len(keys) == 0:
			return fault.New(fault.Request, "write "+method, "%s: %q: it has no settings", method, pair)
		case i < 0:
			return fault.New(fault.Request, nearest.DidYouMean(key, keys), "%s: setting %q is not known", method, key)
		case !ok:
			return fault.New(fault.Request, "write "+method+":"+key+"=VALUE", "%s: setting %q has no value", method, key)
		case seen[key]:
			return fault.New(fault.Request, "give it once", "%s: setting %q is given twice", method, key)
		}
		seen[key] = true
		if err := settings[i].set(value); err != nil {
			return fault.Wrap(err, fault.Request, "", "%s", method)
		}
	}
	return nil
}

func wordSetting(key string, word *string, allowed ...string) setting {
	return setting{key, func(value string) error {
		lower := strings.ToLower(value)
		if !slices.Contains(allowed, lower) {
			return fmt.Errorf("%s = %q - use one of %s", key, value, strings.Join(allowed, ", "))
		}
		*word = lower
		return nil
	}}
}

func numberSetting(key string, number *float64, least, most float64) setting {
	return setting{key, func(value string) error {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= least && x <= most) {
			return fmt.Errorf("%s = %q - use a number from %g to %g", key, value, least, most)
		}
		*number = x
		return nil
	}}
}

func countSetting(key string, count *int, least, most int) setting {
	return setting{key, func(value string) error {
		x, err := strconv.Atoi(value)
		if err != nil || x < least || x > most {
			return fmt.Errorf("%s = %q - use a whole number from %d to %d", key, value, least, most)
		}
		*count = x
		return nil
	}}
}
