# Every target is one command that you could type yourself.
.PHONY: run build lab release test test-full test-postgres test-browser clients cluster lint bench growth golden fuzz pictures moving-picture licenses operations train ladder ci

VERSION ?= $(shell git describe --tags --always --dirty)
REVISION ?= $(shell git rev-parse HEAD)

run: ## play in a browser, without Discord
	go run ./cmd/castellan sandbox

build: ## the static program, ./castellan; make build VERSION=1.2.3
	.ci/build castellan "$(VERSION)" "$(REVISION)" && file castellan && wc -c castellan && ./castellan version

lab: ## the static program for research, ./lab
	.ci/build lab "$(VERSION)" "$(REVISION)" ./cmd/lab && ./lab version

release: ## the files of a release in out: programs for all systems, packages, bills of materials, SHA256SUMS; make release VERSION=1.2.3
	.ci/release "$(VERSION)" "$(REVISION)"

test: ## every test, with samples of the long matrices
	go test ./...

test-full: ## every test with the full matrices: ten minutes
	CASTELLAN_FULL=1 CASTELLAN_CONFORMANCE=1 CASTELLAN_KILLS=200 go test -timeout 30m ./...

test-postgres: ## the tests of the bot on PostgreSQL instead of SQLite
	CASTELLAN_DATABASE=postgres go test -timeout 15m ./bot/host/... ./bot/e2e

test-browser: ## the tests that drive Chromium
	CASTELLAN_BROWSER=1 go test -timeout 15m ./bot/e2e ./bot/sandbox/... ./imaging

clients: ## bots in five other libraries in the sandbox; rewrites the table in docs/build/sandbox-clients.md
	CASTELLAN_CLIENTS=1 go test ./bot/sandbox/clients -v -count=1 -timeout 15m -update

cluster: ## several processes on PostgreSQL, killed, stopped and cut off; make cluster KILLS=300: a quarter of an hour
	CASTELLAN_CLUSTER=$(or $(KILLS),300) CASTELLAN_STOP=$(or $(STOP),60) go test ./bot/internal/killtest -run 'TestCluster$$' -v -count=1 -timeout 2h

lint: ## vet, staticcheck, golangci-lint, the directions of imports
	go vet ./... && staticcheck ./... && golangci-lint run ./... && go run .ci/layers.go && .ci/names

bench: ## moves per second and time per picture
	go test ./engine/... ./imaging/... -run '^$$' -bench . -benchmem

growth: ## times with 1,000 to 100,000 stored matches, on a quiet machine: half an hour
	CASTELLAN_GROWTH=1000,10000,100000 go test ./bot/host -run TestGrowth -v -count=1 -timeout 2h

golden: ## rewrite the golden files; review the diff before you commit it
	go test $$(grep -rlF --include='*_test.go' 'Bool("update"' . | xargs -n1 dirname | sort -u) -run 'Golden|Playthrough' -update

fuzz: ## every fuzz target, or some of them: make fuzz FUZZTIME=10m PKG=./engine/trails FUNC=FuzzParse
	.ci/fuzz "$(or $(FUZZTIME),60s)" "$(PKG)" "$(FUNC)"

pictures: ## the pictures in docs, from docs/pictures/games.txt; look at them before you commit them
	bash docs/pictures/draw.sh

moving-picture: ## docs/match.gif, a match in the sandbox's page; needs a browser
	CASTELLAN_BROWSER=1 CASTELLAN_MOVING=$(CURDIR)/docs/match.gif go test ./bot/e2e -run MovingPicture -count=1

licenses: ## rewrite docs/reference/licenses.md from the linked modules
	go test ./cmd/castellan -run 'TestLicenses$$' -licenses

operations: ## rewrite docs/build/sandbox-operations.md from the sandbox's routes
	go test ./bot/sandbox -run 'TestOperations$$' -operations

train: ## fit the learned evaluations of a game and play them against those in use: make train GAME=rings [ONLY=learned.weights GAMES=2560 SEED=2 OUT=folder STATE=folder CANDIDATE=file]
	go run ./cmd/lab train --game "$(GAME)" --only "$(ONLY)" --games "$(or $(GAMES),0)" --seed "$(or $(SEED),0)" --out "$(OUT)" --state "$(STATE)" --candidate "$(CANDIDATE)"

ladder: ## measure the levels of a game for docs/reference/strength/levels.md, in hours: make ladder GAME=trails [GAMES=100]
	test -x strength/lab || .ci/build strength/lab "$(VERSION)" "$(REVISION)" ./cmd/lab
	strength/lab ladder --game "$(GAME)" --only "$(ONLY)" --games "$(or $(GAMES),0)"

ci: ## every check that a change must pass
	bash .ci/run
