//go:build race

package tenant_test

const race = true
