#include "go_asm.h"
#include "textflag.h"

#define SYS_nanosleep     35
#define SYS_clone         56
#define SYS_futex         202
#define SYS_clock_gettime 228

// func clone(flags, stack uintptr, t *table) int64
//
// The child never returns. It has no g, no thread-local storage of its own
// and no signals: it makes system calls and touches the table and flags, and
// calls nothing. A system call clobbers AX, CX and R11 alone.
//
//	R12 table   R13 cell   R14 end of the cells   R9 limit
//	BX  1 if a cell has a limit   R15 looks in a row that found none
TEXT ·clone(SB),NOSPLIT|NOFRAME,$0-32
	MOVQ	stack+8(FP), SI
	MOVQ	t+16(FP), R12
	MOVQ	flags+0(FP), DI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$SYS_clone, AX
	SYSCALL
	TESTQ	AX, AX
	JEQ	child
	MOVQ	AX, ret+24(FP)
	RET

child:
	XORL	R15, R15

look:
	INCQ	table_looks(R12)
	XORL	BX, BX
	LEAQ	table_cells(R12), R13
	MOVQ	table_end(R12), R14
	IMULQ	$cell__size, R14
	ADDQ	R13, R14

cell:
	CMPQ	R13, R14
	JAE	looked
	MOVQ	cell_limit(R13), R9
	TESTQ	R9, R9
	JLE	next
	MOVL	$1, BX

	// The CPU time of the thread. An error means that it is gone.
	MOVL	cell_tid(R13), DI
	NOTL	DI
	SHLL	$3, DI
	ORL	$const_threadClock, DI
	LEAQ	table_cpu(R12), SI
	MOVL	$SYS_clock_gettime, AX
	SYSCALL
	TESTQ	AX, AX
	JNE	next
	MOVQ	table_cpu(R12), DX
	IMULQ	$1000000000, DX
	ADDQ	(table_cpu+8)(R12), DX
	CMPQ	DX, R9
	JLT	next

	// Overrun: claim, set the flag, say so. Stores stay in order on amd64.
	MOVQ	R9, AX
	MOVQ	$const_claimed, DX
	LOCK
	CMPXCHGQ	DX, cell_limit(R13)
	JNE	next
	MOVQ	cell_flag(R13), DI
	MOVQ	$1, (DI)
	MOVQ	$const_stopped, cell_limit(R13)

next:
	ADDQ	$cell__size, R13
	JMP	cell

looked:
	TESTL	BX, BX
	JNE	busy
	INCQ	R15
	CMPQ	R15, table_quiet(R12)
	JLT	sleep
	JGT	wait

	// Nothing ran for long: say that the thread waits, and look once more.
	MOVL	$1, AX
	XCHGL	AX, table_idle(R12)
	JMP	look

wait:
	LEAQ	table_idle(R12), DI
	MOVL	$const_futexWait, SI
	MOVL	$1, DX
	XORL	R10, R10
	XORL	R8, R8
	XORL	R9, R9
	MOVL	$SYS_futex, AX
	SYSCALL

busy:
	XORL	R15, R15
	MOVL	$0, table_idle(R12)

	// After a wait, too: a limit has been set just now.
sleep:
	LEAQ	table_period(R12), DI
	XORL	SI, SI
	MOVL	$SYS_nanosleep, AX
	SYSCALL
	JMP	look
