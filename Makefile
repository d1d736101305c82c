# Every target is one line that you could type yourself.
.PHONY: run test lint bench golden fuzz pictures ci

# A match of 32 turns that Red wins by towers; the middle is after turn 19.
MIDDLE = down left down left down left down up right up right up up up up right up right up
REST = down left down down left down up down left left down up down

run: ## play in a browser, without Discord
	go run ./cmd/castellan sandbox

test: ## every test
	go test ./...

lint: ## vet, staticcheck, the standard linters and the layer rules
	go vet ./... && staticcheck ./... && golangci-lint run ./... && .ci/layers && .ci/names

bench: ## moves per second and time per picture
	go test ./engine/... ./imaging -run '^$$' -bench . -benchmem

golden: ## write the golden files anew; look at the difference before you commit it
	go test $$(grep -rlF --include='*_test.go' 'Bool("update"' . | xargs -n1 dirname | sort -u) -run 'Golden|Playthrough' -update

fuzz: ## one fuzz target: make fuzz PKG=./engine/trails FUNC=FuzzParse
	go test $(PKG) -run '^$$' -fuzz '^$(FUNC)$$' -fuzztime 30s

pictures: ## the pictures in the README
	go run ./cmd/castellan render --game trails --names Anna,Ben --out docs/pictures/trails-start.png
	go run ./cmd/castellan render --game trails --names Anna,Ben --turns "$(MIDDLE)" --out docs/pictures/trails-middle.png
	go run ./cmd/castellan render --game trails --names Anna,Ben --turns "$(MIDDLE) $(REST)" --out docs/pictures/trails-end.png

ci: ## what must hold before a change lands
	bash .ci/run
