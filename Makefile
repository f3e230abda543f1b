# skillhand. `make demo` shows what it does, `make test` checks that it does.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 60s
LDFLAGS := -s -w -X github.com/skillhand/skillhand/internal/cli.version=$(VERSION)
TOOLS := $(CURDIR)/.tools
export CGO_ENABLED ?= 0
# Every process of a race build takes a second to end, unless it is told not to.
RACE := GORACE=atexit_sleep_ms=0
# Many tests wait more than they work, so more packages than processors are tested at once.
PACKAGES ?= $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 2 )))
# The packages that start goroutines. make test looks for races in these; make race in all, the programs too.
CONCURRENT = $(shell git grep -lE '^\s*go (func|[a-z])|\.Go.func' -- '*.go' ':!*_test.go' ':!cmd' ':!tools/bench' | xargs -n1 dirname | sort -u | sed 's,^,./,')

.PHONY: build demo test race picture agents suites chaos grow bench fuzz lint cross release tools parallel clean

build: ## the two static binaries, bin/skillhand and bin/skillhand-server
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

demo: build ## loads a skill the first and the later time, in a folder of its own
	@PATH="$(CURDIR)/bin:$$PATH" bash examples/demo.sh

test: tools cross ## everything that must hold
	@fmt=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$fmt" ]; then echo "not formatted: $$fmt"; exit 1; fi
	go vet ./...
	CGO_ENABLED=1 SKILLHAND_REQUIRE_ALL=1 $(RACE) go test -race -p $(PACKAGES) -timeout 60m $(CONCURRENT)
	SKILLHAND_REQUIRE_ALL=1 go test -p $(PACKAGES) -timeout 60m $$(go list ./... | grep -vxF "$$(go list $(CONCURRENT))")

race: tools ## all tests with the race detector, also those that start the programs, which then take three times as long
	CGO_ENABLED=1 SKILLHAND_REQUIRE_ALL=1 $(RACE) go test -race -p $(PACKAGES) -timeout 90m ./...

chaos: tools ## workers killed, stopped, interrupted and restarted together under 500 jobs, Postgres crashed, limits under pressure; 1,000 trials of three agents; takes half an hour
	SKILLHAND_REQUIRE_ALL=1 SKILLHAND_CHAOS=full go test -v -timeout 1h -run 'TestChaos|TestKiller|TestFence|TestRate|TestLimitsStay|TestCutOff|TestUnfit|TestClockBack' ./internal/batch
	SKILLHAND_REQUIRE_ALL=1 SKILLHAND_TRIALS=1000 go test -v -timeout 2h -run TestTryMany ./cmd/skillhand-server

grow: tools ## 30 and 100 worker processes, a million jobs: connections, throughput, memory, what a look takes; takes a quarter of an hour
	SKILLHAND_REQUIRE_ALL=1 SKILLHAND_GROW=full go test -v -timeout 1h -run TestGrow ./cmd/skillhand-server

agents: tools ## the other agents' real programs, in every way that a model or a service can behave; takes some minutes
	SKILLHAND_AGENTS=full go test -v -parallel 4 -timeout 1h -run 'TestReal|TestEveryWay|TestQwen|TestTryAgents' ./internal/agents ./internal/agents/visibility ./cmd/skillhand-server

suites: tools ## suites and a model for both claude plugin eval and skillhand try: every difference is a known one; takes ten minutes
	@{ command -v bwrap && command -v socat; } >/dev/null || { apt-get update -q && apt-get install -qy bubblewrap socat; } || { echo "please install bubblewrap and socat"; exit 1; }
	SKILLHAND_ALL_SUITES=1 go test -v -timeout 1h -run TestSuites ./cmd/skillhand-server

picture: tools ## docs/page.png, the first view of the page
	SKILLHAND_PICTURE=$(CURDIR)/docs/page.png go test -count=1 -run TestDemo/picture ./internal/web

cross: ## all packages and their tests compile for macOS and Windows; make release links the programs for every platform
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=windows GOARCH=amd64 go vet ./...

release: ## archives, npm packages, manifests and checksums of the version in VERSION, in dist; twice gives the same bytes
	rm -rf dist
	go run ./tools/release -o dist

bench: build tools parallel ## speed, as ratios to a peer in the same run
	go run ./tools/bench bin/skillhand

fuzz: ## every fuzz test for FUZZTIME
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done
	SKILLHAND_DOCUMENTS=1000000 go test -run TestSchemaAgrees -timeout 1h ./report
	SKILLHAND_PERMIT_PROBES=4000 go test -run TestClaude -timeout 1h ./permit

lint: $(TOOLS)/golangci-lint $(TOOLS)/actionlint ## what linters think
	$(TOOLS)/golangci-lint run ./...
	$(TOOLS)/actionlint

$(TOOLS)/golangci-lint:
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0

$(TOOLS)/actionlint:
	GOBIN=$(TOOLS) go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

# bash is what directives are compared with; a C compiler is what -race needs; npm installs the
# real Claude CLI for the tests that ask it; Postgres is what batches grow to; pre-commit runs our
# hooks, Neovim our language server; Chromium is what looks at pages; opencode needs ripgrep.
tools:
	@for tool in bash gcc python3 patch; do command -v $$tool >/dev/null || { apt-get update -q && apt-get install -qy $$tool; } || { echo "please install $$tool"; exit 1; }; done
	@command -v rg >/dev/null || { apt-get update -q && apt-get install -qy ripgrep; } || { echo "please install ripgrep"; exit 1; }
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { apt-get update -q && apt-get install -qy postgresql; } || { echo "please install postgresql"; exit 1; }
	@command -v pre-commit >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends pre-commit; } || { echo "please install pre-commit"; exit 1; }
	@command -v nvim >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends neovim; } || { echo "please install neovim"; exit 1; }
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends chromium fonts-dejavu-core; } || { echo "please install chromium"; exit 1; }
	@command -v npm >/dev/null || { apt-get update -q && apt-get install -qy nodejs npm; } || { echo "please install npm"; exit 1; }

# GNU parallel is what batches are measured beside.
parallel:
	@command -v parallel >/dev/null || { apt-get update -q && apt-get install -qy parallel; } || { echo "please install parallel"; exit 1; }

clean:
	rm -rf bin dist .tools
