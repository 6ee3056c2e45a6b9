module github.com/wasmill/wasmill/sdk-go

go 1.26
