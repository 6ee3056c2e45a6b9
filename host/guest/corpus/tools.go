package corpus

// Tools returns the paths of what scripts/toolchains.sh installed, by name.
func Tools() (map[string]string, error) {
	p, err := findPlace()
	if err != nil {
		return nil, err
	}
	return p.tools, nil
}
