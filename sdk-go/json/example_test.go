package json_test

import (
	"fmt"

	"github.com/wasmill/wasmill/sdk-go/json"
)

func ExampleDecoder() {
	var d json.Decoder
	d.Reset([]byte(`{"user": "ada", "tags": ["a", "b"], "more": {"n": 1}}`))
	var user string
	var tags []string
	if !d.Object() {
		fmt.Println("not an object")
	}
	for d.More() {
		switch string(d.Name()) {
		case "user":
			user = d.TextCopy()
		case "tags":
			if !d.Array() {
				continue // what is not read is skipped
			}
			for d.More() {
				tags = append(tags, d.TextCopy())
			}
		}
	}
	fmt.Println(user, tags, d.End())
	// Output: ada [a b] <nil>
}

func ExampleDecoder_End() {
	var d json.Decoder
	d.Reset([]byte(`{"n": 1.5}`))
	d.Object()
	for d.More() {
		d.Int()
	}
	fmt.Println(d.End())
	// Output: json: byte 6: it is not an integer of 64 bits
}

func ExampleEncoder() {
	var e json.Encoder
	e.BeginObject()
	e.Name("user").String("ada")
	e.Name("tags")
	e.BeginArray()
	e.Int(1)
	e.Null()
	e.EndArray()
	e.EndObject()
	fmt.Printf("%s\n", e.Bytes())
	// Output: {"user":"ada","tags":[1,null]}
}
