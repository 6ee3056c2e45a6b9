package debugdata

// The attributes that are looked at, as DWARF numbers them.
const (
	attrName           = 0x03
	attrStmtList       = 0x10
	attrLowPC          = 0x11
	attrHighPC         = 0x12
	attrCompDir        = 0x1b
	attrAbstractOrigin = 0x31
	attrSpecification  = 0x47
	attrRanges         = 0x55
	attrCallColumn     = 0x57
	attrCallFile       = 0x58
	attrCallLine       = 0x59
	attrLinkageName    = 0x6e
	attrStrOffsetsBase = 0x72
	attrAddrBase       = 0x73
	attrRngListsBase   = 0x74
)

// The forms that values are told apart by.
const (
	formAddr          = 0x01
	formString        = 0x08
	formSdata         = 0x0d
	formStrp          = 0x0e
	formRefAddr       = 0x10
	formRef1          = 0x11
	formRefUdata      = 0x15
	formIndirect      = 0x16
	formStrx          = 0x1a
	formAddrx         = 0x1b
	formLineStrp      = 0x1f
	formImplicitConst = 0x21
	formRngListx      = 0x23
	formStrx1         = 0x25
	formStrx4         = 0x28
	formAddrx1        = 0x29
	formAddrx4        = 0x2c
	formGNUAddrx      = 0x1f01
	formGNUStrx       = 0x1f02
)

// value is an attribute's value as it is written.
type value struct {
	form uint64 // 0 = there is none
	n    uint64
	text []byte // of formString
}

// fixedSize returns the bytes that every value of a form has, -1 if they
// differ.
func (u *unit) fixedSize(form uint64) int {
	switch form {
	case formAddr:
		return u.addrSize
	case formRefAddr:
		if u.version == 2 {
			return u.addrSize
		}
		return 4
	case 0x0b, 0x0c, formRef1, formStrx1, formAddrx1: // data1, flag
		return 1
	case 0x05, 0x12, 0x26, 0x2a: // data2, ref2, strx2, addrx2
		return 2
	case 0x27, 0x2b: // strx3, addrx3
		return 3
	case 0x06, 0x13, formStrp, 0x17, 0x1c, 0x1d, formLineStrp, formStrx4, formAddrx4, 0x1f20, 0x1f21:
		return 4 // data4, ref4, sec_offset, ref_sup4, strp_sup, GNU_ref_alt, GNU_strp_alt
	case 0x07, 0x14, 0x20, 0x24: // data8, ref8, ref_sig8, ref_sup8
		return 8
	case 0x1e: // data16
		return 16
	case 0x19, formImplicitConst: // flag_present
		return 0
	}
	return -1
}

// value reads a value of a form; implicit is that of formImplicitConst.
func (u *unit) value(c *cursor, form uint64, implicit int64) value {
	for form == formIndirect {
		if form = c.uleb(); form == formImplicitConst {
			c.bad = true // its value is in the abbreviation
		}
	}
	v := value{form: form}
	switch form {
	case formImplicitConst:
		v.n = uint64(implicit)
	case formString:
		v.text = c.text()
	case formSdata:
		v.n = uint64(c.sleb())
	case 0x0f, formRefUdata, formStrx, formAddrx, 0x22, formRngListx, formGNUAddrx, formGNUStrx: // udata, loclistx
		v.n = c.uleb()
	case 0x0a: // block1
		c.bytes(c.uint(1))
	case 0x03: // block2
		c.bytes(c.uint(2))
	case 0x04: // block4
		c.bytes(c.uint(4))
	case 0x09, 0x18: // block, exprloc
		c.bytes(c.uleb())
	default:
		switch size := u.fixedSize(form); {
		case size < 0: // unknown: where the next value begins is, too
			c.bad = true
		case size > 8:
			c.bytes(uint64(size))
		case size > 0:
			v.n = c.uint(size)
		}
	}
	return v
}

// number returns an attribute's value as a number, 0 without one.
func (e *entry) number(attr uint64) uint64 { return e.get(attr).n }

// text returns a value that is a string, as a view.
func (l *lookup) text(u *unit, v value) []byte {
	switch {
	case v.form == formString:
		return v.text
	case v.form == formStrp:
		return l.cursor(l.str, v.n).text()
	case v.form == formLineStrp:
		return l.cursor(l.lineStr, v.n).text()
	case v.form == formStrx, v.form == formGNUStrx, v.form >= formStrx1 && v.form <= formStrx4:
		if v.n < sectionMost {
			at := l.cursor(l.strOffsets, u.strOffsetsBase+4*v.n).uint(4)
			return l.cursor(l.str, at).text()
		}
	}
	return nil
}

// address returns a value that is an address.
func (l *lookup) address(u *unit, v value) (uint64, bool) {
	switch {
	case v.form == formAddr:
		return v.n, true
	case v.form == formAddrx, v.form == formGNUAddrx, v.form >= formAddrx1 && v.form <= formAddrx4:
		return l.addressAt(u, v.n)
	}
	return 0, false
}

// addressAt returns an address of the unit's table of addresses.
func (l *lookup) addressAt(u *unit, index uint64) (uint64, bool) {
	if index > sectionMost {
		return 0, false
	}
	c := l.cursor(l.addr, u.addrBase+index*uint64(u.addrSize))
	at := c.uint(u.addrSize)
	return at, !c.bad
}
