package markers

import (
	"fmt"
	"math"
)

type kind struct {
	name  string
	k     int
	group Group
	what  string
	fill  func(*builder)
}

// kinds lists all tables. SD is the standard deviation of the noise.
func kinds() []kind {
	return []kind{
		{"offset", 1, Lone, "one gene, 4 SD, among 1000 of noise; all values 100 ± .001", func(b *builder) {
			b.rows(40, 40)
			b.fill(1000, b.normal)
			b.shifted(250, "M", 1, 4)
			for j, column := range b.columns {
				b.set(j, func(i int) float64 { return math.Round(1e5+column[i]) / 1e3 })
			}
		}},
		{"rare8", 1, Lone, "one gene, 5 SD up in a class of 8 of 128", func(b *builder) { rare(b, 5) }},
		{"rare8down", 1, Lone, "the same, down", func(b *builder) { rare(b, -5) }},
		{"cauchy", 1, Lone, "one gene, 4 SD, among features with heavy tails", func(b *builder) {
			b.rows(40, 40)
			b.fill(1000, func() float64 { return math.Tan(math.Pi * (b.r.Float64() - .5)) })
			b.marker(200, "M", func(i int) float64 { return b.normal() + 4*b.is(i, 1) })
		}},
		{"binary", 1, Lone, "a mutation, 90 % against 5 %, among rare ones", func(b *builder) {
			b.rows(40, 40)
			b.fill(2000, func() float64 { return b.chance(.03) })
			b.marker(700, "M", func(i int) float64 { return b.chance(.05 + .85*b.is(i, 1)) })
		}},
		{"counts", 1, Lone, "expressed in four of five of one class, never in the other", func(b *builder) {
			b.rows(40, 40)
			for range 1000 {
				mean := 2 * b.r.ExpFloat64()
				b.fill(1, func() float64 { return b.poisson(mean) })
			}
			b.marker(400, "M", func(i int) float64 { return b.is(i, 1) * b.chance(.8) * b.poisson(30) })
		}},
		{"missing", 1, Lone, "one gene, 4 SD, three in ten values missing", func(b *builder) {
			b.rows(40, 40)
			b.fill(300, b.normal)
			b.shifted(50, "M", 1, 4)
			for j := range b.columns {
				b.add(j, func(int) float64 {
					if b.r.Float64() < .3 {
						return math.NaN()
					}
					return 0
				})
			}
		}},
		{"pathway", 1, Lone, "a stronger gene beside 200 that move together the other way", func(b *builder) { pathway(b, -1) }},
		{"pathwayup", 1, Lone, "the same, the same way", func(b *builder) { pathway(b, 1) }},
		{"sum3", 3, Complementary, "three weak ones that add up", func(b *builder) { weak(b, 60, 3, .9) }},
		{"four", 4, Complementary, "one for each of four classes, one of 6 rows", four},
		{"four3", 3, Complementary, "three of these four", four},
		{"copies", 2, Complementary, "fifty copies of one, and another that is needed", func(b *builder) { copies(b, 1) }},
		{"copiesdown", 2, Complementary, "the same, the other one down", func(b *builder) { copies(b, -1) }},
		{"quant", 3, Complementary, "of a quantity: two positive, one negative", func(b *builder) { quantity(b, func(q float64) float64 { return q }) }},
		{"quantlog", 3, Hard, "the same behind exp", func(b *builder) { quantity(b, math.Exp) }},
		{"outlier", 1, Hard, "one gene, 4 SD, one of whose values is 300", func(b *builder) {
			lone(b, 40, 1000)
			b.columns[200][0] = 300
		}},
		{"tiny", 1, Hard, "six training rows, two thousand features", func(b *builder) {
			b.rows(6, 6)
			b.fill(2000, b.normal)
			b.shifted(1000, "M", 1, 8)
		}},
		{"middle", 1, Hard, "one class at ±2, the other at 0: equal means", func(b *builder) {
			b.rows(40, 40)
			b.fill(1000, b.normal)
			b.marker(500, "M", func(i int) float64 { return .2*b.normal() + 2*b.is(i, 1)*(2*b.chance(.5)-1) })
		}},
		{"suppressor", 2, Hard, "only the difference of the two tells", func(b *builder) {
			b.rows(60, 60)
			b.fill(1000, b.normal)
			common := b.values(func(int) float64 { return 3 * b.normal() })
			b.marker(20, "M0", func(i int) float64 { return common[i] + b.side(i) })
			b.marker(21, "M1", func(i int) float64 { return common[i] + .2*b.normal() })
		}},

		{"lone3", 3, Lone, "one gene, 4 SD, where three are asked for", func(b *builder) { lone(b, 40, 1000) }},
		{"wide", 1, Lone, "one gene, 4 SD, among 10,000", func(b *builder) { lone(b, 40, 10_000) }},
		{"scaled", 1, Lone, "one gene, 4 SD, in units of 1e-6; a column of noise in units of 1e6", func(b *builder) {
			lone(b, 40, 1000)
			for j, unit := range map[int]float64{3: 1e6, 200: 1e-6} {
				column := b.columns[j]
				b.set(j, func(i int) float64 { return unit * column[i] })
			}
		}},
		{"blocks", 1, Lone, "a gene, 4 SD, among blocks of 50 that move together, some a little with the class", func(b *builder) {
			b.rows(40, 40)
			for block := range 20 {
				weight := 0.0
				if block < 4 {
					weight = .5
				}
				factor := b.values(func(i int) float64 { return weight*b.side(i) + b.normal() })
				for j := range 50 {
					b.fill(1, b.normal)
					b.set(50*block+j, func(i int) float64 { return .8*factor[i] + .6*b.normal() })
				}
			}
			b.marker(990, "M", func(i int) float64 { return 2*b.side(i) + b.normal() })
		}},
		{"sparsecounts", 1, Lone, "counts, most 0: seen in seven of ten of one class, hardly in the other", func(b *builder) {
			b.rows(60, 60)
			for range 2000 {
				share := .02 + .08*b.r.Float64()
				b.fill(1, func() float64 { return b.chance(share) * (1 + b.poisson(2)) })
			}
			b.marker(800, "M", func(i int) float64 { return b.chance(.02+.68*b.is(i, 1)) * (1 + b.poisson(2)) })
		}},
		{"onedown", 1, Lone, "one strong gene down, 39 weak ones up", oneDown},
		{"onedown3", 3, Lone, "the same, three asked for", oneDown},
		{"lowof3", 1, Lone, "one gene low in one of three classes, 20 weak ones high in another", lowOfThree},
		{"lowof3k3", 3, Lone, "the same, three asked for", lowOfThree},
		{"quantdown", 1, Lone, "of a quantity: one strong negative, 20 weak positive", quantityDown},
		{"quantdown3", 3, Lone, "the same, three asked for", quantityDown},
		{"twoof3", 2, Complementary, "one up in the first of three classes, one down in the second", func(b *builder) {
			b.rows(30, 30, 30)
			b.fill(1000, b.normal)
			b.shifted(100, "M0", 0, 4)
			b.shifted(101, "M1", 1, -4)
		}},
		{"five", 5, Complementary, "one up for each of five classes", func(b *builder) { five(b, 1) }},
		{"fivedown", 5, Complementary, "one for each of five classes, up and down by turns", func(b *builder) { five(b, -1) }},
		{"twice", 2, Complementary, "two of three classes' genes; each column is there twice", func(b *builder) {
			b.rows(30, 30, 30)
			b.fill(800, b.normal)
			for c := range 2 {
				b.add(2*c, func(i int) float64 { return 4 * b.is(i, c) })
				pair := []string{fmt.Sprintf("M%d", c), fmt.Sprintf("M%dagain", c)}
				b.Columns[2*c], b.Columns[2*c+1] = pair[0], pair[1]
				b.Markers = append(b.Markers, pair)
			}
			for j := 0; j < len(b.columns); j += 2 {
				b.columns[j+1] = b.columns[j]
			}
		}},
		{"subtypes", 2, Complementary, "half of a class has one gene up, the other half another", func(b *builder) {
			b.rows(40, 40)
			b.fill(1000, b.normal)
			for half := range 2 {
				b.add(100+half, func(i int) float64 {
					if i%2 != half {
						return 0
					}
					return 4 * b.is(i, 1)
				})
				b.mark(100+half, fmt.Sprintf("M%d", half))
			}
		}},
		{"ten", 10, Complementary, "ten weak ones that add up", func(b *builder) { weak(b, 60, 10, .8) }},
		{"many", 3, Complementary, "600 rows: three weak ones that add up", func(b *builder) { weak(b, 300, 3, .35) }},
		{"thousand", 3, Complementary, "999 rows: one for each of three classes, 1.5 SD", func(b *builder) {
			b.rows(333, 333, 333)
			b.fill(1000, b.normal)
			for c := range 3 {
				b.shifted(100+c, fmt.Sprintf("M%d", c), c, 1.5)
			}
		}},
		{"split", 1, Hard, "one class at 3 SD or −3 SD, the other at 0", func(b *builder) {
			b.rows(40, 40)
			b.fill(1000, b.normal)
			b.marker(500, "M", func(i int) float64 { return b.normal() + 3*b.is(i, 1)*(2*b.chance(.5)-1) })
		}},

		{"xor100", 2, Pairs, "only the product of two tells, among 100", func(b *builder) { xor(b, 150, 100, 4) }},
		{"xor1000", 2, Pairs, "the same among 1000", func(b *builder) { xor(b, 120, 1000, 6) }},
		{"xor5000", 2, Pairs, "the same among 5000, more than screening keeps", func(b *builder) { xor(b, 80, 5000, 20) }},
		{"xorbeside", 3, Pairs, "the same beside a gene that tells alone, three asked for", func(b *builder) {
			xor(b, 100, 500, 5)
			product := b.values(func(i int) float64 { return b.columns[10][i] * b.columns[495][i] })
			b.add(50, func(i int) float64 { return 2.5 * step(product[i]) })
		}},
		{"genotypes", 2, Pairs, "two genotypes of which only the combination tells", func(b *builder) {
			b.rows(200, 200)
			b.fill(300, b.genotype)
			b.together(11, 12, func(x, y float64) float64 { return 4 * (x - 1) * (y - 1) }, b.genotype)
		}},
		{"product", 2, Pairs, "a quantity that goes with the product of two", func(b *builder) {
			b.rows(200)
			b.fill(400, b.normal)
			first, second := b.values(func(int) float64 { return b.normal() }), b.values(func(int) float64 { return b.normal() })
			b.marker(5, "M0", func(i int) float64 { return first[i] })
			b.marker(6, "M1", func(i int) float64 { return second[i] })
			b.target = func(i int) float64 { return 2*first[i]*second[i] + .7*b.normal() }
		}},
	}
}

