package guest

import (
	"time"

	"github.com/wasmill/wasmill/host/guest/image"
	"github.com/wasmill/wasmill/host/guest/sched"
)

// TenantOptions are what a tenant is entitled to. The zero value is a weight
// of 1 and no limits.
type TenantOptions struct {
	Name   string
	CPU    time.Duration // a second, by all its instances together
	Weight int           // of its part of the CPU while there is too little
	Memory uint64        // bytes, of all its instances together
}

// Tenant is somebody whose engines share CPU time and memory. It is safe for
// concurrent use.
type Tenant struct {
	share   *sched.Share
	account *image.Account
}

// NewTenant returns a tenant, which must be closed behind its engines.
func NewTenant(o TenantOptions) *Tenant {
	return &Tenant{
		share:   scheduler().Share(nil, sched.Options{Name: o.Name, Weight: o.Weight, Rate: o.CPU}),
		account: image.NewAccount(o.Memory),
	}
}

// Close ends the tenant's claim to the CPU.
func (t *Tenant) Close() { t.share.Close() }

// MemoryBytes returns what the memories of the tenant's instances have together.
func (t *Tenant) MemoryBytes() uint64 { return t.account.Used() }

// CPU returns what the tenant's instances have had of the CPU.
func (t *Tenant) CPU() sched.Stats { return t.share.Stats() }
