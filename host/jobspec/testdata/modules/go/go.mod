module example/step

go 1.26.0