func lone(b *builder, rows, d int) {
	b.rows(rows, rows)
	b.fill(d, b.normal)
	b.shifted(200, "M", 1, 4)
}

func rare(b *builder, shift float64) {
	b.rows(120, 8)
	b.fill(1000, b.normal)
	b.shifted(300, "M", 1, shift)
	for j := 301; j < 311; j++ {
		b.add(j, func(i int) float64 { return .8 * b.is(i, 1) })
	}
}

func four(b *builder) {
	b.rows(40, 40, 40, 6)
	b.fill(1000, b.normal)
	for c := range 4 {
		b.shifted(100+c, fmt.Sprintf("M%d", c), c, 4)
	}
}

func five(b *builder, odd float64) {
	b.rows(24, 24, 24, 24, 24)
	b.fill(1000, b.normal)
	for c := range 5 {
		shift := 4.0
		if c%2 == 1 {
			shift *= odd
		}
		b.shifted(100+c, fmt.Sprintf("M%d", c), c, shift)
	}
}

func copies(b *builder, sign float64) {
	b.rows(30, 30, 30)
	b.fill(1000, b.normal)
	base := b.values(func(i int) float64 { return b.normal() + 4*b.is(i, 0) })
	names := make([]string, 50)
	for j := range names {
		names[j] = fmt.Sprintf("A%d", j)
		b.set(j, func(i int) float64 { return base[i] + .05*b.normal() })
		b.Columns[j] = names[j]
	}
	b.Markers = append(b.Markers, names)
	b.marker(900, "B", func(i int) float64 { return sign * (b.normal() + 4*b.is(i, 1)) })
}

