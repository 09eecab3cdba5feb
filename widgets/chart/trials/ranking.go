package trials

import (
	"cmp"
	"fmt"
	"math"

	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// rankDiagram is a critical-difference diagram as Demšar draws it (2006, figure 1): mean ranks on an axis, the best at the left. From each
// a line goes down and then out to the name of its method, those of the better half to the left and the others to the right, the outermost
// first, so that no line crosses another or a name. Between the axis and the names lie the bars of methods that are not told apart. Heights
// are in points below the axis.
type rankDiagram struct {
	names  []rankName
	bars   []rankBar
	axis   int     // it goes from 1 to here
	cd     float64 // the critical difference, or 0 where it is longer than the axis
	above  float64 // height above the axis
	height float64 // below it
}

// rankName is a method: where its line comes from and what it leads to.
type rankName struct {
	method string
	rank   float64
	beside float64 // of its line from its rank, in points: those of equal rank stand side by side
	y      float64
	left   bool
}

// rankBar joins methods that are not told apart.
type rankBar struct{ from, to, y float64 }

const (
	rankNumbers = 18.0  // above the axis: its numbers,
	rankCD      = 26.0  // the length of the critical difference,
	rankAbove   = 42.0  // and its name
	rankFirst   = 10.0  // from the axis to the first bar, and from the last bar to the first name
	rankLane    = 7.0   // between two bars
	rankRow     = 17.0  // between two names
	rankAxis    = 280.0 // the length of the axis, at the least
	rankGap     = 6.0   // between a line and its name
)

func rankDiagramOf(r *ComparedRanking, labels map[string]string) rankDiagram {
	d := rankDiagram{axis: max(len(r.Ranks), 2), above: rankNumbers}
	if r.CriticalDifference <= float64(d.axis-1) {
		d.cd, d.above = r.CriticalDifference, rankAbove
	}
	place := map[string]float64{}
	for _, m := range r.Ranks {
		place[m.Method] = m.Rank
	}
	y := rankFirst
	var ends []float64 // of the last bar in each lane
	for _, group := range r.Groups {
		b := rankBar{from: place[group[0]], to: place[group[len(group)-1]]}
		lane := 0
		for lane < len(ends) && b.from <= ends[lane]+0.02*float64(d.axis) {
			lane++
		}
		if lane == len(ends) {
			ends = append(ends, 0)
		}
		ends[lane], b.y = b.to, y+rankLane*float64(lane)
		d.bars = append(d.bars, b)
	}
	y += rankLane*float64(len(ends)) + rankFirst
	half := (len(r.Ranks) + 1) / 2
	for i, m := range r.Ranks {
		n := rankName{method: fmt.Sprintf("%s (%s)", cmp.Or(labels[m.Method], words.Plain(m.Method)), words.Fixed(m.Rank, 2)), rank: m.Rank,
			left: i < half}
		outer := i
		if !n.left {
			outer = len(r.Ranks) - 1 - i
		}
		n.y = y + rankRow*float64(outer)
		d.names = append(d.names, n)
	}
	d.spread()
	d.height = y + rankRow*float64(max(half, 1)-1) + rankRow/2
	return d
}

// spread sets the lines of methods of equal rank beside one another, in the order of their names, so that none hides another.
func (d rankDiagram) spread() {
	const apart = 3.0
	for from := 0; from < len(d.names); {
		to := from + 1
		for to < len(d.names) && d.names[to].rank == d.names[from].rank {
			to++
		}
		for i := from; i < to; i++ {
			d.names[i].beside = apart * (float64(i-from) - float64(to-from-1)/2)
		}
		from = to
	}
}

// widths are those of the longest names at either side.
func (d rankDiagram) widths() (left, right float64) {
	for _, n := range d.names {
		w := scene.TextWidth(n.method, scene.SmallText, false)
		if n.left {
			left = max(left, w)
		} else {
			right = max(right, w)
		}
	}
	return left, right
}

// draw puts it below what the scene has, and makes room for it.
func (d rankDiagram) draw(s *scene.Scene) {
	left, right := d.widths()
	s.Width = max(s.Width, left+right+rankAxis+2*scene.Margin)
	y := s.Height + 14 + d.above
	s.Height = y + d.height + scene.Margin
	leftNames, rightNames := scene.Margin+left+rankGap, s.Width-scene.Margin-right-rankGap
	from, to := leftNames+12, rightNames-12
	at := func(rank float64) float64 { return from + (rank-1)/float64(d.axis-1)*(to-from) }
	if d.cd > 0 {
		end, up := at(1+d.cd), y-rankCD
		s.Line(from, up, end, up, scene.Ink, 1, 0)
		s.Line(from, up-3, from, up+3, scene.Ink, 1, 0)
		s.Line(end, up-3, end, up+3, scene.Ink, 1, 0)
		s.Text(from, up-6, "critical difference", scene.Small(0, 0))
	}
	s.Line(from, y, to, y, scene.Ink, 1, 0)
	for rank := 1; rank <= d.axis; rank++ {
		s.Line(at(float64(rank)), y-4, at(float64(rank)), y, scene.Ink, 1, 0)
		s.Text(at(float64(rank)), y-7, fmt.Sprint(rank), scene.Small(0.5, 0))
	}
	for _, n := range d.names {
		end, align := leftNames, 1.0
		if !n.left {
			end, align = rightNames, 0.0
		}
		s.Add(scene.Stroke{Points: [][2]float64{{at(n.rank) + n.beside, y}, {at(n.rank) + n.beside, y + n.y}, {end, y + n.y}},
			Colour: scene.Soft, Width: 0.8})
		s.Text(end+math.Copysign(rankGap, 0.5-align), y+n.y, n.method, scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: align,
			V: 0.5})
	}
	for _, b := range d.bars {
		s.Line(at(b.from)-3, y+b.y, at(b.to)+3, y+b.y, scene.Vermillion, 3.5, 0)
	}
	for _, n := range d.names {
		s.Dot(at(n.rank), y, 3, scene.Blue, scene.About("method (mean rank)", n.method)...)
	}
}
