package meter

// place decides which functions get a check at their entry or before calls,
// and which take from the stack budget. It goes through the call graph so
// that a function comes behind those that it calls, and needs time linear in
// the code.
func (r *rewriter) place() {
	g := newGraph(r)
	w := walker{rewriter: r}
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
		sum, below := f.instrs, uint32(0)
		for i := f.sites; i < f.end; i++ {
			s := &r.sites[i]
			sum = add32(sum, r.siteWeight(s))
			to, ok := g.target(s)
			if !ok {
				continue
			}
			below = max(below, chain[to])
			if s.kind == siteCall && g.place[to] >= g.place[node] { // a back edge
				r.funcs[to].entry = true
			}
		}
		f.weight = sum
		if sum > pathLimit || g.cyclic[node] && sum > cycleSum {
			f.weight = w.walk(int(node))
		}
		switch total := min(add32(f.frame, below), mostFrame); {
		case g.cyclic[node]:
			f.cost = min(add32(f.frame, f.weight>>unwindShift), mostFrame)
		case total > chainLimit:
			f.cost = total
		default:
			chain[node] = total
		}
	}
}

// siteWeight returns how many instructions may run unchecked at a site, its
// own aside. Of a function that is not placed yet, which a back edge leads to
// and which therefore gets a check at its entry, it is 0.
func (r *rewriter) siteWeight(s *site) uint32 {
	switch s.kind {
	case siteCall:
		if int(s.a) < r.m.ImportedFuncs {
			return hostCall
		}
		return r.funcs[int(s.a)-r.m.ImportedFuncs].weight
	case siteFill, siteCopy, siteInit, siteLong:
		return bulkCost
	}
	return 0
}