func pathway(b *builder, sign float64) {
	b.rows(60, 60)
	b.fill(1000, b.normal)
	factor := b.values(func(i int) float64 { return .7*b.side(i) + b.normal() })
	for j := range 200 {
		b.set(j, func(i int) float64 { return .8*factor[i] + .6*b.normal() })
	}
	b.marker(500, "M", func(i int) float64 { return b.normal() + sign*1.75*b.side(i) })
}

func weak(b *builder, rows, count int, shift float64) {
	b.rows(rows, rows)
	b.fill(1000, b.normal)
	for m := range count {
		b.add(10+m, func(i int) float64 { return shift * b.side(i) })
		b.mark(10+m, fmt.Sprintf("M%d", m))
	}
}

func quantity(b *builder, shown func(float64) float64) {
	b.rows(120)
	b.fill(1000, b.normal)
	for j, name := range []string{"P", "N", "Q"} {
		b.mark(5+j, name)
	}
	x := b.columns
	b.target = func(i int) float64 { return shown(2*x[5][i] - 2*x[6][i] + 2*x[7][i] + .5*b.normal()) }
}

func quantityDown(b *builder) {
	b.rows(120)
	b.fill(1000, b.normal)
	b.mark(5, "M")
	x := b.columns
	b.target = func(i int) float64 {
		q := -2*x[5][i] + .5*b.normal()
		for _, weak := range x[10:30] {
			q += .3 * weak[i]
		}
		return q
	}
}

