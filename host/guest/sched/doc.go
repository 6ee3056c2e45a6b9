// Package sched shares processors among guests by weight and by credit.
//
// A call into a guest runs inside of a CPU slot; there are as many as
// processors. Who calls enters its share before and leaves it after the call,
// or yields at a moment when the call could be interrupted, and says how much
// CPU time went by. Shares form a tree, such as tenant, job and instance.
//
// Weight decides who gets a slot that becomes free: at each level, from the
// root down, the share that has had least CPU time for its weight. This is
// hierarchical start-time fair queueing: P. Goyal, X. Guo and H. M. Vin, "A
// Hierarchical CPU Scheduler for Multimedia Operating Systems", OSDI 1996.
// Each share has a virtual time that grows by the CPU time of the calls in it
// and below it, divided by its weight. The virtual time of a level is that of
// the share that was served last. A share that begins to wait is set to the
// level's time if it is behind, so that nobody saves up by staying away, nor
// by having too few calls to use what its weight would give.
//
// Credit decides who may run at all. A share may have a rate of CPU time and
// a burst, a bucket of credit that fills at the rate up to the burst. Calls
// are charged when they are over and may overdraw it; then no call of the
// share, or below it, gets a slot until the debt is paid off, so that the rate
// holds on average however long calls are. At most one call in each slot
// overdraws a share. This is the generic cell rate algorithm in its form of
// virtual scheduling (ITU-T I.371, annex A): instead of a level that must be
// filled, a bucket is the instant at which it is, or was, empty.
//
// The scheduler has no goroutine. A timer, which is set only while a call
// waits for credit, hands out slots when credit returns.
package sched
