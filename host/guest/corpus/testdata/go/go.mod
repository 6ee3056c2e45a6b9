module corpus

go 1.26

require github.com/wasmill/wasmill/sdk-go v0.0.0

replace github.com/wasmill/wasmill/sdk-go => ../../../../../sdk-go
