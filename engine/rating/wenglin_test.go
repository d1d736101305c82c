package rating_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"castellan/engine/rating"
)

// skill is a rating of Weng and Lin: a mean and a deviation.
type skill struct{ mu, sigma float64 }

// kappa keeps variances positive.
const kappa = 0.0001

// plackettLuce rates a match by algorithm 4 of Weng and Lin, "A Bayesian
// Approximation Method for Online Ranking", Journal of Machine Learning Research
// 12 (2011), with γ = σ/c.
func plackettLuce(players []skill, ranks []int, beta float64) []skill {
	var c float64
	for _, p := range players {
		c += p.sigma*p.sigma + beta*beta
	}
	c = math.Sqrt(c)
	after := make([]skill, len(players))
	for i, p := range players {
		var omega, delta float64
		for q := range players {
			if ranks[q] > ranks[i] {
				continue
			}
			var sum, tied float64
			for s, other := range players {
				if ranks[s] >= ranks[q] {
					sum += math.Exp(other.mu / c)
				}
				if ranks[s] == ranks[q] {
					tied++
				}
			}
			share := math.Exp(p.mu/c) / sum
			omega -= share / tied
			if q == i {
				omega += 1 / tied
			}
			delta += share * (1 - share) / tied
		}
		v := p.sigma * p.sigma
		after[i] = skill{p.mu + v/c*omega, p.sigma * math.Sqrt(max(1-p.sigma/c*v/(c*c)*delta, kappa))}
	}
	return after
}

// bradleyTerry rates a match by algorithm 1 of the same article, in which each
// player plays every other, with γ = σ/c.
func bradleyTerry(players []skill, ranks []int, beta float64) []skill {
	after := make([]skill, len(players))
	for i, p := range players {
		v := p.sigma * p.sigma
		var omega, delta float64
		for q, other := range players {
			if q == i {
				continue
			}
			c := math.Sqrt(v + other.sigma*other.sigma + 2*beta*beta)
			share := 1 / (1 + math.Exp((other.mu-p.mu)/c))
			score := 0.5
			if ranks[i] != ranks[q] {
				score = 0
				if ranks[i] < ranks[q] {
					score = 1
				}
			}
			omega += v / c * (score - share)
			delta += p.sigma / c * v / (c * c) * share * (1 - share)
		}
		after[i] = skill{p.mu + omega, p.sigma * math.Sqrt(max(1-delta, kappa))}
	}
	return after
}

// The figures of openskill.js, the best known implementation, for new players
// who finish in the order of their seats
// (https://github.com/philihp/openskill.js, src/models/__tests__).
func TestPublishedFiguresOfWengAndLin(t *testing.T) {
	for _, c := range []struct {
		name string
		rate func([]skill, []int, float64) []skill
		want []skill
	}{
		{"plackettLuce", plackettLuce, []skill{{27.63523138347365, 8.065506316323548}, {22.36476861652635, 8.065506316323548}}},
		{"plackettLuce", plackettLuce, []skill{{27.868876552746237, 8.204837030780652}, {25.717219138186557, 8.057829747583874}, {21.413904309067206, 8.057829747583874}}},
		{"plackettLuce", plackettLuce, []skill{
			{27.666666666666668, 8.290556877154474}, {26.833333333333332, 8.240145629781066}, {25.72222222222222, 8.179996679645559},
			{24.055555555555557, 8.111796013701358}, {20.72222222222222, 8.111796013701358},
		}},
		{"bradleyTerry", bradleyTerry, []skill{{27.63523138347365, 8.065506316323548}, {22.36476861652635, 8.065506316323548}}},
		{"bradleyTerry", bradleyTerry, []skill{{30.2704627669473, 7.788474807872566}, {25, 7.788474807872566}, {19.7295372330527, 7.788474807872566}}},
		{"bradleyTerry", bradleyTerry, []skill{
			{35.5409255338946, 7.202515895247076}, {30.2704627669473, 7.202515895247076}, {25, 7.202515895247076},
			{19.729537232052703, 7.202515895247076}, {14.4590744661054, 7.202515895247076},
		}},
	} {
		t.Run(fmt.Sprint(c.name, len(c.want)), func(t *testing.T) {
			players, ranks := make([]skill, len(c.want)), make([]int, len(c.want))
			for i := range players {
				players[i], ranks[i] = skill{25, 25.0 / 3}, i+1
			}
			for i, got := range c.rate(players, ranks, 25.0/6) {
				if !same(got.mu, c.want[i].mu) || !same(got.sigma, c.want[i].sigma) {
					t.Errorf("the player in place %d comes to %+v, want %+v", i+1, got, c.want[i])
				}
			}
		})
	}
}

// method is a way of rating a group of people, who are numbered.
type method interface {
	skill(person int) skill
	rate(people, ranks []int)
	win(difference, variance float64) float64
}

// byPlaces is the method of this package.
type byPlaces []rating.Rating

func (m byPlaces) skill(i int) skill { return skill{m[i].Mean, m[i].Deviation} }

func (m byPlaces) win(difference, variance float64) float64 {
	const scale = 173.7178
	return 1 / (1 + math.Exp(-difference/math.Sqrt(scale*scale+3*variance/(math.Pi*math.Pi))))
}

