# skillhand. `make demo` shows what it does, `make test` checks that it does.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 60s
LDFLAGS := -s -w -X github.com/skillhand/skillhand/internal/cli.version=$(VERSION)
TOOLS := $(CURDIR)/.tools
export CGO_ENABLED ?= 0
# Every process of a race build takes a second to end, unless it is told not to.
RACE := CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race
# Which packages a target is about: make test PKG=./check.
PKG ?= ./...
ROOMS = $(patsubst github.com/skillhand/skillhand%,.%,$(shell go list $(PKG)))
# In these, goroutines share state: make test looks for races in them, make torture in all.
RACED = $(filter ./internal/batch ./internal/batch/jobs ./internal/mcp ./internal/proc ./internal/shell ./internal/web,$(ROOMS))
# What asks real programs from npm, and the tests that do: see internal/test/real.txt.
REAL_ROOMS = $(filter $(shell awk '!/^\#/ && NF {print "./" $$1}' internal/test/real.txt | sort -u),$(ROOMS))
REAL_TESTS = $(shell awk '!/^\#/ && NF {sub("/.*", "", $$2); print $$2}' internal/test/real.txt | sort -u)
space := $(subst ,, )
# Many tests wait more than they work, so more of them than there are processors run at once.
ATONCE ?= -p $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 1 ))) -parallel 4
ROUNDS ?= 1
# What make corpus compares with.
OLD ?= origin/main

.PHONY: build demo test test-race test-plain real claude torture chaos grow times picture bench corpus fuzz lint vet cross release tools sandbox parallel clean

build: ## the two static binaries, bin/skillhand and bin/skillhand-server
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

demo: build ## loads a skill the first and the later time, in a folder of its own
	@PATH="$(CURDIR)/bin:$$PATH" bash examples/demo.sh

test: tools vet cross ## what must hold before a change lands; of the real programs it asks the least, the recordings answer for the rest
	@$(MAKE) --no-print-directory -j2 -k test-race test-plain

test-race:
	$(if $(RACED),SKILLHAND_REQUIRE_ALL=1 $(RACE) $(ATONCE) -timeout 30m $(RACED))

test-plain:
	$(if $(filter-out $(RACED),$(ROOMS)),SKILLHAND_REQUIRE_ALL=1 go test $(ATONCE) -timeout 30m $(filter-out $(RACED),$(ROOMS)))

real: tools sandbox ## every test that asks a real program, in every situation; when all is well, notes so in internal/test/real.sum
	$(if $(REAL_ROOMS),,$(error nothing in $(PKG) asks a real program))
	SKILLHAND_REAL=1 SKILLHAND_REQUIRE_ALL=1 go test -count=1 $(ATONCE) -timeout 3h -run '^($(subst $(space),|,$(REAL_TESTS)))$$' $(REAL_ROOMS)
	go test -count=1 -run TestDigest ./internal/test -passed '$(REAL_ROOMS)'

claude: tools ## make claude VERSION=x.y.z: follow that version of Claude Code: record its answers again, say what changed; takes an hour
	@case "$(origin VERSION)" in command*) ;; *) echo "usage: make claude VERSION=x.y.z"; exit 2;; esac
	sed -i 's/^const Version = ".*"/const Version = "$(VERSION)"/' internal/claudecode/claudecode.go
	sed -i "s/^const PricesOf = .*/const PricesOf = \"$$(date +%F)\"/" internal/claudecode/models.go
	go test -count=1 -timeout 3h -run 'TestReal|TestProbesReal' ./internal/claudecode ./internal/claudecode/claudepage ./check -record
	@status=0; $(MAKE) real || status=$$?; \
	git --no-pager diff --stat; \
	echo "Files that name another version of Claude Code:"; git grep -lE '\b2\.1\.[0-9]{3}\b' -- '*.md' '*.go' '*.txt' | xargs grep -LF '$(VERSION)'; \
	exit $$status

torture: tools ## races everywhere, large inputs, the tests of other systems compiled, chaos, growth; takes hours
	GOOS=darwin GOARCH=arm64 go vet $(PKG)
	GOOS=windows GOARCH=amd64 go vet $(PKG)
	SKILLHAND_TORTURE=1 SKILLHAND_REQUIRE_ALL=1 $(RACE) $(ATONCE) -timeout 2h $(PKG)
	$(if $(filter ./...,$(PKG)),$(MAKE) chaos grow)

