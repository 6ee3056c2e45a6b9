#include "go_asm.h"
#include "textflag.h"

#define SYS_futex         98
#define SYS_nanosleep     101
#define SYS_clock_gettime 113
#define SYS_clone         220

// func clone(flags, stack uintptr, t *table) int64
//
// The child never returns. It has no g, no thread-local storage of its own
// and no signals: it makes system calls and touches the table and flags, and
// calls nothing. A system call clobbers R0 alone. What owners write is loaded
// with acquire and what they read is stored with release; on arm64 these are
// sequentially consistent among themselves, as table needs it.
//
//	R19 table   R20 cell   R21 end of the cells   R22 limit   R25 its address
//	R23 1 if a cell has a limit   R24 looks in a row that found none
TEXT ·clone(SB),NOSPLIT|NOFRAME,$0-32
	MOVD	stack+8(FP), R1
	MOVD	t+16(FP), R19
	MOVD	flags+0(FP), R0
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$SYS_clone, R8
	SVC
	CBZ	R0, child
	MOVD	R0, ret+24(FP)
	RET

child:
	MOVD	$0, R24

look:
	MOVD	table_looks(R19), R0
	ADD	$1, R0
	MOVD	R0, table_looks(R19)
	MOVD	$0, R23
	ADD	$table_cells, R19, R20
	ADD	$table_end, R19, R1
	LDAR	(R1), R21
	MOVD	$cell__size, R2
	MADD	R2, R20, R21, R21

cell:
	CMP	R21, R20
	BHS	looked
	ADD	$cell_limit, R20, R25
	LDAR	(R25), R22
	CMP	$0, R22
	BLE	next
	MOVD	$1, R23

	// The CPU time of the thread. An error means that it is gone.
	MOVWU	cell_tid(R20), R0
	MVNW	R0, R0
	LSLW	$3, R0, R0
	ORRW	$const_threadClock, R0, R0
	ADD	$table_cpu, R19, R1
	MOVD	$SYS_clock_gettime, R8
	SVC
	CBNZ	R0, next
	MOVD	table_cpu(R19), R0
	MOVD	(table_cpu+8)(R19), R1
	MOVD	$1000000000, R2
	MADD	R2, R1, R0, R0
	CMP	R22, R0
	BLT	next

	// Overrun: claim, set the flag, say so.
	MOVD	$const_claimed, R2
claim:
	LDAXR	(R25), R0
	CMP	R22, R0
	BNE	lost
	STLXR	R2, (R25), R1
	CBNZ	R1, claim
	MOVD	cell_flag(R20), R0
	MOVD	$1, R1
	MOVD	R1, (R0)
	MOVD	$const_stopped, R1
	STLR	R1, (R25)
	B	next
lost:
	CLREX

next:
	ADD	$cell__size, R20
	B	cell

looked:
	CBNZ	R23, busy
	ADD	$1, R24
	MOVD	table_quiet(R19), R0
	CMP	R0, R24
	BLT	sleep
	BGT	wait

	// Nothing ran for long: say that the thread waits, and look once more.
	ADD	$table_idle, R19, R0
	MOVD	$1, R1
	STLRW	R1, (R0)
	B	look

wait:
	ADD	$table_idle, R19, R0
	MOVD	$const_futexWait, R1
	MOVD	$1, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$0, R5
	MOVD	$SYS_futex, R8
	SVC

busy:
	MOVD	$0, R24
	ADD	$table_idle, R19, R0
	STLRW	ZR, (R0)

	// After a wait, too: a limit has been set just now.
sleep:
	ADD	$table_period, R19, R0
	MOVD	$0, R1
	MOVD	$SYS_nanosleep, R8
	SVC
	B	look
