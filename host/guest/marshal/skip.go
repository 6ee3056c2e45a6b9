package marshal

// typeName returns how Python calls the type of the value that comes next,
// which is none that JSON has.
func (d *Decoder) typeName() string {
	switch k := d.peek(); k {
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
	case typeTuple:
		return "tuple"
	default:
		d.fault("there is no type %q", k)
		return ""
	}
}

// Of a code object as CPython 3.11 to 3.13 has it.
const (
	codeNumbers = 5 * 4 // counts of arguments, size of the stack, flags
	codeObjects = 8     // before the number of its first line
	codeTables  = 2     // behind it
)

// skip passes over the value that comes next, whatever it is.
func (c *cursor) skip(depth int) {
	if depth > maxNesting {
		c.fault("a value is nested more than %d deep", maxNesting)
	}
	k := c.peek()
	switch k {
	case typeStr:
		c.str()
		return
	case typeLong:
		c.long()
		return
	}
	c.at++
	switch k {
	case typeNone, typeTrue, typeFalse, typeEllipsis, typeStopIter:
	case typeInt:
		c.take(4)
	case typeFloat:
		c.take(8)
	case typeComplex:
		c.take(16)
	case typeBytes:
		c.take(c.size())
	case typeTuple, typeList, typeSet, typeFrozen:
		c.skipAll(c.size(), depth+1)
	case typeDict:
		for c.peek() != typeNull {
			c.skipAll(2, depth+1)
		}
		c.at++
	case typeCode:
		c.take(codeNumbers)
		c.skipAll(codeObjects, depth+1)
		c.take(4)
		c.skipAll(codeTables, depth+1)
	default:
		c.at--
		c.fault("there is no type %q", k)
	}
}

func (c *cursor) skipAll(n, depth int) {
	for range n {
		c.skip(depth)
	}
}
