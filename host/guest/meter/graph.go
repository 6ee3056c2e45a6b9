package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// graph is the call graph. Its nodes are the functions that the module
// defines, and behind them one for each distinct type: a call_indirect leads
// to its type's node, and that to every function of the type that a table may
// hold. So the graph is as large as the code, however many functions share a
// type. Host functions do not call the guest.
type graph struct {
	r *rewriter

	from   []uint32 // of each type node: where its functions begin in held
	held   []uint32 // functions by type
	order  []uint32 // nodes, each behind those that it leads to, but for back edges
	place  []uint32 // of each node in order
	cyclic []bool   // the node is in a cycle
}

// step is a node that is being visited and the next edge to follow.
type step struct{ node, next uint32 }

// newGraph finds the order and the cycles: Tarjan's algorithm (1972), with a
// stack of its own instead of recursion.
func newGraph(r *rewriter) *graph {
	g := &graph{r: r}
	g.hold()
	var (
		n       = len(r.funcs) + len(g.from) - 1
		index   = make([]uint32, n) // order of discovery, from 1
		low     = make([]uint32, n)
		onStack = make([]bool, n)
		stack   []uint32 // of the components that are not complete
		path    []step
		next    uint32
	)
	g.place, g.cyclic = make([]uint32, n), make([]bool, n)
	g.order = make([]uint32, 0, n)
	enter := func(v uint32) {
		next++
		index[v], low[v], onStack[v] = next, next, true
		stack = append(stack, v)
		path = append(path, step{v, g.first(v)})
	}
	for root := range n {
		if index[root] != 0 {
			continue
		}
		enter(uint32(root))
		for len(path) > 0 {
			top := &path[len(path)-1]
			v := top.node
			if w, ok := g.edge(top); ok {
				switch {
				case index[w] == 0:
					enter(w)
				case onStack[w]:
					low[v] = min(low[v], index[w])
					g.cyclic[v] = g.cyclic[v] || w == v
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1].node
				low[up] = min(low[up], low[v])
			}
			g.order = append(g.order, v)
			g.place[v] = uint32(len(g.order))
			if low[v] != index[v] {
				continue
			}
			for several := stack[len(stack)-1] != v; ; {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[w] = false
				g.cyclic[w] = g.cyclic[w] || several
				if w == v {
					break
				}
			}
		}
	}
	return g
}

// hold sorts the functions that a table may hold by their type.
func (g *graph) hold() {
	r := g.r
	g.from = make([]uint32, len(r.m.Types)+1)
	each := func(f func(function, typ uint32)) {
		for i, t := range r.m.Funcs {
			if r.taken[r.m.ImportedFuncs+i] {
				f(uint32(i), r.canon[t])
			}
		}
	}
	each(func(_, t uint32) { g.from[t+1]++ })
	for i := range g.from[1:] {
		g.from[i+1] += g.from[i]
	}
	g.held = make([]uint32, g.from[len(g.from)-1])
	at := append([]uint32(nil), g.from...)
	each(func(f, t uint32) {
		g.held[at[t]] = f
		at[t]++
	})
}

// typeOf returns the type that a node behind the functions stands for.
func (g *graph) typeOf(node uint32) (uint32, bool) {
	n := uint32(len(g.r.funcs))
	return node - n, node >= n
}

func (g *graph) first(node uint32) uint32 {
	if t, ok := g.typeOf(node); ok {
		return g.from[t]
	}
	return g.r.funcs[node].sites
}

// edge returns the node that the next edge of s leads to.
func (g *graph) edge(s *step) (node uint32, ok bool) {
	if t, ok := g.typeOf(s.node); ok {
		if s.next == g.from[t+1] {
			return 0, false
		}
		s.next++
		return g.held[s.next-1], true
	}
	for end := g.r.funcs[s.node].end; s.next < end; {
		site := &g.r.sites[s.next]
		s.next++
		if to, ok := g.target(site); ok {
			return to, true
		}
	}
	return 0, false
}

// target returns the node that a call leads to; false for host functions and
// for what is no call.
func (g *graph) target(s *site) (node uint32, ok bool) {
	imported := uint32(g.r.m.ImportedFuncs)
	switch {
	case s.kind == siteCall && s.a >= imported:
		return s.a - imported, true
	case s.kind == siteIndirect:
		return uint32(len(g.r.funcs)) + s.a, true
	}
	return 0, false
}

// canonical gives types that are equal one number: that of the first.
func canonical(types []wasm.FuncType) []uint32 {
	canon := make([]uint32, len(types))
	seen := make(map[string]uint32, len(types))
	var key []byte
	for i := range types {
		key = appendType(key[:0], &types[i])
		first, ok := seen[string(key)]
		if !ok {
			first = uint32(i)
			seen[string(key)] = first
		}
		canon[i] = first
	}
	return canon
}
