package debugdata

// row runs the line program and returns the file, line and column of the last
// row at or before the instruction, in a sequence of rows that has it. line is
// -1 if there is none. Compilers may write the rows of a sequence in any order.
func (t *lineTable) row(pc uint64) (number uint64, line, column int) {
	type registers struct{ at, file, line, column uint64 }
	var (
		c      = t.program
		clean  = registers{file: 1, line: 1}
		r      = clean
		best   registers
		found  bool
		begun  bool
		dead   bool
		lowest uint64
	)
	emit := func() {
		if !begun {
			begun, lowest, dead = true, r.at, isDead(r.at)
		}
		lowest = min(lowest, r.at)
		if r.at <= pc && (!found || r.at >= best.at) {
			best, found = r, true
		}
	}
	advance := func(operations uint64) { r.at += operations * t.perOp }
	for c.left() > 0 {
		op := c.uint(1)
		if op >= t.opcodeBase { // a special opcode
			op -= t.opcodeBase
			advance(op / t.lineRange)
			r.line += uint64(t.lineBase + int64(op%t.lineRange))
			emit()
			continue
		}
		switch op {
		case 0:
			size := c.uleb()
			if size == 0 {
				continue
			}
			extended := c.bytes(size)
			if c.bad {
				break
			}
			switch extended[0] {
			case 1: // end_sequence
				if found && !dead && lowest <= pc && pc < r.at {
					return best.file, position(best.line), position(best.column)
				}
				r, begun, found = clean, false, false
			case 2: // set_address
				if n := len(extended) - 1; n == 4 || n == 8 {
					r.at = c.work.cursor(extended, 1).uint(n)
				}
			case 3: // define_file
				if f := c.work.cursor(extended, 1); len(t.files) < filesMost {
					name := f.text()
					t.files = append(t.files, file{name, f.uleb()})
				}
			}
		case 1: // copy
			emit()
		case 2: // advance_pc
			advance(c.uleb())
		case 3: // advance_line
			r.line += uint64(c.sleb())
		case 4: // set_file
			r.file = c.uleb()
		case 5: // set_column
			r.column = c.uleb()
		case 8: // const_add_pc
			advance((255 - t.opcodeBase) / t.lineRange)
		case 9: // fixed_advance_pc
			r.at += c.uint(2)
		default: // among them those without effect on places
			for range t.operands[op-1] {
				c.uleb()
			}
		}
	}
	return 0, -1, 0
}
