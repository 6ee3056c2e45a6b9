package debugdata

import "slices"

// functions returns the function that the instruction is in, and those whose
// calls were inlined around it, the outermost first.
func (l *lookup) functions(u *unit) []*entry {
	var (
		c      = l.cursor(l.info[:u.end], u.root)
		table  = l.table(u)
		chain  []*entry
		e      entry
		depth  int
		inside = -1 // depth of what is in the function that has the instruction
	)
	for {
		code := c.uleb()
		switch {
		case c.bad, code > uint64(len(table)):
			return chain
		case code == 0:
			if depth--; depth <= 0 || depth < inside {
				return chain
			}
			continue
		}
		a := &table[code-1]
		switch a.tag {
		case tagSubprogram, tagInlined:
			e.abbrev = a
			if !u.fill(&e, c) {
				return chain
			}
			if !l.covers(u, &e) {
				break
			}
			kept := entry{a, slices.Clone(e.values)}
			if chain = append(chain, &kept); len(chain) == MaxPlaces-1 || !a.children {
				return chain
			}
			inside = depth + 1
		default:
			u.skip(c, a)
		}
		if a.children {
			depth++
		} else if depth == 0 {
			return chain
		}
	}
}

// name returns the name of the function that an entry is a copy of, or says
// more about.
func (l *lookup) name(u *unit, e *entry) string {
	for range 4 {
		if s := l.text(u, e.get(attrName)); len(s) > 0 {
			return string(s[:min(len(s), nameMost)])
		}
		if s := l.text(u, e.get(attrLinkageName)); len(s) > 0 {
			return string(s[:min(len(s), nameMost)])
		}
		v := e.get(attrAbstractOrigin)
		if v.form == 0 {
			v = e.get(attrSpecification)
		}
		if u, e = l.refer(u, v); e == nil {
			break
		}
	}
	return ""
}

// refer returns the entry that a value refers to, and its unit; nil without
// one.
func (l *lookup) refer(u *unit, v value) (*unit, *entry) {
	at := v.n
	switch {
	case v.form == formRefAddr:
		if at < u.at || at >= u.end {
			if u = l.unitAt(at); u == nil || l.root(u) == nil {
				return nil, nil
			}
		}
	case v.form >= formRef1 && v.form <= formRefUdata:
		if at > u.end {
			return nil, nil
		}
		at += u.at
	default:
		return nil, nil
	}
	if at < u.root {
		return nil, nil
	}
	c := l.cursor(l.info[:u.end], at)
	code, table := c.uleb(), l.table(u)
	if c.bad || code == 0 || code > uint64(len(table)) {
		return nil, nil
	}
	return u, u.entry(c, &table[code-1])
}
