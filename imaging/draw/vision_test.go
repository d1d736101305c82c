package draw_test

import (
	"math"

	"castellan/imaging/imagingtest"
)

// The functions below measure colours; all work on sRGB.

// sight simulates a kind of colour vision.
type sight struct {
	name string
	see  func(imagingtest.LinearRGB) imagingtest.LinearRGB
}

type matrix [3][3]float64

func (m matrix) times(c imagingtest.LinearRGB) imagingtest.LinearRGB {
	var out imagingtest.LinearRGB
	for i := range out {
		v := m[i][0]*c[0] + m[i][1]*c[1] + m[i][2]*c[2]
		out[i] = min(1, max(0, v))
	}
	return out
}

// half is Brettel's simulation: one matrix for each side of a plane through
// grey.
func half(a, b matrix, normal imagingtest.LinearRGB) func(imagingtest.LinearRGB) imagingtest.LinearRGB {
	return func(c imagingtest.LinearRGB) imagingtest.LinearRGB {
		if c[0]*normal[0]+c[1]*normal[1]+c[2]*normal[2] >= 0 {
			return a.times(c)
		}
		return b.times(c)
	}
}

// sights returns normal vision and the three kinds of dichromacy in two models:
// Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation
// of Color Vision Deficiency" (2009), severity 1; and Brettel, Viénot, Mollon,
// "Computerized simulation of color appearance for dichromats" (1997), for
// sRGB.
func sights() []sight {
	return []sight{
		{"normal", func(c imagingtest.LinearRGB) imagingtest.LinearRGB { return c }},
		{"protan, Machado", matrix{
			{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998},
		}.times},
		{"deutan, Machado", matrix{
			{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881},
		}.times},
		{"tritan, Machado", matrix{
			{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900},
		}.times},
		{"protan, Brettel", half(
			matrix{{0.14510, 1.20165, -0.34675}, {0.10447, 0.85316, 0.04237}, {0.00429, -0.00603, 1.00174}},
			matrix{{0.14115, 1.16782, -0.30897}, {0.10495, 0.85730, 0.03776}, {0.00431, -0.00586, 1.00155}},
			imagingtest.LinearRGB{0.00048, 0.00393, -0.00441})},
		{"deutan, Brettel", half(
			matrix{{0.36198, 0.86755, -0.22953}, {0.26099, 0.64512, 0.09389}, {-0.01975, 0.02686, 0.99289}},
			matrix{{0.37009, 0.88540, -0.25549}, {0.25767, 0.63782, 0.10451}, {-0.01950, 0.02741, 0.99209}},
			imagingtest.LinearRGB{-0.00281, -0.00611, 0.00892})},
		{"tritan, Brettel", half(
			matrix{{1.01277, 0.13548, -0.14826}, {-0.01243, 0.86812, 0.14431}, {0.07589, 0.80500, 0.11911}},
			matrix{{0.93678, 0.18979, -0.12657}, {0.06154, 0.81526, 0.12320}, {-0.37562, 1.12767, 0.24796}},
			imagingtest.LinearRGB{0.03901, -0.02788, -0.01113})},
	}
}

// lab returns CIE L*a*b* of a colour, for the white of D65.
func lab(c imagingtest.LinearRGB) (l, a, b float64) {
	x := (0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047
	y := 0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2]
	z := (0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	return 116*f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))
}

// ciede2000 returns the difference of two colours by CIEDE2000, in the notation of
// Sharma, Wu, Dalal (2005).
func ciede2000(p, q imagingtest.LinearRGB) float64 {
	l1, a1, b1 := lab(p)
	l2, a2, b2 := lab(q)
	return labDifference(l1, a1, b1, l2, a2, b2)
}

func labDifference(l1, a1, b1, l2, a2, b2 float64) float64 {
	const rad = math.Pi / 180
	pow7 := func(v float64) float64 { return math.Sqrt(math.Pow(v, 7) / (math.Pow(v, 7) + math.Pow(25, 7))) }
	g := 0.5 * (1 - pow7((math.Hypot(a1, b1)+math.Hypot(a2, b2))/2))
	a1, a2 = a1*(1+g), a2*(1+g)
	c1, c2 := math.Hypot(a1, b1), math.Hypot(a2, b2)
	angle := func(a, b float64) float64 {
		if a == 0 && b == 0 {
			return 0
		}
		return math.Mod(math.Atan2(b, a)/rad+360, 360)
	}
	h1, h2 := angle(a1, b1), angle(a2, b2)
	dh, sum := h2-h1, h1+h2
	switch {
	case c1*c2 == 0:
		dh = 0
	case dh > 180:
		dh -= 360
	case dh < -180:
		dh += 360
	}
	hm := sum / 2
	switch {
	case c1*c2 == 0:
		hm = sum
	case math.Abs(h1-h2) > 180 && sum < 360:
		hm = (sum + 360) / 2
	case math.Abs(h1-h2) > 180:
		hm = (sum - 360) / 2
	}
	dL, dC := l2-l1, c2-c1
	dH := 2 * math.Sqrt(c1*c2) * math.Sin(dh/2*rad)
	lm, cm := (l1+l2)/2, (c1+c2)/2
	t := 1 - 0.17*math.Cos((hm-30)*rad) + 0.24*math.Cos(2*hm*rad) +
		0.32*math.Cos((3*hm+6)*rad) - 0.20*math.Cos((4*hm-63)*rad)
	sl := 1 + 0.015*(lm-50)*(lm-50)/math.Sqrt(20+(lm-50)*(lm-50))
	sc, sh := 1+0.045*cm, 1+0.015*cm*t
	rt := -2 * pow7(cm) * math.Sin(60*math.Exp(-(hm-275)/25*(hm-275)/25)*rad)
	x, y, z := dL/sl, dC/sc, dH/sh
	return math.Sqrt(x*x + y*y + z*z + rt*y*z)
}
