package quickjs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

func frameOf(records ...record.Record) []byte {
	b := &wire.Batch{Partition: record.Partition{Name: "file.txt", Number: 7}}
	for i := range records {
		b.Add(&records[i])
	}
	return b.AppendFrame(nil)
}

func TestX(t *testing.T) {
	in, status := start(t, sdk+`
w.init = (cx) => console.log(cx.config, cx.job, cx.task, new TextEncoder().encode("hé"));
w.step = (r, cx) => {
  const j = r.json;
  if (j.bad) throw new Error("oh");
  cx.emit({ key: r.key, value: { user: j.user, t: r.time, p: r.partition.name } });
};
`)
	t.Log(status, in.logs)
	status = in.process(1, frameOf(record.Record{Time: 5, Key: []byte("k"), Value: []byte(`{"user":"\u00e9ü"}`)}, record.Record{Time: 5, Key: []byte("k"), Value: []byte(`{"bad":1}`)}))
	t.Logf("%d %q %q", status, in.frames, in.fails)
	_ = slices.Contains[[]string]
	_ = strings.Contains
}