chaos: tools ## workers killed, stopped, interrupted and restarted together under 500 jobs, Postgres crashed, limits under pressure; 1,000 trials of three agents; takes half an hour. ROUNDS=20: short rounds instead, all faults in random order, up to two minutes each
ifeq ($(origin ROUNDS),command line)
	SKILLHAND_REQUIRE_ALL=1 SKILLHAND_CHAOS=short go test -v -count=$(ROUNDS) -timeout 0 -run TestChaosRound ./internal/batch
else
	SKILLHAND_REQUIRE_ALL=1 SKILLHAND_CHAOS=full go test -v -timeout 0 -run 'TestChaos|TestKiller|TestFence|TestRate|TestLimitsStay|TestCutOff|TestUnfit|TestClockBack' ./internal/batch
	SKILLHAND_REQUIRE_ALL=1 SKILLHAND_REAL=1 SKILLHAND_TRIALS=1000 go test -v -timeout 0 -run TestTryMany ./cmd/skillhand-server
endif

grow: tools ## 30 and 100 worker processes, a million jobs: connections, throughput, memory, what a look takes; a quarter of an hour for each of ROUNDS
	SKILLHAND_GROW=full go test -v -count=$(ROUNDS) -timeout 0 -run TestBusy ./internal/batch
	SKILLHAND_REQUIRE_ALL=1 SKILLHAND_GROW=full go test -v -count=$(ROUNDS) -timeout 0 -run TestGrow ./cmd/skillhand-server

times: tools ## the CPU seconds that the tests of each package take, into the table in CONTRIBUTING.md
	@mkdir -p bin && rm -f bin/times
	$(if $(RACED),TIMES=$(CURDIR)/bin/times SKILLHAND_REQUIRE_ALL=1 $(RACE) -count=1 -exec $(CURDIR)/internal/test/cputime.sh $(ATONCE) $(RACED))
	$(if $(filter-out $(RACED),$(ROOMS)),TIMES=$(CURDIR)/bin/times SKILLHAND_REQUIRE_ALL=1 go test -count=1 -exec $(CURDIR)/internal/test/cputime.sh $(ATONCE) $(filter-out $(RACED),$(ROOMS)))
	go test -count=1 -run TestTimes ./internal/test -times $(CURDIR)/bin/times

picture: tools ## docs/page.png and docs/tries.png, two views of the page
	SKILLHAND_PICTURE=$(CURDIR)/docs go test -count=1 -run TestDemo/picture ./internal/web

vet: ## formatted, and as go vet wants it
	@fmt=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$fmt" ]; then echo "not formatted: $$fmt"; exit 1; fi
	go vet $(PKG)

cross: ## all packages compile for macOS and Windows; make torture also compiles their tests, make release links the programs for every platform
	GOOS=darwin GOARCH=arm64 go build $(PKG)
	GOOS=windows GOARCH=amd64 go build $(PKG)

release: ## archives, npm packages, manifests and checksums of the version in VERSION, in dist; twice gives the same bytes
	rm -rf dist
	go run ./tools/release -o dist

bench: build tools parallel ## speed, as ratios to a peer in the same run
	go run ./tools/bench bin/skillhand

corpus: ## what check finds in public repositories, as it is here and at OLD (origin/main), by rule; DIR: their clones, each as OWNER+NAME, to which those that are missing are added
	@tools/bench/corpus/builds.sh $(OLD) $(DIR)

fuzz: ## every fuzz test for FUZZTIME
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done
	SKILLHAND_DOCUMENTS=1000000 go test -run TestSchemaAgrees -timeout 1h ./report
	SKILLHAND_REAL=1 SKILLHAND_PERMIT_PROBES=4000 go test -run TestClaude -timeout 1h ./permit

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

# claude plugin eval runs graders in a sandbox.
sandbox:
	@{ command -v bwrap && command -v socat; } >/dev/null || { apt-get update -q && apt-get install -qy bubblewrap socat; } || { echo "please install bubblewrap and socat"; exit 1; }

# GNU parallel is what batches are measured beside.
parallel:
	@command -v parallel >/dev/null || { apt-get update -q && apt-get install -qy parallel; } || { echo "please install parallel"; exit 1; }

clean:
	rm -rf bin dist .tools
