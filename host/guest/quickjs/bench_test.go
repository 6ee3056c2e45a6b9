package quickjs_test

import (
	"fmt"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
)

// BenchmarkEngine runs steps over batches of 1,024 records of 120 bytes, under
// wazero alone: without metering.
func BenchmarkEngine(b *testing.B) {
	for _, step := range []struct{ name, body string }{
		{"pass", `cx.emit(r)`},
		{"text", `cx.emit({ key: r.key, value: r.text })`},
		{"project", `const j = r.json; cx.emit({ key: r.key, value: { id: j.id, by: j.user, ct: Math.floor(j.amount * 100 + 0.5), tags: j.tags.length, at: Math.floor(j.ts / 1000) } })`},
		{"parse", `r.json`},
		{"state", `const s = w.s ??= cx.store("state"); const k = r.key; s.put(k, String(Number(s.getText(k) ?? 0) + 1))`},
	} {
		b.Run(step.name, func(b *testing.B) {
			in, status := start(b, sdk+"w.step = (r, cx) => { "+step.body+" }")
			if status != 0 {
				b.Fatal(in.logs)
			}
			var records []record.Record
			for i := range 1024 {
				records = append(records, record.Record{Time: int64(i), Key: fmt.Appendf(nil, "user-%04d", i%100), Value: fmt.Appendf(nil,
					`{"id":%d,"user":"user-0042","ts":1700000000123,"amount":12.34,"currency":"EUR","tags":["a","b","c"],"note":"plain"}`, 1000000+i)})
			}
			frame := frameOf(records...)
			for b.Loop() {
				if status := in.process(1, frame); status != 0 || len(in.fails) > 0 {
					b.Fatal(status, in.fails)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/record")
		})
	}
}
