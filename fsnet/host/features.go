package host

import (
	"cmp"
	"context"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

const defaultFeatures = 100

// Features implements session.Service. It does not wait for the session: names are always there.
func (h *Host) Features(ctx context.Context, name string, request session.FeaturesRequest) ([]string, error) {
	if request.Most < 0 || request.Most > session.MaxFeatures {
		return nil, fault.New(fault.Request, "use 1 to 1000, or 0 for 100", "most = %d names", request.Most)
	}
	s, err := h.find(ctx, name)
	if err != nil {
		return nil, err
	}
	list := []string{}
	for _, name := range s.names {
		if len(list) == cmp.Or(request.Most, defaultFeatures) {
			break
		}
		if strings.HasPrefix(name, request.Prefix) {
			list = append(list, name)
		}
	}
	return list, nil
}
