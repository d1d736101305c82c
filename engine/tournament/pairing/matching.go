package pairing

import "slices"

// maxWeightMatching returns the mate of each vertex of a graph in a matching of the
// greatest weight, -1 for those without one. weights is symmetric; 0 means that there is
// no edge. It takes time in n³.
//
// It is the primal-dual method with blossoms (Edmonds 1965; Galil, Efficient algorithms
// for finding maximum matching in graphs, 1986). Every vertex has a dual, and so has every
// blossom, a shrunken cycle of odd length. Trees of alternating edges without slack grow
// from free vertices until two of them meet, which lengthens the matching, or the duals
// have to change.
func maxWeightMatching(weights [][]int64) []int {
	m := newMatcher(weights)
	for m.augment() {
	}
	mates := make([]int, m.n)
	for v := range mates {
		mates[v] = m.mate[v+1] - 1
	}
	return mates
}

// link is an edge between two vertices, whatever blossoms they are in.
type link struct {
	u, v   int
	weight int64
}

// The labels of vertices and blossoms in a phase.
const (
	free  = -1
	outer = 0 // at an even distance from the root of its tree
	inner = 1
)

// matcher numbers vertices from 1 to n and blossoms above; 0 is none.
type matcher struct {
	n, most int      // vertices; the highest number in use
	links   [][]link // between vertices or blossoms: the one with the least slack
	dual    []int64
	mate    []int // the vertex with which a vertex, or the base of a blossom, is matched
	slack   []int // the outer vertex with the least slack to a vertex or blossom
	top     []int // the outermost blossom of a vertex or blossom; 0 for an unused number
	parent  []int // the vertex before an inner blossom in its tree
	label   []int
	seen    []int
	mark    int
	inside  [][]int // which vertex or blossom of a blossom holds a vertex, 0 if none
	cycle   [][]int // what a blossom is made of, from its base
	queue   []int
}

func newMatcher(weights [][]int64) *matcher {
	n := len(weights)
	size := n + n/2 + 2
	m := &matcher{
		n: n, most: n, dual: make([]int64, size), mate: make([]int, size), slack: make([]int, size), top: make([]int, size),
		parent: make([]int, size), label: make([]int, size), seen: make([]int, size), cycle: make([][]int, size),
	}
	greatest := int64(0)
	for u := range size {
		m.links, m.inside = append(m.links, make([]link, size)), append(m.inside, make([]int, n+1))
		for v := range size {
			m.links[u][v] = link{u: u, v: v}
			if 0 < u && u <= n && 0 < v && v <= n && u != v {
				m.links[u][v].weight = weights[u-1][v-1]
				greatest = max(greatest, weights[u-1][v-1])
			}
		}
	}
	for v := 1; v <= n; v++ {
		m.top[v], m.inside[v][v], m.dual[v] = v, v, greatest
	}
	return m
}

// slackOf returns twice the slack of a link.
func (m *matcher) slackOf(l link) int64 {
	return m.dual[l.u] + m.dual[l.v] - 2*m.links[l.u][l.v].weight
}

func (m *matcher) updateSlack(u, x int) {
	if m.slack[x] == 0 || m.slackOf(m.links[u][x]) < m.slackOf(m.links[m.slack[x]][x]) {
		m.slack[x] = u
	}
}

func (m *matcher) setSlack(x int) {
	m.slack[x] = 0
	for u := 1; u <= m.n; u++ {
		if m.links[u][x].weight > 0 && m.top[u] != x && m.label[m.top[u]] == outer {
			m.updateSlack(u, x)
		}
	}
}

// enqueue adds the vertices of a blossom to the queue.
func (m *matcher) enqueue(x int) {
	if x <= m.n {
		m.queue = append(m.queue, x)
		return
	}
	for _, y := range m.cycle[x] {
		m.enqueue(y)
	}
}

func (m *matcher) setTop(x, b int) {
	m.top[x] = b
	if x > m.n {
		for _, y := range m.cycle[x] {
			m.setTop(y, b)
		}
	}
}

// evenPath turns the cycle of a blossom so that the way from its base to a member has an
// even number of edges, and returns the member's place.
func (m *matcher) evenPath(b, member int) int {
	at := slices.Index(m.cycle[b], member)
	if at%2 == 0 {
		return at
	}
	slices.Reverse(m.cycle[b][1:])
	return len(m.cycle[b]) - at
}

// match matches a blossom over a link, and what is in it accordingly.
func (m *matcher) match(x, y int) {
	l := m.links[x][y]
	m.mate[x] = l.v
	if x <= m.n {
		return
	}
	member := m.inside[x][l.u]
	at := m.evenPath(x, member)
	for i := range at {
		m.match(m.cycle[x][i], m.cycle[x][i^1])
	}
	m.match(member, y)
	c := m.cycle[x]
	m.cycle[x] = append(slices.Clone(c[at:]), c[:at]...)
}

// flip exchanges matched and unmatched edges from an outer blossom to its root, and matches
// it with another.
func (m *matcher) flip(x, y int) {
	for {
		next := m.top[m.mate[x]]
		m.match(x, y)
		if next == 0 {
			return
		}
		m.match(next, m.top[m.parent[next]])
		x, y = m.top[m.parent[next]], next
	}
}

// meeting returns where the ways from two outer blossoms to their roots meet, 0 if they
// do not.
func (m *matcher) meeting(x, y int) int {
	m.mark++
	for x != 0 || y != 0 {
		if x != 0 {
			if m.seen[x] == m.mark {
				return x
			}
			m.seen[x] = m.mark
			if x = m.top[m.mate[x]]; x != 0 {
				x = m.top[m.parent[x]]
			}
		}
		x, y = y, x
	}
	return 0
}

