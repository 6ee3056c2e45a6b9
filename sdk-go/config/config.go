// Package config decodes a step's config. It is apart from package wasmill
// because encoding/json makes a module larger by a megabyte.
package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

// Decode fills v, a pointer to a struct, from the config of the job file. What
// the file does not name keeps its value, so defaults are set before; a name
// that v does not have is an error. Without any config v stays as it is.
func Decode(cx *wasmill.Context, v any) error {
	raw := cx.ConfigJSON()
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("config of step %s: %w", cx.StepName(), err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("config of step %s: more than one JSON value", cx.StepName())
	}
	return nil
}
