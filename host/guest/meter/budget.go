package meter

// place decides which functions get a check at their entry or about calls,
// and which take from the stack budget. It goes through the call graph so
// that a function comes behind those that it calls, and needs time linear in
// the code.
func (r *rewriter) place() {
	g := newGraph(r)
	w := walker{rewriter: r, graph: g}
	// Bytes of stack that may be used from a node on without a budget.
	chain := make([]uint32, len(g.place))
	for _, node := range g.order {
		if t, ok := g.typeOf(node); ok {
			for _, f := range g.held[g.from[t]:g.from[t+1]] {
				chain[node] = max(chain[node], chain[f])
			}
			continue
		}
		f := &r.funcs[node]
		tail, below := r.paths(g, node, &w), uint32(0)
		for i := f.sites; i < f.end; i++ {
			if to, ok := g.target(&r.sites[i]); ok {
				below = max(below, chain[to])
			}
		}
		switch total := min(add32(f.frame, below), mostFrame); {
		case g.cyclic[node]:
			if tail > longTail {
				r.checkReturns(g, f)
				tail = 0
			}
			f.cost = min(add32(f.frame, tail>>unwindShift), mostFrame)
		case total > chainLimit:
			f.cost = total
		default:
			chain[node] = total
		}
	}
}

// checkReturns puts a check behind every call of a function that may lead back
// to it: what returns through it is stopped there.
func (r *rewriter) checkReturns(g *graph, f *function) {
	for i := f.sites; i < f.end; i++ {
		if to, ok := g.target(&r.sites[i]); ok && g.cyclic[to] {
			r.sites[i].after, f.checks = true, true
		}
	}
}

// paths finds the paths of a function. They are taken from sums over all that
// is written in it as long as these are small, else from the longest paths.
// It returns how many instructions the function may run after a call in a
// cycle before a check or its end; frames in cycles pay for their own.
func (r *rewriter) paths(g *graph, node uint32, w *walker) (tail uint32) {
	f := &r.funcs[node]
	var lead, trail uint32 // the greatest of any callee
	sum := f.instrs        // and what callees run without a check
	for i := f.sites; i < f.end; i++ {
		s := &r.sites[i]
		sum = add32(sum, own(r.m.ImportedFuncs, s))
		to, ok := g.target(s)
		if !ok || s.kind != siteCall {
			continue
		}
		callee := &r.funcs[to]
		if g.place[to] >= g.place[node] { // a back edge
			callee.entry = true
		}
		if callee.through != none {
			sum = add32(sum, callee.through)
		}
		lead, trail = max(lead, callee.lead), max(trail, callee.trail)
	}
	if gap := add32(sum, add32(lead, trail)); gap > pathLimit || g.cyclic[node] && sum > cycleSum {
		return w.walk(node)
	}
	p := paths{lead: add32(sum, lead), through: sum, trail: add32(sum, trail)}
	if f.top > 0 {
		p.lead, p.through = f.top, none
	}
	if f.entry {
		p.lead, p.through = 0, none
	}
	f.paths = p
	return sum
}

// own returns how many instructions a site stands for besides its own, if it
// leads to no function of the module.
func own(imported int, s *site) uint32 {
	switch s.kind {
	case siteCall:
		if int(s.a) < imported {
			return hostCall
		}
	case siteFill, siteCopy, siteInit, siteLong:
		return bulkCost
	}
	return 0
}
