package jobspec

// Format returns the format of a fault, for the test that each has a fixture.
func (f Fault) Format() string { return string(f.format) }
