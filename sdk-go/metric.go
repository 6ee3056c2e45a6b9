package wasmill

import "github.com/wasmill/wasmill/sdk-go/internal/host"

// metric is a number of the host's that the step moves.
type metric struct {
	name   string
	kind   int32
	handle int32 // given by the host when the instance begins, negative before
}

// metrics are those that init functions and package variables made.
var metrics []*metric

func newMetric(kind int32, name string) *metric {
	m := &metric{name: name, kind: kind, handle: -1}
	metrics = append(metrics, m)
	return m
}

func (m *metric) add(delta int64) {
	if m.handle >= 0 {
		host.MetricAdd(m.handle, delta)
	}
}

// defineMetrics asks the host for the handles.
func (cx *Context) defineMetrics() error {
	for _, m := range metrics {
		m.handle = host.MetricDefine(m.kind, m.name)
		if err := check("metric_define", m.name, m.handle); err != nil {
			return err
		}
	}
	return nil
}

// Counter is a metric that only grows.
type Counter struct{ m *metric }

// NewCounter makes a counter. It belongs into a package variable or an init
// function: one made later counts nothing. The name matches [a-z][a-z0-9_]*.
func NewCounter(name string) Counter { return Counter{newMetric(0, name)} }

// Add adds n, which is not negative.
func (c Counter) Add(n int64) { c.m.add(n) }

// Gauge is a metric that goes up and down.
type Gauge struct{ m *metric }

// NewGauge makes a gauge; what NewCounter says holds here too.
func NewGauge(name string) Gauge { return Gauge{newMetric(1, name)} }

// Add adds n, which may be negative.
func (g Gauge) Add(n int64) { g.m.add(n) }