func oneDown(b *builder) {
	b.rows(40, 40)
	b.fill(40, b.normal)
	b.marker(0, "M", func(i int) float64 { return .3*b.normal() - 2.5*b.is(i, 1) })
	for j := 1; j < 40; j++ {
		b.add(j, func(i int) float64 { return .8 * b.is(i, 1) })
	}
}

func lowOfThree(b *builder) {
	b.rows(30, 30, 30)
	b.fill(1000, b.normal)
	b.shifted(100, "M", 2, -4)
	for j := 200; j < 220; j++ {
		b.add(j, func(i int) float64 { return b.is(i, 0) })
	}
}

// xor makes rows of each class and d columns. Only the product of columns 10
// and d−5 depends on the class: strength times it is the logit.
func xor(b *builder, rows, d int, strength float64) {
	b.rows(rows, rows)
	b.fill(d, b.normal)
	b.together(10, d-5, func(x, y float64) float64 { return strength * x * y }, b.normal)
}

// step returns 1 above 0, else 0.
func step(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}

// genotype draws the number of an allele's copies, 0 to 2.
func (b *builder) genotype() float64 { return b.chance(.5) + b.chance(.5) }

// together marks columns i and j as M0 and M1, and draws their values anew in each row until the class that logit makes is the row's.
func (b *builder) together(i, j int, logit func(x, y float64) float64, draw func() float64) {
	for row := range b.class {
		for {
			x, y := draw(), draw()
			if b.chance(1/(1+math.Exp(-logit(x, y)))) == b.is(row, 1) {
				b.columns[i][row], b.columns[j][row] = x, y
				break
			}
		}
	}
	b.mark(i, "M0")
	b.mark(j, "M1")
}
