package engine

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
)

// inLane reports whether the engine's steps and looks are made together with those of other
// trainings. Streamed rows and steps that are calls of their own are left out.
func (e *Engine) inLane() bool {
	return e.device.HasLane() && e.programs.name == advance && e.inputs.stream == nil
}

// together makes a call of a program of the lane. The first kept results stay on the device.
func (e *Engine) together(name string, of graphs, build func([]*graph.Node) []*graph.Node, kept int, args []any) ([]*tensors.Tensor, error) {
	onDevice := map[any]bool{e.Theta: true, e.squares: true, e.inputs.phi: true, e.inputs.x: true, e.inputs.y: true, e.inputs.seedWords: true}
	for _, t := range e.optional() {
		onDevice[t] = true
	}
	return e.device.Together(device.Together{
		Name: program{name, e.Layout}, Key: fmt.Sprintf("%s %s blunt=%v repels=%v ", name, of.Layout, of.blunt, of.Repulsion), Build: build,
		Apart: func(input int) bool { return onDevice[args[input]] }, Kept: kept, Args: args,
	})
}

// Rest has other trainings of the lanes no longer wait for this one, until its next step.
func (e *Engine) Rest() { e.device.Rest() }