func (m byPlaces) rate(people, ranks []int) {
	players := make([]rating.Player, len(people))
	for i, p := range people {
		players[i] = rating.Player{Rating: m[p], Rank: ranks[i], Idle: rating.Period}
	}
	for i, r := range rating.RateMatch(players) {
		m[people[i]] = r
	}
}

// wengLin is one of the methods of Weng and Lin. As in openskill.js, β is half the
// deviation of a new player. The deviation grows before every match, as that of a
// new player does in Glicko-2.
type wengLin struct {
	update func([]skill, []int, float64) []skill
	all    []skill
}

const (
	beta  = rating.NewDeviation / 2.0
	drift = rating.NewVolatility * 173.7178
)

func (m wengLin) skill(i int) skill { return m.all[i] }

func (m wengLin) win(difference, variance float64) float64 {
	return 1 / (1 + math.Exp(-difference/math.Sqrt(2*beta*beta+variance)))
}

func (m wengLin) rate(people, ranks []int) {
	players := make([]skill, len(people))
	for i, p := range people {
		players[i] = skill{m.all[p].mu, math.Hypot(m.all[p].sigma, drift)}
	}
	for i, s := range m.update(players, ranks, beta) {
		m.all[people[i]] = s
	}
}

// score holds what is measured of a method: the mean loss -log p of its forecasts
// who of two will be placed before the other, and how well it orders the people
// at the end (Kendall's tau).
type score struct{ loss, forecasts, tau float64 }

// season lets 40 people play matches of three to six, chosen by lot, whose
// strengths change a little with every match. form returns how well somebody of a
// strength plays in a match, and cut is the last rank that is told apart.
func season(random *rand.Rand, matches, cut int, form func(*rand.Rand) float64, methods []method, scores []score) {
	strengths := make([]float64, 40)
	for i := range strengths {
		strengths[i] = 1500 + 250*random.NormFloat64()
	}
	for range matches {
		people := random.Perm(len(strengths))[:3+random.IntN(4)]
		forms, ranks := make([]float64, len(people)), make([]int, len(people))
		for i, p := range people {
			strengths[p] += drift * random.NormFloat64()
			forms[i] = strengths[p] + form(random)
		}
		for i, f := range forms {
			for _, g := range forms {
				if g >= f {
					ranks[i]++
				}
			}
			ranks[i] = min(ranks[i], cut)
		}
		for k, m := range methods {
			for i, p := range people {
				for j, q := range people {
					if ranks[i] < ranks[j] {
						a, b := m.skill(p), m.skill(q)
						scores[k].loss -= math.Log(m.win(a.mu-b.mu, a.sigma*a.sigma+b.sigma*b.sigma))
						scores[k].forecasts++
					}
				}
			}
			m.rate(people, ranks)
		}
	}
	for k, m := range methods {
		for p, a := range strengths {
			for q, b := range strengths {
				if p != q {
					sign := math.Copysign(1, (a-b)*(m.skill(p).mu-m.skill(q).mu))
					scores[k].tau += sign / float64(len(strengths)*(len(strengths)-1))
				}
			}
		}
	}
}

// Rating by places forecasts the results of simulated matches of three to six
// better than both methods of Weng and Lin, and orders people better. The log has
// the figures of docs/decisions/0032-ratings-of-matches-of-several.md.
func TestPlacesAgainstWengAndLin(t *testing.T) {
	const seasons = 20
	names := []string{"by places", "Bradley-Terry", "Plackett-Luce"}
	all := make([]score, len(names))
	for _, c := range []struct {
		name string
		cut  int
		form func(*rand.Rand) float64
	}{
		{"as Plackett and Luce assume", 6, func(r *rand.Rand) float64 { return -173.7178 * math.Log(r.ExpFloat64()) }},
		{"normal", 6, func(r *rand.Rand) float64 { return 200 * r.NormFloat64() }},
		{"much luck", 6, func(r *rand.Rand) float64 { return 500 * r.NormFloat64() }},
		{"only the winner counts", 2, func(r *rand.Rand) float64 { return -173.7178 * math.Log(r.ExpFloat64()) }},
	} {
		for _, matches := range []int{100, 1000} {
			scores := make([]score, len(names))
			for seed := range uint64(seasons) {
				places := make(byPlaces, 40)
				bt, pl := wengLin{bradleyTerry, make([]skill, 40)}, wengLin{plackettLuce, make([]skill, 40)}
				for i := range places {
					places[i] = rating.New()
					bt.all[i] = skill{rating.NewMean, rating.NewDeviation}
					pl.all[i] = bt.all[i]
				}
				season(rand.New(rand.NewPCG(seed, 0)), matches, c.cut, c.form, []method{places, bt, pl}, scores)
			}
			for k, s := range scores {
				s.loss, s.tau = s.loss/s.forecasts, s.tau/seasons
				all[k].loss, all[k].tau = all[k].loss+s.loss/8, all[k].tau+s.tau/8
				t.Logf("%-28s %4d matches: %-14s loss %.3f, tau %.3f", c.name, matches, names[k], s.loss, s.tau)
			}
		}
	}
	for k, s := range all {
		t.Logf("on average: %-14s loss %.3f, tau %.3f", names[k], s.loss, s.tau)
		if k > 0 && (s.loss <= all[0].loss || s.tau >= all[0].tau) {
			t.Errorf("%s is better in a respect: change the method or the decision", names[k])
		}
	}
}
