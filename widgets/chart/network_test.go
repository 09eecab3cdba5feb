package chart

import (
	"fsnetlab/fsnet/session"
)

// networks are FsNet's with ten features of two classes, as a training says: by the default, and by the paper.
func networks() map[string]session.Status {
	of := func(protocol string, embedding, features, trained int) session.Status {
		s := session.Status{Session: "leukemia", D: 7129, Screened: 7129 - features, Parameters: 3346, ParametersTrained: trained}
		s.Config.Protocol = protocol
		s.Layers = []session.Layer{
			{Name: "selector/0", Shape: []int{10, embedding}, Parameters: 10 * embedding, Gives: []int{10, features}},
			{Name: "encoder/0", Shape: []int{10, 64}, Parameters: 704, Predicts: true},
			{Name: "encoder/1", Shape: []int{64, 32}, Parameters: 2080, Predicts: true},
			{Name: "encoder/2", Shape: []int{32, 16}, Parameters: 528, Predicts: true},
			{Name: "classifier/0", Shape: []int{16, 2}, Parameters: 34, Predicts: true},
			{Name: "decoder/0", Shape: []int{16, 32}, Parameters: 544},
			{Name: "decoder/1", Shape: []int{32, 64}, Parameters: 2112},
			{Name: "reconstruction/0", Shape: []int{64, embedding}, Parameters: 64 * embedding, Gives: []int{64, features}},
		}
		return s
	}
	return map[string]session.Status{"fsnet": of("fsnet", 22, 1000, 7630), "paper": of("paper", 10, 7129, 6742)}
}