// shrink makes a blossom of the cycle that a link closes.
func (m *matcher) shrink(x, base, y int) {
	b := m.n + 1
	for b <= m.most && m.top[b] != 0 {
		b++
	}
	m.most = max(m.most, b)
	m.dual[b], m.label[b], m.mate[b] = 0, outer, m.mate[base]
	cycle := []int{base}
	for z := x; z != base; z = m.top[m.parent[m.top[m.mate[z]]]] {
		in := m.top[m.mate[z]]
		cycle = append(cycle, z, in)
		m.enqueue(in)
	}
	slices.Reverse(cycle[1:])
	for z := y; z != base; z = m.top[m.parent[m.top[m.mate[z]]]] {
		in := m.top[m.mate[z]]
		cycle = append(cycle, z, in)
		m.enqueue(in)
	}
	m.cycle[b] = cycle
	m.setTop(b, b)
	for z := range m.most + 1 {
		m.links[b][z].weight, m.links[z][b].weight = 0, 0
	}
	clear(m.inside[b])
	for _, c := range cycle {
		for z := 1; z <= m.most; z++ {
			if m.links[b][z].weight == 0 || m.links[c][z].weight > 0 && m.slackOf(m.links[c][z]) < m.slackOf(m.links[b][z]) {
				m.links[b][z], m.links[z][b] = m.links[c][z], m.links[z][c]
			}
		}
		for v := 1; v <= m.n; v++ {
			if m.inside[c][v] != 0 {
				m.inside[b][v] = c
			}
		}
	}
	m.setSlack(b)
}

// expand takes an inner blossom apart whose dual is 0.
func (m *matcher) expand(b int) {
	for _, c := range m.cycle[b] {
		m.setTop(c, c)
	}
	entry := m.inside[b][m.links[b][m.parent[b]].u]
	at := m.evenPath(b, entry)
	cycle := m.cycle[b]
	for i := 0; i < at; i += 2 {
		in, out := cycle[i], cycle[i+1]
		m.parent[in] = m.links[out][in].u
		m.label[in], m.label[out] = inner, outer
		m.slack[in] = 0
		m.setSlack(out)
		m.enqueue(out)
	}
	m.label[entry], m.parent[entry] = inner, m.parent[b]
	for _, c := range cycle[at+1:] {
		m.label[c] = free
		m.setSlack(c)
	}
	m.top[b] = 0
}

// grow follows a link without slack from an outer blossom. It reports whether the matching
// has become larger.
func (m *matcher) grow(l link) bool {
	u, v := m.top[l.u], m.top[l.v]
	switch m.label[v] {
	case free:
		m.parent[v], m.label[v] = l.u, inner
		next := m.top[m.mate[v]]
		m.slack[v], m.slack[next] = 0, 0
		m.label[next] = outer
		m.enqueue(next)
	case outer:
		base := m.meeting(u, v)
		if base == 0 {
			m.flip(u, v)
			m.flip(v, u)
			return true
		}
		m.shrink(u, base, v)
	}
	return false
}

// augment adds an edge to the matching, and reports whether that is worth it.
func (m *matcher) augment() bool {
	m.queue = m.queue[:0]
	for x := 1; x <= m.most; x++ {
		m.label[x], m.slack[x] = free, 0
	}
	for x := 1; x <= m.most; x++ {
		if m.top[x] == x && m.mate[x] == 0 {
			m.parent[x], m.label[x] = 0, outer
			m.enqueue(x)
		}
	}
	if len(m.queue) == 0 {
		return false
	}
	for {
		for len(m.queue) > 0 {
			u := m.queue[0]
			m.queue = m.queue[1:]
			if m.label[m.top[u]] == inner {
				continue
			}
			for v := 1; v <= m.n; v++ {
				if m.links[u][v].weight == 0 || m.top[u] == m.top[v] {
					continue
				}
				if m.slackOf(m.links[u][v]) > 0 {
					m.updateSlack(u, m.top[v])
				} else if m.grow(m.links[u][v]) {
					return true
				}
			}
		}
		if !m.changeDuals() {
			return false
		}
		for x := 1; x <= m.most; x++ {
			if m.top[x] == x && m.slack[x] != 0 && m.top[m.slack[x]] != x && m.slackOf(m.links[m.slack[x]][x]) == 0 {
				if m.grow(m.links[m.slack[x]][x]) {
					return true
				}
			}
		}
		for b := m.n + 1; b <= m.most; b++ {
			if m.top[b] == b && m.label[b] == inner && m.dual[b] == 0 {
				m.expand(b)
			}
		}
	}
}

// changeDuals makes the slack of another link 0. It reports false if no matching weighs
// more.
func (m *matcher) changeDuals() bool {
	change := int64(1) << 62
	for b := m.n + 1; b <= m.most; b++ {
		if m.top[b] == b && m.label[b] == inner {
			change = min(change, m.dual[b]/2)
		}
	}
	for x := 1; x <= m.most; x++ {
		if m.top[x] != x || m.slack[x] == 0 {
			continue
		}
		switch slack := m.slackOf(m.links[m.slack[x]][x]); m.label[x] {
		case free:
			change = min(change, slack)
		case outer:
			change = min(change, slack/2)
		}
	}
	for v := 1; v <= m.n; v++ {
		switch m.label[m.top[v]] {
		case outer:
			if m.dual[v] <= change {
				return false
			}
			m.dual[v] -= change
		case inner:
			m.dual[v] += change
		}
	}
	for b := m.n + 1; b <= m.most; b++ {
		if m.top[b] != b {
			continue
		}
		switch m.label[b] {
		case outer:
			m.dual[b] += 2 * change
		case inner:
			m.dual[b] -= 2 * change
		}
	}
	return true
}
