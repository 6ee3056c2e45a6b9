# make help says what there is.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# npm asks a registry that does not answer five times more; by itself it does two.
export npm_config_fetch_retries ?= 5

# Modules beside the root: what a guest is built from depends on nothing else.
MODULES := sdk-go $(patsubst %/go.mod,%,$(wildcard examples/*/*/go.mod examples/*/*/*/go.mod conformance/guests/*/go.mod))

# Files that are ours to format: testdata is as it is meant to be.
GOFILES = $$(git ls-files -co --exclude-standard '*.go' | grep -v /testdata/)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## bin/wasmill
	$(GO) build -o bin/wasmill ./cmd/wasmill

.PHONY: need
need:
	@scripts/need.sh

# What the go command downloads, before anything needs it: here a registry that
# is away is asked again.
.PHONY: modules
modules: need
	@scripts/again.sh $(GO) mod download
	@scripts/again.sh $(GO) run $(STATICCHECK) -version

.PHONY: toolchains
toolchains: ## compilers and interpreters of the guests that tests build, from package registries
	@scripts/toolchains.sh

.PHONY: check
check: need modules toolchains ## the fast part: build, format, vet, staticcheck, arrows, short tests with -race
	$(GO) build ./...
	@files=$$(gofmt -l $(GOFILES)); if [ -n "$$files" ]; then echo "run gofmt -w on:"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) test ./host/internal/archtest
	$(GO) test -race -shuffle=on -short -timeout 30m ./...

.PHONY: test
test: need modules toolchains ## everything: check, the long tests, the SDKs, the examples
	@echo "== check"
	@$(MAKE) --no-print-directory check
	@echo "== long tests"
	$(GO) test -shuffle=on -timeout 60m ./...
	@for m in $(MODULES); do \
		echo "== $$m"; \
		(cd $$m && $(GO) vet ./... && $(GO) test -race -shuffle=on ./...); \
	done
	@for c in $(wildcard sdk-*/check.sh); do echo "== $$c"; $$c; done
	@echo "== all tests passed"

.PHONY: soak
soak: need toolchains ## hours: 100,000 simulated runs, every fuzz target for 60 s, the kill tests again and again, the sandbox on a quiet machine, 20,000 rewritten modules, arm64
	$(GO) test ./host/container -run 'TestSimulation$$' -seeds 100000 -timeout 60m
	@scripts/fuzz.sh 60s
	$(GO) test ./host -run TestKill -count 10 -timeout 120m
	$(GO) test ./host -run TestSandbox -soak -v -timeout 60m
	$(GO) test ./host/guest -run 'AStartThatLoops|ReturnToAPlateau' -soak -v -timeout 120m
	$(GO) test ./host/guest/spectest -run DoesWhat -first 300 -seeds 20000 -timeout 120m
	$(GO) test ./host/guest/marshal -run 'Random|EncodesAs' -soak -timeout 30m
	@scripts/arm64.sh

.PHONY: fuzz
fuzz: need ## every fuzz target for 10 s
	@scripts/fuzz.sh 10s

# Runs of each benchmark; the figures are of their medians. State is measured
# over operations, not time: its commits come every 100,000.
COUNT ?= 1
BENCH = $(GO) test -run '^$$' -bench . -benchmem -count $(COUNT) -timeout 120m

.PHONY: bench
bench: need toolchains ## every benchmark, COUNT times each, to bench/results.txt; draws bench/figures from it
	{ $(BENCH) $$($(GO) list ./... | grep -v '/state/overlay$$'); \
	$(BENCH) -benchtime 500000x ./state/overlay -huge; \
	for m in $(MODULES); do (cd $$m && $(BENCH) ./...); done; } | tee bench/results.txt
	$(GO) run ./bench/plot < bench/results.txt

.PHONY: bench-guests
bench-guests: need toolchains ## what a start and a record cost in each language, beside native code and other programs; draws the figures
	{ $(GO) test -run '^$$' -bench 'Start|Idle|Record' -count $(COUNT) -timeout 60m ./bench/guests; \
	(cd bench/peers && $(GO) test -mod=mod -run '^$$' -bench . -count $(COUNT)); } | tee bench/results-guests.txt
	$(GO) run ./bench/plot < bench/results-guests.txt

.PHONY: bench-metering
bench-metering: need toolchains ## what metering costs guests of each language; draws its figure
	$(GO) test -run '^$$' -bench Metering -count $(COUNT) -timeout 120m ./bench/guests | tee bench/results-metering.txt
	$(GO) run ./bench/plot < bench/results-metering.txt
