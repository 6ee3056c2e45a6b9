module github.com/wasmill/wasmill/examples/clicks/go/parse

go 1.26

require github.com/wasmill/wasmill/sdk-go v0.1.0

replace github.com/wasmill/wasmill/sdk-go => ../../../../sdk-go
