package guest

import (
	"github.com/wasmill/wasmill/abi"
)

// maxMetricName is the longest name of a metric, in bytes.
const maxMetricName = 64

// log(level, ptr, len)
func hostLog(in *instance, m memory, s []uint64) {
	line, ok := in.view(m, "log", s[1], s[2])
	level := Level(int32(uint32(s[0])))
	switch {
	case !ok:
		setErrno(s, abi.EFAULT)
	case level < Debug || level > Error:
		setErrno(s, abi.EINVAL)
	default:
		in.log.write(level, line[:min(len(line), maxLine)])
		setErrno(s, abi.OK)
	}
}

// log_enabled(level)
func hostLogEnabled(in *instance, _ memory, s []uint64) {
	level := Level(int32(uint32(s[0])))
	enabled := level >= Debug && level <= Error && in.calls.LogEnabled(level)
	s[0] = 0
	if enabled {
		s[0] = 1
	}
}

// metric_define(kind, ptr, len)
func hostMetricDefine(in *instance, m memory, s []uint64) {
	name, ok := in.view(m, "metric_define", s[1], s[2])
	kind := MetricKind(int32(uint32(s[0])))
	switch {
	case !ok:
		setErrno(s, abi.EFAULT)
		return
	case kind != Counter && kind != Gauge || !metricName(name):
		setErrno(s, abi.EINVAL)
		return
	}
	handle, e := in.calls.MetricDefine(kind, name)
	if e != abi.OK {
		setErrno(s, e)
		return
	}
	if in.op == 0 {
		in.define(int(handle), definition{kind, string(name)})
	}
	setLen(s, int(handle))
}

// metricName reports whether name is [a-z][a-z0-9_]* and not too long.
func metricName(name []byte) bool {
	for i, c := range name {
		if (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '_') {
			return false
		}
	}
	return len(name) > 0 && len(name) <= maxMetricName
}

// metric_add(handle, delta)
func hostMetricAdd(in *instance, _ memory, s []uint64) {
	setErrno(s, in.calls.MetricAdd(uint32(s[0]), int64(s[1])))
}

// config(buf, buflen)
func hostConfig(in *instance, m memory, s []uint64) {
	buf, ok := in.view(m, "config", s[0], s[1])
	if !ok {
		setErrno(s, abi.EFAULT)
		return
	}
	reply(s, buf, in.config)
}

// now()
func hostNow(in *instance, _ memory, s []uint64) { s[0] = uint64(in.wasi.Wall()) }
