package host

import (
	"cmp"
	"context"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

const defaultFeatures = 100

// Features implements session.Service. It does not wait for the session: names are always there, and their order is that of the last P that
// could be had soon.
func (h *Host) Features(ctx context.Context, name string, request session.FeaturesRequest) ([]string, error) {
	if request.Most < 0 || request.Most > session.MaxFeatures {
		return nil, fault.New(fault.Request, "take 1 to 1000, or 0 for 100", "most = %d names", request.Most)
	}
	s, err := h.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return completed(s.names, s.order(ctx), request.Prefix, cmp.Or(request.Most, defaultFeatures)), nil
}

// completed lists at most so many of the names that begin with a prefix: those that are in the order of columns first, as it has them, then
// the others in their own.
func completed(names []string, order []int32, prefix string, most int) []string {
	list, listed := []string{}, map[int]bool{}
	for _, j := range order {
		if len(list) == most {
			return list
		}
		if strings.HasPrefix(names[j], prefix) {
			list = append(list, names[j])
			listed[int(j)] = true
		}
	}
	for j, name := range names {
		if len(list) == most {
			break
		}
		if strings.HasPrefix(name, prefix) && !listed[j] {
			list = append(list, name)
		}
	}
	return list
}
