//go:build !linux

package watchdog_test

const ownThread = false
