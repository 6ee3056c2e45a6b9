// Echo emits each record as it is.
package main

import wasmill "github.com/wasmill/wasmill/sdk-go"

func init() { wasmill.Step(func(cx *wasmill.Context, r *wasmill.Record) error { return cx.Emit(r) }) }

func main() {}
