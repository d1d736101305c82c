# Every target is one line that you could type yourself.
.PHONY: run build test lint bench golden fuzz pictures licenses ladder ci

VERSION ?= $(shell git describe --tags --always --dirty)

run: ## play in a browser, without Discord
	go run ./cmd/castellan sandbox

build: ## the static program, ./castellan; make build VERSION=1.2.3
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -X main.version=$(VERSION)" -o castellan ./cmd/castellan && file castellan && wc -c castellan && ./castellan version

test: ## every test
	go test ./...

lint: ## vet, staticcheck, the standard linters and the directions of imports
	go vet ./... && staticcheck ./... && golangci-lint run ./... && go run .ci/layers.go && .ci/names

bench: ## moves per second and time per picture
	go test ./engine/... ./imaging -run '^$$' -bench . -benchmem

golden: ## write the golden files anew; look at the difference before you commit it
	go test $$(grep -rlF --include='*_test.go' 'Bool("update"' . | xargs -n1 dirname | sort -u) -run 'Golden|Playthrough' -update

fuzz: ## every fuzz target, or some: make fuzz FUZZTIME=10m PKG=./engine/trails FUNC=FuzzParse
	.ci/fuzz "$(or $(FUZZTIME),60s)" "$(PKG)" "$(FUNC)"

pictures: ## the pictures in docs, from docs/pictures/games.txt; look at them before you commit them
	bash docs/pictures/draw.sh

licenses: ## docs/licenses.md, of everything that is linked
	go test ./cmd/castellan -run 'TestLicenses$$' -licenses

ladder: ## how strong the players of a game are, in hours: make ladder GAME=trails [GAMES=100]; the tables of docs/strength.md
	test -x strength/castellan || go build -o strength/castellan ./cmd/castellan
	go run ./cmd/ladder -game "$(GAME)" -castellan strength/castellan -only "$(ONLY)" -games "$(or $(GAMES),0)"

ci: ## what must hold before a change lands
	bash .ci/run
