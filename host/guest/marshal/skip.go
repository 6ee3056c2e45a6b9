package marshal

// typeName returns how Python calls a type that JSON does not have.
func (c *cursor) typeName(kind byte) string {
	switch kind {
	case typeBytes:
		return "bytes"
	case typeSet:
		return "set"
	case typeFrozen:
		return "frozenset"
	case typeComplex:
		return "complex"
	case typeEllipsis:
		return "ellipsis"
	case typeStopIter:
		return "type"
	case typeCode:
		return "code"
	case typeTuple, typeFew:
		return "tuple"
	}
	c.at--
	c.fault("there is no type %q", kind)
	return ""
}

// Of a code object as CPython 3.11 to 3.13 has it.
const (
	codeNumbers = 5 * 4 // counts of arguments, size of the stack, flags
	codeObjects = 8     // before the number of its first line
	codeTables  = 2     // behind it
)

// skip passes over the value that comes next, whatever it is, and notes what
// may be referred to in it. What it refers to itself is not looked at.
func (c *cursor) skip(depth int) {
	if depth > maxNesting {
		c.fault("a value is nested more than %d deep", maxNesting)
	}
	if c.next() == typeRef {
		c.take(5)
		return
	}
	kind, _ := c.enter()
	switch kind {
	case typeNone, typeTrue, typeFalse, typeEllipsis, typeStopIter:
	case typeInt:
		c.take(4)
	case typeLong:
		c.long()
	case typeFloat:
		c.take(8)
	case typeComplex:
		c.take(16)
	case typeBytes:
		c.take(c.size())
	case typeTuple, typeFew, typeList:
		c.skipAll(c.count(kind), depth+1)
	case typeSet, typeFrozen:
		c.skipAll(c.size(), depth+1)
	case typeDict:
		for c.next() != typeNull {
			c.skipAll(2, depth+1)
		}
		c.at++
	case typeCode:
		c.take(codeNumbers)
		c.skipAll(codeObjects, depth+1)
		c.take(4)
		c.skipAll(codeTables, depth+1)
	default:
		if !isText(kind) {
			c.typeName(kind)
		}
		c.text(kind)
	}
}

func (c *cursor) skipAll(n, depth int) {
	for range n {
		c.skip(depth)
	}
}
